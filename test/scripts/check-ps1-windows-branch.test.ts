import { afterEach, beforeEach, expect } from "@jest/globals";
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runPowerShell, testWithPowerShell } from "../support/powershell.ts";
import { runCommand } from "../support/run-command.ts";

/**
 * check.ps1 as it runs on a real machine, without CAPZ_ROOT: it asks the registry, the service manager and CIM. Functions of
 * their names answer in their place, with the types that Windows gives; a folder is the system drive.
 */
const script = join(import.meta.dirname, "../../scripts/check.ps1");
const logFile = "Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log";
const sentinel = "run/cluster-api/bootstrap-success.complete";
const boot = Math.floor(Date.now() / 1000) - 1000;
const instance = "8f1e2d3c.capz-win-0";

interface Windows {
  readonly services: Readonly<Record<string, readonly [status: string, startType: string]>>;
  readonly plugin?: number;
  readonly bootedAt?: number;
}

/** Without -Name of a known service or key they fail as the cmdlets do: an error that -ErrorAction may silence. */
const standIns = `$windows = ConvertFrom-Json -InputObject $env:STAND_IN
function Get-Service { [CmdletBinding()]param($Name)
  $found = $windows.services.PSObject.Properties[$Name]
  if ($null -eq $found) { Write-Error "Cannot find any service with service name '$Name'."; return }
  [pscustomobject]@{ Name = $Name; Status = $found.Value[0]; StartType = $found.Value[1] }
}
function Get-ItemProperty { [CmdletBinding()]param($LiteralPath)
  if ($LiteralPath -eq 'HKLM:\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion') {
    [pscustomobject]@{ ProductName = 'Windows Server 2022'; InstallDate = [int]$windows.installed }
  } elseif ($LiteralPath -eq 'HKLM:\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init\\${instance}\\Plugins' -and $null -ne $windows.plugin) {
    [pscustomobject]@{ MTUPlugin = 1; UserDataPlugin = [int]$windows.plugin }
  } else { Write-Error "Cannot find path '$LiteralPath' because it does not exist." }
}
function Get-CimInstance { [CmdletBinding()]param($ClassName)
  if ($windows.booted -eq 0) { throw 'The service cannot be started, either because it is disabled.' }
  $epoch = New-Object System.DateTime(1970, 1, 1, 0, 0, 0, [System.DateTimeKind]::Utc)
  [pscustomobject]@{ LastBootUpTime = $epoch.AddSeconds($windows.booted).ToLocalTime() }
}
& $env:CHECK
exit $LASTEXITCODE
`;

let drive: string;

beforeEach(async () => {
  drive = await mkdtemp(join(tmpdir(), "capz-drive-"));
});

afterEach(() => rm(drive, { recursive: true, force: true }));

async function put(path: string, content: string, uptime = 60): Promise<void> {
  const file = join(drive, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await utimes(file, boot + uptime, boot + uptime);
}

function at(uptime: number, text: string): string {
  return `${new Date((boot + uptime) * 1000).toISOString().slice(0, 19).replace("T", " ")}.120 1840 INFO cloudbaseinit.init [-] ${text}\r\n`;
}

const began = (uptime: number) => at(uptime, "Cloudbase-Init version: 1.1.6") + at(uptime, `Instance id: ${instance}`);

async function check(windows: Windows): Promise<string> {
  const output = join(drive, "output");
  const answers = {
    ...windows,
    plugin: windows.plugin ?? null,
    installed: boot - 6000,
    booted: windows.bootedAt ?? boot,
  };
  const env = {
    TZ: "UTC",
    CHECK: script,
    STAND_IN: JSON.stringify(answers),
    CAPZ_ROOT: "",
    CAPZ_PROVIDER: "auto",
    CAPZ_CHECK_OUTPUT: output,
    SystemDrive: drive,
  };
  const { code, stderr } = await runPowerShell(["-NoProfile", "-NonInteractive", "-Command", standIns], { env });
  expect(stderr).toBe("");
  return `${String(code)}\n${await readFile(output, "utf8")}`;
}

const stopped = { "cloudbase-init": ["Stopped", "Automatic"] } as const;

testWithPowerShell("a sentinel after the user data of this boot", async () => {
  await put(logFile, began(10) + at(15, "Executing plugin 'UserDataPlugin'"));
  await put(sentinel, "success");
  expect(await check({ services: stopped })).toContain("0\nproviders=custom\nsentinel=fresh\nstage=bootstrapped\n");
});

testWithPowerShell.each([
  [1, "0\n", "fresh"],
  [2, "75\n", "stale"],
  [undefined, "75\n", "stale"],
])("an old sentinel while the registry says %s of the instance's user data", async (plugin, code, state) => {
  await put(logFile, began(10) + at(20, "Plugins execution done"));
  await put(sentinel, "success", -4940);
  const answer = await check({ services: stopped, ...(plugin === undefined ? {} : { plugin }) });
  expect(answer.startsWith(code)).toBe(true);
  expect(answer).toContain(`sentinel=${state}\n`);
});

testWithPowerShell.each([
  ["Stopped", "Automatic", { bootedAt: boot + 900, stage: "waiting-for-cloudbase-init" }],
  ["Stopped", "Manual", { bootedAt: boot + 900, stage: "waiting-for-cloudbase-init" }],
  ["Stopped", "Disabled", { bootedAt: boot + 900, stage: "waiting-for-sentinel" }],
  ["Stopped", "Automatic", { bootedAt: boot, stage: "waiting-for-sentinel" }],
  ["StartPending", "Automatic", { bootedAt: boot, stage: "waiting-for-cloudbase-init" }],
  ["Running", "Automatic", { bootedAt: boot, stage: "waiting-for-cloudbase-init" }],
] as const)("cloudbase-init %s and %s before it has begun", async (status, startType, { bootedAt, stage }) => {
  await put(
    logFile,
    began(-5000) + at(-4995, "Executing plugin 'UserDataPlugin'") + at(-4910, "Plugins execution done"),
  );
  await put(sentinel, "success", -4940);
  const answer = await check({ services: { "cloudbase-init": [status, startType] }, bootedAt });
  expect(answer).toMatch(new RegExp(`^75\\n(?:.*\\n)*stage=${stage}\\n`, "u"));
});

testWithPowerShell("a joined node in its own name, and the same while its kubelet is missing", async () => {
  const certificate = join(drive, "made.pem");
  const key = ["-nodes", "-keyout", join(drive, "made.key"), "-out", certificate];
  const subject = `/O=system:nodes/CN=system:node:${hostname().toLowerCase()}`;
  await runCommand(["openssl", "req", "-x509", "-newkey", "rsa:2048", ...key, "-subj", subject]);
  await put("etc/kubernetes/kubelet.conf", "kind: Config\n");
  await put("var/lib/kubelet/pki/kubelet-client-current.pem", await readFile(certificate, "utf8"), -4000);
  await put(logFile, began(10) + at(20, "Plugins execution done"));
  expect(await check({ services: { ...stopped, kubelet: ["Running", "Automatic"] }, plugin: 1 })).toMatch(/^0\n/u);
  expect(await check({ services: stopped, plugin: 1 })).toContain("message=the service kubelet is Missing\n");
});

testWithPowerShell("CIM that does not answer is no verdict", async () => {
  await put(sentinel, "success");
  const answer = await check({ services: stopped, bootedAt: 0 });
  expect(answer).toMatch(/^75\n(?:.*\n)*stage=check-incomplete\nmessage=.*The service cannot be started/u);
});
