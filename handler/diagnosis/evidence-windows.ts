import { file, presence, type EvidenceSource } from "./evidence-source.ts";
import { errorEvents, showEvents, systemEvents } from "./event-log-windows.ts";
import { listServices, showServices } from "./service-list-windows.ts";

const mebibyte = 1024 * 1024;
const cloudbaseLogs = "/Program Files/Cloudbase Solutions/Cloudbase-Init/log";

/** Of the containers' host: only a Windows with that feature has it. */
const computeLog = "Microsoft-Windows-Hyper-V-Compute-Operational";

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
  {
    source: "units",
    origin: "services",
    read: { kind: "command", command: listServices, show: showServices },
    timeoutMs: 8000,
  },
  events("event log System", systemEvents(440)),
  events("event log Application", errorEvents("Application", 200)),
  events(`event log ${computeLog}`, errorEvents(computeLog, 200), `/Windows/System32/winevt/Logs/${computeLog}.evtx`),
  file("guest-agent", "/WindowsAzure/Logs/WaAppAgent.log"),
  newest("guest-agent", "/WindowsAzure/Logs/Plugins/*/*/*.log", 6),
  presence([
    "/run/cluster-api/placeholder",
    "/run/cluster-api/bootstrap-success.complete",
    "/run/kubeadm/kubeadm-join-config.yaml",
    "/etc/kubernetes/bootstrap-kubelet.conf",
    "/etc/kubernetes/kubelet.conf",
    "/var/lib/kubelet/config.yaml",
    "/var/lib/kubelet/kubeadm-flags.env",
    "/k/StartKubelet.ps1",
  ]),
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

function newest(source: EvidenceSource["source"], path: string, count: number): EvidenceSource {
  return { source, origin: path, read: { kind: "file", paths: [path], newest: count }, maxBytes: 8 * mebibyte };
}

/** `of`: the log's file, where not every Windows has it. */
function events(origin: string, command: readonly [string, ...string[]], of?: string): EvidenceSource {
  return {
    source: "windows-events",
    origin,
    read: { kind: "command", command, show: showEvents, ...(of !== undefined && { of }) },
    maxBytes: 8 * mebibyte,
    timeoutMs: 8000,
  };
}
