import type { EvidenceSource } from "./evidence-source.ts";

const mebibyte = 1024 * 1024;
const cloudbaseLogs = "/Program Files/Cloudbase Solutions/Cloudbase-Init/log";

/** One line per event, oldest first. 's' is written the same in every culture; a format of our own would follow the system's. */
const showEvents =
  "| Sort-Object TimeCreated | ForEach-Object { '{0}Z {1} {2} {3}: {4}' -f $_.TimeCreated.ToUniversalTime().ToString('s'), $_.LevelDisplayName, $_.ProviderName, $_.Id, ($_.Message -replace '\\s+',' ') }";

/** A log without such events is an answer, not an error; what else went wrong first goes into the evidence's note. */
const sayWhy = [
  "if ($Error.Count -gt 0) { $first=$Error[$Error.Count-1];",
  "if ($first.FullyQualifiedErrorId -notlike 'NoMatchingEventsFound*') { [Console]::Error.WriteLine($first.Exception.Message); exit 1 } }",
  "exit 0",
].join(" ");

/** What LocalSystem can read on a Windows node of image-builder that failed. Paths are below the system drive. */
export const windowsEvidence: readonly EvidenceSource[] = [
  cloudbase("cloudbase-init.log"),
  cloudbase("cloudbase-init-unattend.log"),
  {
    source: "cloudbase-init",
    origin: "registry: Cloudbase-Init plugins",
    read: {
      kind: "command",
      command: ["reg.exe", "query", "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init", "/s"],
      show: showKeys,
    },
  },
  { ...file("cloudbase-init", "/bootstrap.log"), also: ["command-output"] },
  newest("kubelet", "/var/log/kubelet/*.log", 6),
  newest("kubelet", "/k/*.log", 4),
  file("runtime", "/var/log/containerd/containerd.log"),
  { source: "units", origin: "services", read: powershell(serviceCommand()), timeoutMs: 8000 },
  {
    source: "windows-events",
    origin: "event log System",
    read: powershell(eventCommand("System", 400)),
    timeoutMs: 8000,
  },
  {
    source: "windows-events",
    origin: "event log Application",
    read: powershell(eventCommand("Application", 200)),
    timeoutMs: 8000,
  },
  {
    source: "windows-events",
    origin: "event log Microsoft-Windows-Hyper-V-Compute-Operational",
    read: powershell(eventCommand("Microsoft-Windows-Hyper-V-Compute-Operational", 200)),
    timeoutMs: 8000,
  },
  { source: "windows-events", origin: "restarts", read: powershell(restartCommand()), timeoutMs: 8000 },
  {
    source: "windows-events",
    origin: "Get-HnsNetwork",
    read: powershell('Get-HnsNetwork | ForEach-Object { "hns-network $($_.Name) type=$($_.Type) state=$($_.State)" }'),
    timeoutMs: 8000,
  },
  file("guest-agent", "/WindowsAzure/Logs/WaAppAgent.log"),
  newest("guest-agent", "/WindowsAzure/Logs/Plugins/*/*/*.log", 6),
  {
    source: "units",
    origin: "files of the bootstrap",
    read: {
      kind: "presence",
      paths: [
        "/run/cluster-api/placeholder",
        "/run/cluster-api/bootstrap-success.complete",
        "/run/kubeadm/kubeadm-join-config.yaml",
        "/etc/kubernetes/bootstrap-kubelet.conf",
        "/etc/kubernetes/kubelet.conf",
        "/var/lib/kubelet/config.yaml",
        "/var/lib/kubelet/kubeadm-flags.env",
        "/k/StartKubelet.ps1",
      ],
    },
  },
];

/** Keys and values alone: that reg.exe finds no such key is its own trouble, and no error of the node's. */
function showKeys(output: string): string {
  return output
    .split("\n")
    .filter((line) => /^(?:HKEY_| {4}\S)/u.test(line))
    .join("\n");
}

function cloudbase(name: string): EvidenceSource {
  return {
    ...file("cloudbase-init", `${cloudbaseLogs}/${name}`),
    also: ["command-output", "kubeadm"],
    maxBytes: 32 * mebibyte,
  };
}

function file(source: EvidenceSource["source"], path: string): EvidenceSource {
  return { source, origin: path, read: { kind: "file", paths: [path] } };
}

function newest(source: EvidenceSource["source"], path: string, count: number): EvidenceSource {
  return { source, origin: path, read: { kind: "file", paths: [path], newest: count }, maxBytes: 8 * mebibyte };
}

function powershell(script: string): EvidenceSource["read"] {
  return {
    kind: "command",
    command: [
      "powershell.exe",
      "-NoProfile",
      "-NonInteractive",
      "-Command",
      `$ErrorActionPreference='SilentlyContinue'; ${script}; ${sayWhy}`,
    ],
  };
}

/** Errors and warnings of this boot. */
function eventCommand(log: string, count: number): string {
  return [
    "$boot=(Get-CimInstance Win32_OperatingSystem).LastBootUpTime;",
    `Get-WinEvent -MaxEvents ${count} -FilterHashtable @{LogName='${log}';Level=1,2,3;StartTime=$boot}`,
    showEvents,
  ].join(" ");
}

/** Ids: 1074 asked for, 1076 reason given later, 6005/6006 log service started/stopped, 6008 unexpected. */
function restartCommand(): string {
  return `Get-WinEvent -MaxEvents 40 -FilterHashtable @{LogName='System';Id=1074,1076,6005,6006,6008} ${showEvents}`;
}

function serviceCommand(): string {
  return [
    "Get-CimInstance Win32_Service |",
    "Where-Object { $_.Name -match '^(kubelet|containerd|docker|cloudbase-init|hns|vmcompute|rke2|k0sworker|kube-proxy|WindowsAzureGuestAgent)' } |",
    'ForEach-Object { "$($_.Name) ActiveState=$($_.State) StartMode=$($_.StartMode) ExecMainStatus=$($_.ExitCode)" }',
  ].join(" ");
}
