import { expect, test } from "@jest/globals";
import { named, namedOnWindows } from "./named-cause.ts";

const at = "Apr 09 13:02:41 md-0-7tqvz";
const lost = (second: number): string =>
  `${at} kubelet[1390]: E0409 13:02:4${second}.507811    1390 controller.go:195] "Failed to update lease" err="Put \\"https://192.0.2.10:6443/apis/coordination.k8s.io/v1/leases/md-0-7tqvz\\": dial tcp 192.0.2.10:6443: connect: connection refused"`;
const losses = [1, 2, 3, 4, 5, 6].map(lost);
const list = (...rows: readonly string[]): readonly string[] => [
  "$ kubectl get nodes",
  "NAME         STATUS   ROLES    AGE   VERSION",
  ...rows,
];
const isReady = "md-0-7tqvz   Ready    <none>   41d   v1.33.5";
const isNotReady = "md-0-7tqvz   NotReady <none>   41d   v1.33.5";
const another = "cp-1         Ready    control-plane   41d   v1.33.5";

test("a machine that stands as ready in the list at the end has got over what failed, whatever it was", () => {
  expect(named(...losses)).toBe("api-server-unreachable");
  expect(named(...losses, ...list(isReady))).toBe("unclassified");
  expect(named(...losses, ...list(another, isReady))).toBe("unclassified");
});

test("a list shows nothing of a machine that it does not name, of one that is not ready, and of what came behind it", () => {
  expect(named(...losses, ...list(another))).toBe("api-server-unreachable");
  expect(named(...losses, ...list(another, isNotReady))).toBe("api-server-unreachable");
  expect(named(`${at} kubelet[1390]: Starting`, ...list(isReady), ...losses)).toBe("api-server-unreachable");
  expect(named(...losses, ...list(isReady), "(later)", ...list(isNotReady))).toBe("api-server-unreachable");
  expect(named(...losses, ...list(isNotReady), "(later)", ...list(isReady))).toBe("unclassified");
});

test("a machine is known by the line's own host, by the prompt above it, or by its name in what the command showed", () => {
  const noKey = "NO_PUBKEY 234654DA9A296436";
  const failed = [
    `W: GPG error: https://packages.example InRelease: The following signatures couldn't be verified: ${noKey}`,
    "E: The repository 'https://packages.example InRelease' is not signed.",
  ];
  expect(named(...failed)).toBe("apt-repository-failed");
  expect(named("root@md-0-7tqvz:~# apt-get update", ...failed, ...list(isReady))).toBe("unclassified");
  expect(named("root@worker-9:~# apt-get update", ...failed, ...list(isReady))).toBe("apt-repository-failed");
  expect(named("worker-9:~ # apt-get update", ...failed, ...list(isReady))).toBe("apt-repository-failed");
  expect(named(...failed, "NODENAME=md-0-7tqvz", ...list(isReady))).toBe("unclassified");
  // An endpoint, and who is asked for the list, are other machines.
  expect(named(...failed, "+ kubeadm join md-0-7tqvz:6443", ...list(isReady))).toBe("apt-repository-failed");
  expect(named(...failed, "and on the md-0-7tqvz:", "", ...list(isReady).slice(1))).toBe("apt-repository-failed");
  expect(named(...failed, "root@md-0-7tqvz:~# kubectl get nodes", ...list(isReady).slice(1))).toBe(
    "apt-repository-failed",
  );
  const task =
    'fatal: [worker-9]: FAILED! => {"msg": "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 9"}';
  expect(named("ok: [md-0-7tqvz]", task, ...list(isReady))).toBe("apt-lock-held");
  expect(named("ok: [cp-1]", task.replace("worker-9", "md-0-7tqvz"), ...list(isReady))).toBe("unclassified");
});

test("where no line and no prompt says whose it is, the machine is the one that is named anywhere", () => {
  const failed =
    "Error: open /var/run/secrets/kubernetes.io/serviceaccount/namespace: The system cannot find the path specified.";
  const shown = [
    "PS C:\\> Get-Content calico-node.log",
    "Using node name md-0-7tqvz",
    "PS C:\\> Get-Content token.log",
    failed,
  ];
  const asked = ["PS C:\\> kubectl get nodes", ...list(isReady).slice(1)];
  expect(namedOnWindows(...shown)).toBe("cni-install-failed");
  expect(namedOnWindows(...shown, ...asked)).toBe("unclassified");
});

test("one that is not ready in the list may be the one that failed, whatever it is called there", () => {
  expect(named(...losses, ...list(isReady, "ip-10-10-0-21 NotReady <none> 4m v1.33.5"))).toBe("api-server-unreachable");
});

test("a node is ready for a while after its kubelet has ended", () => {
  const end = `${at} kubelet[1390]: E0409 13:02:47.507811    1390 run.go:74] "command failed" err="failed to parse kubelet flag: unknown flag: --made-up"`;
  expect(named(end, ...list(isReady))).toBe("kubelet-config-invalid");
  expect(named(end, `${at} systemd[1]: Started kubelet.service.`, ...list(isReady))).toBe("unclassified");
  // A command that ended leaves no node that stays ready for a while.
  const swap =
    "error execution phase preflight: [ERROR Swap]: running with swap on is not supported. Please disable swap";
  expect(named("root@md-0-7tqvz:~# kubeadm join", swap)).toBe("swap-enabled");
  expect(named("root@md-0-7tqvz:~# kubeadm join", swap, ...list(isReady))).toBe("unclassified");
});

test("the list counts in a log that is too long for what else goes well", () => {
  const long = Array.from({ length: 30 }, (_, index) => `${at} kubelet[1390]: step ${index}`);
  expect(named(...long, ...losses)).toBe("api-server-unreachable");
  expect(named(...long, ...losses, ...list(isReady))).toBe("unclassified");
});

const nodeup = (said: string): string => `Feb 09 06:02:58 n1 nodeup[1790]: ${said}`;
const unit = (said: string): string => `Feb 09 06:12:52 n1 systemd[1]: kops-configuration.service: ${said}`;
const noDocker = nodeup(
  `W0209 06:02:58.330021    1790 executor.go:128] error running task "LoadImageTask/kube-proxy" (9m53s remaining to succeed): error loading docker image with 'docker load': exec: "docker": executable file not found in $PATH`,
);

const starting = (second: string): string =>
  `Feb 09 06:${second} n1 systemd[1]: Starting Run kops bootstrap (nodeup)...`;
const finished = "Feb 09 06:13:57 n1 systemd[1]: Started Run kops bootstrap (nodeup).";
const ended = [unit("Main process exited, code=exited, status=1/FAILURE"), unit("Failed with result 'exit-code'.")];
const runtime = "container-runtime-not-running";

test("a unit that ended badly and then did what it is for has got over what it said before", () => {
  const attempt = [starting("02:40"), noDocker, ...ended];
  const again = [starting("13:02"), unit("Succeeded."), finished];
  expect(named(...attempt, starting("13:02"))).toBe(runtime);
  expect(named(...attempt, ...again)).toBe("unclassified");
  expect(named(...attempt, ...again, ...attempt)).toBe(runtime);
  // Of another unit, of one that only found that it had given up, and of one that somebody stops.
  expect(named(...attempt, ...again.map((line) => line.replaceAll("kops-configuration", "x-kops-configuration")))).toBe(
    runtime,
  );
  expect(named(...attempt, starting("13:02"), nodeup("tried before, giving up"), ...again.slice(1))).toBe(runtime);
  expect(named(...attempt, starting("13:02"), unit("Succeeded."), finished.replace("Started", "Stopped"))).toBe(
    runtime,
  );
});

test("a unit that did what it is for says nothing of what others said, and a daemon's good end nothing of itself", () => {
  const again = [starting("13:02"), unit("Succeeded."), finished];
  expect(named(noDocker, starting("02:40"), ...ended, ...again)).toBe(runtime);
  expect(named(noDocker, ...ended, ...again)).toBe(runtime);
  const daemon = [starting("02:40"), noDocker, ...ended, ...again].map((line) =>
    line.replaceAll("kops-configuration", "kubelet"),
  );
  expect(named(...daemon)).not.toBe("unclassified");
});

test("what MicroK8s' inspect misses on a worker is not missing where the unit says that it is not needed", () => {
  const inspect = [
    "Inspecting services",
    "  Service snap.microk8s.daemon-kubelite is running",
    " FAIL:  Service snap.microk8s.daemon-k8s-dqlite is not running",
  ];
  const done =
    "Mar 22 07:02:13 n2 microk8s.daemon-k8s-dqlite[9871]: Will not run along with k8s-dqlite on this node, it is a worker";
  expect(named(...inspect)).toBe("datastore-failed");
  expect(named(...inspect, done)).toBe("unclassified");
});

test("that a step failed is over with its reason", () => {
  const failed = [
    'time="10:03:25 UTC" level=error msg="ssh: installing kubeadm and kubectl and kubelet',
    "ssh: exec",
    "Process exited with status 100",
    "stderr: + sudo apt-get update",
    "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 2210 (unattended-upgr)",
    'time="10:03:25 UTC" level=warning msg="Retrying task..."',
  ];
  const installed = 'time="10:07:40 UTC" level=info msg="Kubernetes cluster has been initialized..."';
  expect(named(...failed, installed)).toBe("unclassified");
  const steps = Array.from({ length: 9 }, (_, index) => `stdout: step ${index}`);
  expect(named(...failed.slice(0, 4), ...steps, ...failed.slice(4), installed)).not.toBe("unclassified");
  expect(named(...failed, installed, "error execution phase kubelet-start: kubelet failed")).not.toBe("unclassified");
});

test("that a step failed is over with a reason just above it, unless something went well between them", () => {
  const lock = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 2214 (unattended-upgr)";
  const ended =
    'time="09:52:07 UTC" level=warning msg="Task failed, error was: ssh: installing kubelet: Process exited with status 100"';
  const retry = 'time="09:52:12 UTC" level=warning msg="Retrying task..."';
  const done = "Setting up kubelet (1.32.6-1.1) ...";
  expect(named(lock, ended, retry, done)).toBe("unclassified");
  expect(named(lock, retry, ended, done)).toBe("unclassified");
  expect(named(ended, retry)).toBe("kubelet-not-running");
  expect(named(lock, done, ended)).toBe("kubelet-not-running");
  expect(named(lock, "a", "b", "c", ended, retry, done)).toBe("kubelet-not-running");
});

test("what another command showed, and what failed later, is no reason of a step", () => {
  const step = "error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster";
  const lock = [
    "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 911 (apt-get)",
    "Waiting for cache lock: Could not get lock /var/lib/apt/lists/lock. It is held by process 911 (apt-get)... retrying",
    "Fetched 270 kB in 2s (120 kB/s)",
  ];
  expect(named(step, ...lock)).toBe("unclassified");
  expect(named(step, "root@n27:~# apt-get update", ...lock)).toBe("join-timeout-unknown");
  const dated = (second: number, said: string): string => `2026-03-02 07:14:${second},118 - ${said}`;
  const script =
    "cc_scripts_user.py[WARNING]: Failed to run module scripts-user (scripts in /var/lib/cloud/instance/scripts)";
  const asked =
    "url_helper.py[WARNING]: Calling 'http://169.254.169.254/metadata' failed [0/9s]: connection refused, retrying";
  const got =
    "url_helper.py[DEBUG]: Read from http://169.254.169.254/metadata (200, 99b) after 2 attempts, successfully";
  expect(named(dated(20, script), dated(21, asked), dated(22, got))).toBe("cloud-init-scripts-failed");
});

test("what says more than that a step failed is not over with what failed and was got over below it", () => {
  const lock = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 2210 (unattended-upgr)";
  const got = "dpkg: lock /var/lib/dpkg/lock-frontend acquired";
  const mount = "mount: /var/lib/etcd: wrong fs type, bad option, bad superblock on /dev/sdc1.";
  expect(named(lock, got)).toBe("unclassified");
  expect(named(mount, lock, got)).toBe("disk-mount-failed");
});

test.each([
  "ERROR ExtHandler Event: name=WALinuxAgent, op=HealthObservation, message=failed to connect to 169.254.169.254, duration=0",
  'E1011 05:20:16.214050    6872 kubelet_volumes.go:245] "There were many similar errors" err="orphaned pod \\"b1fd\\" found, but error not a directory"',
  'time="2026-08-05T09:22:01Z" level=error msg="Sending HTTP/1.1 502 response to 127.0.0.1:48996: write: connection reset by peer"',
  "ERRO[2026-02-05 11:40:12] Writing clean shutdown supported file: open /var/lib/crio/clean.shutdown.supported: no such file or directory",
  'WARN[2026-02-05 11:40:12] \'runc is being ignored due to: "\\"runc\\" not found in $PATH: exec: \\"runc\\": executable file not found in $PATH"',
  'E0411 nestedpendingoperations.go:348] Operation for "{volumeName:kubernetes.io/configmap/7f}" failed. Error: failed to sync configmap cache: timed out waiting for the condition',
  'kernel: EXT4-fs (sda1): mounting with "discard" option, but the device does not support discard',
  'ignition[611]: failed to read system config "/usr/lib/ignition/user.ign": no such file or directory; not a config URL',
])("what a healthy machine says is no cause: %s", (line) => {
  expect(named(line)).toBe("unclassified");
  expect(namedOnWindows(line)).toBe("unclassified");
});
