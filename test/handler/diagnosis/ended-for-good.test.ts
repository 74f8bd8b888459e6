import { expect, test } from "@jest/globals";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { named, namedOnWindows, rules } from "./named-cause.ts";

const goesOn = Array.from({ length: 8 }, (_, index) => `At step ${index} of the set-up`);

test("what may not be run ends its pod for good, beside a crash loop that would be normal alone", () => {
  const loops = [
    "NAME           READY   STATUS                  RESTARTS      AGE    NODE",
    "cilium-4q9lk   0/1     Init:CrashLoopBackOff   6 (80s ago)   7m2s   n3",
    "$ kubectl -n kube-system logs cilium-4q9lk -c mount-cgroup",
  ];
  expect(named(...loops, "nsenter: failed to execute /opt/cni/bin/cilium-mount: Permission denied", ...goesOn)).toBe(
    "cni-install-failed",
  );
  expect(named(...loops, ...goesOn)).toBe("unclassified");
});

const gpu = (level: string, said: string): string => `${level}0722 09:04:31.056422   12118 utils.go:355] ${said}`;

test("a failure that seemed got over is named where it is said once more behind that", () => {
  const failed = [
    gpu("E", "ERROR: Unable to load the kernel module 'nvidia.ko'."),
    gpu("I", "Successfully load key gpu-key into keyring %keyring:.secondary_trusted_keys."),
  ];
  const again = gpu(
    "E",
    "failed to run GPU driver installer: failed to load module nvidia: failed to insmod: exit status 1",
  );
  expect(named(...failed)).not.toBe("gpu-driver-install-failed");
  expect(named(...failed, again)).toBe("gpu-driver-install-failed");
  const before = gpu("E", "WARNING: nvidia-installer was forced to guess the X library path '/usr/lib64'");
  expect(named(before, ...failed, again)).toBe("gpu-driver-install-failed");
});

test("what is said behind a failure that was not got over is the same failure", () => {
  const failed = gpu("E", "ERROR: Unable to load the kernel module 'nvidia.ko'.");
  const again = gpu(
    "E",
    "failed to run GPU driver installer: failed to load module nvidia: failed to insmod: exit status 1",
  );
  const matcher = createMatcher(rules, { platform: "linux" });
  matcher.feed({ source: "system", origin: "a.log" }, Buffer.from(`${failed}\n${again}\n`));
  const diagnosis = rankFindings(matcher.finish());
  expect(diagnosis).toMatchObject({ kind: "classified", primary: { cause: "gpu-driver-install-failed" } });
  expect(diagnosis.others).toEqual([]);
});

const windowsLog = (said: string): string => `2026-05-12 09:44:10.868 3920 ${said}`;

test("user data that cloudbase-init could not run is its failure, whatever it goes on with", () => {
  const end = [
    windowsLog("INFO cloudbaseinit.plugins.common.userdatautils [-] User_data stdout:"),
    "None",
    windowsLog("INFO cloudbaseinit.plugins.common.userdatautils [-] User_data stderr:"),
    "None",
    windowsLog("INFO cloudbaseinit.init [-] Plugins execution done"),
  ];
  const ran = windowsLog(
    "WARNING cloudbaseinit.plugins.common.userdatautils [-] An error occurred during user_data execution: '[WinError 2] The system cannot find the file specified'",
  );
  expect(namedOnWindows(ran, ...end)).toBe("cloudbase-init-plugin-failed");
  expect(namedOnWindows(...end)).toBe("unclassified");
});

test("a script that PowerShell cannot read did not run", () => {
  const answer = (message: string): readonly string[] => [
    "{",
    '  "value": [',
    '    { "code": "ComponentStatus/StdOut/succeeded", "displayStatus": "Provisioning succeeded",',
    `      "message": "${message}"`,
    "    },",
    '    { "code": "ComponentStatus/StdErr/succeeded", "displayStatus": "Provisioning succeeded", "level": "Info",',
    '      "message": "" }',
    "  ]",
    "}",
  ];
  const unread = String.raw`At C:\\AzureData\\Setup.ps1:81 char:602\n+ ... = \"Linux node ad ...\nUnexpected token 'Linux' in expression or statement.`;
  expect(namedOnWindows(...answer(unread))).toBe("cloud-init-scripts-failed");
  expect(namedOnWindows(...answer("Expected token found in statement 81."))).toBe("unclassified");
});

test("a program that its supervisor cannot find does not come by itself, in whatever order events are listed", () => {
  const list = (ended: string): readonly string[] => [
    "PS C:\\> Get-EventLog -LogName Application -Source rke2 | select-object ReplacementStrings | format-table -wrap",
    `{containerd exited: ${ended}}`,
    "{Running containerd -c C:\\var\\lib\\rancher\\rke2\\agent\\etc\\containerd\\config.toml}",
    "{Creating rke2-cert-monitor event broadcaster}",
    "{Pulling runtime image index.docker.io/rancher/rke2-runtime:v1.31.14-rke2r1-windows-amd64}",
    "{Starting rke2 agent v1.31.14+rke2r1}",
  ];
  expect(namedOnWindows(...list('exec: "containerd": executable file not found in %PATH%'))).toBe(
    "container-runtime-not-running",
  );
  expect(namedOnWindows(...list("signal: terminated"))).toBe("unclassified");
});

test("a download that PowerShell's own client was refused goes before what lacks its file", () => {
  const behind = [
    "At C:\\k\\helper.v2.psm1:1032 char:9",
    "tar.exe: Error opening archive: Failed to open 'C:\\Temp\\kubernetes-node-windows-amd64.tar.gz'",
    "Copy-Item : Cannot find path 'C:\\Temp\\kubernetes\\node\\bin\\kubelet.exe' because it does not exist.",
    "At C:\\k\\helper.v2.psm1:1571 char:5",
  ];
  const refused =
    'Exception calling "DownloadFile" with "2" argument(s): "The remote server returned an error: (404) Not Found."';
  expect(namedOnWindows("Downloading Kubernetes Binaries", refused, ...behind)).toBe("http-download-failed");
  expect(namedOnWindows("Downloading Kubernetes Binaries", ...behind.slice(2))).toBe("kubelet-not-running");
});

test("a package may be called after SELinux", () => {
  const problem = (needs: string): string =>
    `Problem: nothing provides '${needs} >= 2.191.0-1' needed by the to be installed k3s-selinux-1.4-1.sle.noarch`;
  const solution = " Solution 1: do not install k3s-selinux-1.4-1.sle.noarch";
  expect(named("Resolving package dependencies...", problem("container-selinux"), solution)).toBe("package-not-found");
  expect(named("Resolving package dependencies...", "error: SELinux is enabled, and its policy denied runc")).toBe(
    "selinux-or-apparmor-denied",
  );
});

test("what k0s rejects of its host is named by it", () => {
  const fact = (name: string, found: string): string => `    cgroup controller "${name}": ${found}`;
  const rejected = 'unexpected file system type of "/sys/fs/cgroup": 0x62656572 (rejected)';
  const head = ["wk:~# k0s sysinfo | grep -v '(pass)'", "Operating system: Linux"];
  const modules = ["  CONFIG_BRIDGE_NETFILTER: Bridged IP/ARP packets filtering: module"];
  expect(named(...head, fact("cpu", rejected), fact("memory", rejected), ...modules)).toBe(
    "host-environment-restricted",
  );
  expect(named(...head, fact("cpu", "available"), fact("memory", "available"), ...modules)).toBe("unclassified");
});

test("who was asked to fetch something and who asked for it both say with the log's end that nobody answered", () => {
  const at = (second: number, said: string): string => `8/30/2026 7:05:${10 + second} AM ${said}`;
  const cut =
    "read tcp 10.44.0.7:50112->104.18.122.25:443: wsarecv: An established connection was aborted by the software in your host machine.";
  const begun = [0, 1, 2, 3, 4].map((second) => at(second, "[K8s] Processing secret made-up"));
  expect(namedOnWindows(...begun, at(6, `error while staging: ${cut}`), at(7, `error executing 0: ${cut}`))).toBe(
    "http-download-failed",
  );
  expect(namedOnWindows(...begun, at(6, `error while staging: ${cut}`))).toBe("unclassified");
  // A long log goes on behind what was kept of it.
  const long = [...begun, ...begun, ...begun];
  expect(namedOnWindows(...long, at(6, `error while staging: ${cut}`), at(7, `error executing 0: ${cut}`))).toBe(
    "unclassified",
  );
});

const scripts = (said: string): string => `2026/04/02 09:22:31 GCEMetadataScripts: windows-startup-script-ps1: ${said}`;

test("the start-up script of a machine on GCE says itself that it failed", () => {
  const end = [
    scripts("At C:\\k8s-node-setup.psm1:1549 char:14"),
    "GCEMetadataScripts: Finished running startup scripts.",
  ];
  expect(
    namedOnWindows(...end, scripts("Kubernetes Windows node setup failed: Cannot bind argument."), ...goesOn),
  ).toBe("cloud-init-scripts-failed");
  expect(namedOnWindows(...end, scripts("Set-EnvironmentVars: done"), ...goesOn)).toBe("unclassified");
});

const agent = (date: string, said: string): string => `${date} n1 elemental-system-agent[1204]: ${said}`;

test("a certificate that was not valid yet is over where the clock was set and the same unit goes through its steps", () => {
  const early =
    'panic: Get "https://192.0.2.40/version": x509: certificate has expired or is not yet valid: current time 2026-11-03T12:01:02Z is before 2026-11-28T00:00:00Z';
  const ended = [
    agent("Nov 03 12:01:02", early),
    "Nov 03 12:01:02 n1 systemd[1]: elemental-system-agent.service: Main process exited, code=exited, status=2/INVALIDARGUMENT",
  ];
  const step = (time: string): string => `time="${time}" level=info msg="Starting remote watch of plans"`;
  expect(named(...ended, agent("Dec 08 15:44:22", step("2026-12-08T15:44:22Z")))).toBe("unclassified");
  expect(named(...ended, agent("Nov 03 12:01:09", step("2026-11-03T12:01:09Z")))).toBe("clock-skew");
  expect(named(...ended, agent("Dec 08 15:44:22", step("2000-12-08T15:44:22Z")))).toBe("clock-skew");
  expect(named(...ended, `Dec 08 15:44:22 n1 made-up[7]: ${step("2026-12-08T15:44:22Z")}`)).toBe("clock-skew");
});

test("a size without a temporary disk is no failure, a disk that cannot be mounted is one", () => {
  const said = (why: string): string =>
    `2026-11-20T06:30:12.557684Z ERROR Daemon Daemon Failed to mount resource disk [ResourceDiskError] ${why}`;
  const firewall =
    "2026-11-20T06:30:14.561047Z ERROR ExtHandler ExtHandler Unable to setup the persistent firewall rules: [Errno 30] Read-only file system: '/lib/systemd/system/waagent-network-setup.service'";
  const lease =
    "2026-11-20T06:30:14.583788Z ERROR EnvHandler ExtHandler Failed to get the PID of the DHCP client: invalid literal for int() with base 10: 'MainPID=1712'";
  expect(named(said("unable to detect disk topology"), firewall, lease)).toBe("unclassified");
  expect(named(said("Could not mount /dev/sdb1: [32] mount: wrong fs type"), firewall, lease)).toBe(
    "disk-mount-failed",
  );
});
