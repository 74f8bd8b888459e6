import { expect, test } from "@jest/globals";
import { causeIn, causeOf, quiet } from "./cause-of.ts";

const refused =
  'Apr 02 08:15:00 node-1 kubelet[12]: E0402 08:15:00.120044 12 made_up.go:1] "Unable to list" err="Get \\"https://10.1.0.9:6443/api/v1/made-up\\": dial tcp 10.1.0.9:6443: connect: connection refused"';

test("an error that is tried again does not count where the log goes on", () => {
  expect(causeOf(refused, ...quiet(9))).toBe("unclassified");
});

test("an error that is tried again counts where the log has hardly anything else", () => {
  expect(causeOf(quiet(1)[0] ?? "", refused, refused.replace("made-up", "other"))).toBe("api-server-unreachable");
});

test("an error that is tried again counts where nothing but errors follow it", () => {
  const after = (name: string): string =>
    `Apr 02 08:15:09 node-1 kubelet[12]: E0402 08:15:09.120044 12 made_up.go:1] "Unable to sync" err="${name}"`;
  const errors = [after("one"), after("two"), after("three"), after("four")];
  expect(causeOf(...quiet(2), refused, ...errors)).toBe("api-server-unreachable");
  expect(causeOf(...quiet(9), refused, ...errors, quiet(1)[0] ?? "")).toBe("unclassified");
});

test("one or two lines that somebody cut out speak for themselves", () => {
  expect(causeOf(refused)).toBe("api-server-unreachable");
});

test("what Talos's controllers try again does not count at the end of a log", () => {
  const line =
    '[talos] 2026/04/02 08:15:00 made-up watcher failed to start {"component": "controller-runtime", "error": "open /dev/made-up: input/output error"}';
  expect(causeOf(...quiet(6), line)).toBe("unclassified");
});

test("Ignition has done its work where the real system was reached after it", () => {
  const failed =
    '[   15.1] ignition[1044]: CRITICAL : files: op(f): [failed]   mounting "/dev/sdz9" at "/mnt/made-up": device or resource busy';
  const agent = "2026-04-02T08:15:49.020850Z INFO Daemon Daemon Azure Linux Agent Version:2.11.1.4";
  expect(causeOf(failed, ...quiet(4))).toBe("disk-mount-failed");
  expect(causeOf(failed, ...quiet(4), agent)).toBe("unclassified");
});

test.each([
  ["selinux-or-apparmor-denied", "error during container init: write /proc/self/attr/keycreate: invalid argument"],
  ["etcd-member-add-failed", "Error: failed to add learner member cp-2 to etcd cluster: cluster is unhealthy"],
  ["outbound-connectivity-blocked", "E: Failed to fetch http://mirror.example/dists/InRelease 470 status code 470"],
  ["ignition-fetch-failed", "[  *** ] Job ignition-fetch.service/start running (37min 3s / no limit)"],
  ["vm-extension-failed", "ERROR ExtHandler ExtHandler Dependent Extension Made.Up did not succeed. Status was error"],
  [
    "host-environment-restricted",
    'E0402 08:15:00.1 1 x.go:1] "Failed" err="open /proc/sys/kernel/panic: permission denied"',
  ],
])("a sentence that no rule knows is read as %s", (cause, line) => {
  expect(causeOf(line)).toBe(cause);
});

test("a program that only the user's own script needs is not one that the node lacks", () => {
  const line = "/var/lib/cloud/instance/scripts/part-001: line 17: made-up-tool: command not found";
  const failed = "2026-04-02 08:15:00,118 - cc_scripts_user.py[WARNING]: Failed to run module scripts_user";
  expect(causeOf(line.replace("made-up-tool", "conntrack"), failed)).toBe("preflight-binary-missing");
  expect(causeOf(line, failed)).not.toBe("dns-resolution-failed");
});

test("a short log that complains of one cause, and ends in a warning of it or in its consequences, speaks for itself", () => {
  const warning =
    "[WARNING][9] startup/made_up.go 99: Unable to auto-detect an address: no valid host interfaces found";
  expect(causeOf(...quiet(3), warning)).toBe("cni-install-failed");
  expect(causeOf(warning, ...quiet(3))).toBe("unclassified");
  const consequence = refused.replace(/err=.*/u, 'err="made-up sandbox failed"');
  expect(causeOf(...quiet(2), refused, consequence, ...quiet(2))).toBe("api-server-unreachable");
  expect(causeOf(...quiet(2), refused, ...quiet(2))).toBe("unclassified");
});

test("a container's log names its program by where it lies", () => {
  const line = "2026-04-02T08:15:00.120044009Z stderr F Error: unknown flag: --made-up";
  const log = "/var/log/pods/kube-system_kube-apiserver-node-1_0a1b2c/kube-apiserver/5.log";
  expect(causeIn(log, line)).toBe("control-plane-component-crash");
  expect(causeIn(log.replaceAll("kube-apiserver", "kube-proxy"), line)).toBe("cni-install-failed");
  expect(causeOf(line)).not.toBe("control-plane-component-crash");
});

const ended = "systemd[1]: k3s.service: Main process exited, code=exited, status=1/FAILURE";

test("a line that names no program is of the only one that its log speaks of", () => {
  const said = 'F0402 08:15:00.120044 12 made_up.go:7] the data directory has existing state: "made-up"';
  expect(causeOf(...quiet(3), said, `Apr 02 08:15:09 node-1 ${ended}`)).toBe("node-already-joined");
});

test("a line that names no program is nobody's where its log speaks of several", () => {
  const said = "F0402 08:15:00.120044 12 made_up.go:7] made-up configuration: value does not match";
  const k3s = `Apr 02 08:15:09 node-1 ${ended}`;
  const etcd = '{"level":"error","caller":"etcdserver/made_up.go:9","msg":"made-up failure"}';
  expect(causeOf(...quiet(3), said, k3s)).toBe("distribution-config-invalid");
  expect(causeOf(...quiet(3), said, k3s, etcd)).not.toBe("distribution-config-invalid");
});

test("an excerpt that speaks of one cause over and over names it, one that says it once does not", () => {
  const reset =
    "E0402 08:15:00.120044 12 made_up.go:134] Failed to list *v1.MadeUp: Get https://127.0.0.1:6443/apis/made-up: read tcp 127.0.0.1:40112->127.0.0.1:6443: read: connection reset by peer";
  expect(causeOf(reset, reset.replace("MadeUp", "Other"), ...quiet(6))).toBe("api-server-unreachable");
  expect(causeOf(reset, ...quiet(7))).toBe("unclassified");
});

test("an excerpt that speaks of two causes names neither", () => {
  const reset = "made_up.go:134: Failed to list *v1.MadeUp: Get https://127.0.0.1:6443/apis: connection reset by peer";
  const full = "made_up.go:134: Failed to write the made-up file: x509: certificate signed by unknown authority";
  expect(causeOf(reset, full, ...quiet(8))).toBe("unclassified");
});

test("what a daemon warned of behind its end belongs to its next start", () => {
  const warned =
    'time="2026-04-02T08:15:02Z" level=warning msg="made-up datastore file /var/lib/k0s/db/state.db does not exist"';
  const end = 'time="2026-04-02T08:15:01Z" level=warning msg="made-up component ended: exit status 1" component=x';
  expect(causeOf(...quiet(3), end, warned, ...quiet(9))).toBe("unclassified");
});

test("a wait that no waiting cures is an end, any other is not", () => {
  const waits = (why: string): string =>
    `time="2026-04-02T08:15:02Z" level=info msg="Waiting to retrieve agent configuration; server is not ready: ${why}"`;
  const overlay = 'the made-up \\"overlayfs\\" snapshotter: permission denied';
  expect(causeOf(waits(overlay), ...quiet(20))).toBe("host-environment-restricted");
  const refused = 'Get \\"https://127.0.0.1:6444/cacerts\\": connection refused';
  expect(causeOf(waits(refused), ...quiet(20))).toBe("unclassified");
});

test("apt's last word is its end", () => {
  const locked = "dpkg: made-up error: the database is locked by another process";
  expect(causeOf(...quiet(3), locked, "E: Made-up sub-process returned an error code (2)", ...quiet(9))).toBe(
    "apt-lock-held",
  );
  expect(causeOf(...quiet(3), locked, ...quiet(20))).toBe("unclassified");
});

const strict =
  'strict.go:54] error unmarshaling configuration schema.GroupVersionKind{Group:"kubeadm.k8s.io", Version:"v1beta3", Kind:"InitConfiguration"}: error unmarshaling JSON: while decoding JSON: json:';

test.each([
  `W0402 08:15:00.120044 12 ${strict} unknown field "madeUp"`,
  'I0402 08:15:00.120044 12 image_gc_manager.go:310] "Disk usage on image filesystem is over the high threshold, trying to free bytes down to the low threshold" usage=86',
  "[   21.1] ignition[612]: GET result: Not Found",
  "[   21.1] ignition[612]: PUT result: OK",
  'level=info msg="Made-up routing requires kernel 5.10 or newer. Falling back to legacy." subsys=daemon',
  'level=warning msg="Made-up manager needs kernel 5.1 or newer. Disabling the feature." subsys=daemon',
  "mount: /made-up: WARNING: source write-protected, mounted read-only.",
  "Apr 02 08:15:00 node-1 systemd[1]: made-up.mount: Deactivated successfully.",
  "Apr 02 08:15:00 node-1 (modprobe)[812]: made-up.service: Executable /sbin/modprobe missing, skipping: No such file or directory",
  "I0402 08:15:00.120044 12 local.go:157] [etcd] Adding etcd member: https://10.0.0.6:2380",
  "taints: - key: node.cloudprovider.kubernetes.io/uninitialized",
  'time="2026-04-02T08:15:00Z" level=warning msg="unknown made-up setting --made-up, skipping\\n"',
  String.raw`E0402 08:15:00.120044 12 made_up.go:1] "Failed to watch" err="made-ups is forbidden: User \"system:k3s-controller\" cannot list resource"`,
  'time="2026-04-02T08:15:00Z" level=error msg="Remotedialer proxy error" error="dial tcp 10.1.0.9:9345: connect: connection refused"',
  'time="2026-04-02T08:15:00Z" level=warning msg="no made-up endpoint found, retrying" error="connection refused"',
  "{made-up agent exited: exit status 1. Retrying}",
])("what goes on is not blamed, alone or within a log: %s", (line) => {
  expect(causeOf(line)).toBe("unclassified");
  expect(causeOf(...quiet(5), line, ...quiet(5))).toBe("unclassified");
});

test.each([
  ["kubeadm-config-invalid", `${strict} cannot unmarshal bool into Go struct field APIServer.madeUp of type string`],
  ["kubeadm-config-invalid", 'couldn\'t use "made-up0" as "apiserver-advertise-address", must be ipv4 or ipv6 address'],
  [
    "disk-full",
    'E0402 08:15:00.1 12 x.go:1] "Made up" err="failed to garbage collect required amount of images. freed 0 bytes"',
  ],
  ["ignition-fetch-failed", "[   21.1] ignition[612]: PUT result: Forbidden"],
  [
    "disk-mount-failed",
    "Apr 02 08:15:00 node-1 systemd[1]: made-up.mount: Mount process exited, code=exited status=32",
  ],
  ["snap-install-failed", "erreur : system does not fully support snapd: made up"],
  [
    "selinux-or-apparmor-denied",
    "Apr 02 08:15:00 node-1 (made-up)[9]: made-up.service: Failed at step EXEC spawning /usr/bin/made-up: Permission denied",
  ],
  [
    "host-environment-restricted",
    "Apr 02 08:15:00 node-1 systemd[1]: made-up.service: Main process exited, code=exited, status=226/NAMESPACE",
  ],
  ["kubelet-not-running", "FAIL:  Service snap.microk8s.daemon-kubelet is not running"],
  [
    "port-in-use",
    "[Azure CNS] Failed to start made-up listener: listen tcp 127.0.0.1:10091: bind: address already in use",
  ],
  [
    "ignition-config-invalid",
    "ignition[7]: CRITICAL : failed to create users/groups: exit status 6: group does not exist",
  ],
  ["vm-extension-timeout", "ERROR ExtHandler ExtHandler [ExtensionError] Timeout(300): made/up.sh"],
  ["disk-mount-failed", "k3s[1]: FATA[0001] open /var/made-up: read-only file system on disk /dev/sdz"],
  ["host-environment-restricted", "kubelet[1]: F0402 08:15:00.1 1 x.go:1] mkdir /usr/made-up: read-only file system"],
  [
    "container-runtime-conflict",
    "containerd: listener for made-up: open //./pipe/containerd-made-up: Access is denied.",
  ],
])("what is over is %s where the log goes on: %s", (cause, line) => {
  expect(causeOf(...quiet(5), line, ...quiet(5))).toBe(cause);
});

test("a warning that a tool quotes in its own failure is not the failure", () => {
  const warned =
    'W1009 16:18:23.949753 16563 strict.go:54] error unmarshaling configuration: json: unknown field "madeUp"';
  const said = 'couldn\'t use "x" as "apiserver-advertise-address", must be ipv4 or ipv6 address';
  expect(causeOf(`[ERROR] failed to execute command(made-up) on host(10.10.101.32): error(${warned}`, said)).toBe(
    "kubeadm-config-invalid",
  );
});

test("a warning in more than one wording lasts where the log says hardly anything else", () => {
  const first = 'time="2026-04-02T08:15:02Z" level=warning msg="made-up call of etcd: context deadline exceeded"';
  const second = 'time="2026-04-02T08:15:02Z" level=warning msg="no made-up answer from etcd: i/o timeout"';
  const round = [first, second, quiet(1)[0] ?? ""];
  expect(causeOf(...round, ...round)).toBe("etcd-unhealthy");
  expect(causeOf(...quiet(9), ...round, ...quiet(9))).toBe("unclassified");
});

test("what is normal in an error's words is no cause", () => {
  const module = "2026-04-02 08:15:00,118 - stages.py[WARNING]: Could not find module named cc_made_up";
  expect(causeOf(module)).toBe("unclassified");
  const waits =
    'time="2026-04-02T08:15:00Z" level=debug msg="Still waiting for the cluster to initialize: Multiple errors are preventing progress: Could not update role \\"made-up\\": the kube-apiserver does not match"';
  expect(causeOf(waits)).toBe("unclassified");
  expect(causeOf(waits.replace("level=debug", "level=fatal"))).toBe("control-plane-component-crash");
});

test("a check of old kubeadm that it goes past is not the one that stops it", () => {
  const warned = '[preflight] WARNING: hostname "md-0" lookup md-0 on 10.0.0.2:53: no such host';
  const stopped = ["[preflight] Some fatal errors occurred:", "\t/proc/sys/net/made-up contents are not set to 1"];
  expect(causeOf(warned, ...stopped)).toBe("preflight-kernel-params");
});

test("a container that does not know its flag ended with its usage", () => {
  const logs = [
    "root@cp-0:~# docker logs 11aa",
    "unknown flag: --made-up",
    "Usage of kube-apiserver:",
    "",
    ...quiet(8),
  ];
  expect(causeOf(...logs)).toBe("control-plane-component-crash");
  expect(causeOf(...logs.filter((line) => !line.startsWith("Usage")))).toBe("unclassified");
});

test("a network that is not ready counts where a short log says nothing else", () => {
  const unready = (seconds: number): string =>
    `Apr 02 08:15:${seconds} node-1 kubelet[12]: E0402 08:15:${seconds}.120044 12 kubelet.go:9] "Container runtime network not ready" networkReady="NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"`;
  const four = [unready(10), unready(15), unready(20), unready(25)];
  expect(causeOf("-- Logs begin --", ...four)).toBe("cni-not-ready");
  expect(causeOf(...four, ...quiet(6))).toBe("unclassified");
});

test.each([
  "2026-04-02 08:15:00.118203 W | etcdserver: made-up request to /registry/leases took too long (380.1ms) to execute, failure:<>",
  "E0402 08:15:00.120044 12 manager.go:1] Failed to create existing container: /kubepods.slice/made-up.scope: Error finding container 12ab: Status 404",
  'level=warning msg="unable to get stats for container 12ab: unable to load cgroup at made-up.slice: cgroup deleted"',
  "W0402 08:15:00.120044 12 made_up.go:1] Usage of made-up endpoints is deprecated and can cause kubelet errors in the future.",
  "10.1.0.4:22: W0402 08:15:00.120044 12 made_up.go:1] Usage of made-up endpoints is deprecated and can cause kubelet errors in the future.",
  'E0402 08:15:00.120044 12 kubelet.go:1] "Failed to check made-up space" err="unknown runtime: remote"',
])("what a running node tells of every day names no cause, though somebody cut it out: %s", (line) => {
  expect(causeOf(line)).toBe("unclassified");
  expect(causeOf(line, line.replace("08:15:00", "08:15:01"))).toBe("unclassified");
});

test.each([
  [
    "kernel-unsupported",
    'E0402 08:15:00.1 12 kubelet.go:1] "Failed to start ContainerManager" err="cannot prepare QOS containers: root container [kubepods] doesn\'t exist"',
  ],
  [
    "kernel-unsupported",
    "made-up runtime: cgroup manager.Set failed: openat2 /sys/fs/cgroup/made-up/cpu.weight: no such file or directory",
  ],
  [
    "hns-network-failed",
    `failed to setup network for sandbox "${"0a".repeat(32)}": failed to find HNSEndpoint ${"0b".repeat(32)}_flannel.4096: Endpoint ${"0b".repeat(32)}_flannel.4096 not found`,
  ],
  [
    "image-pull-failed",
    'Warning  Failed  3s  kubelet, made-up  Failed to pull image "a:1": Get https://made-up.example/v2/: x509: certificate signed by unknown authority',
  ],
  [
    "join-timeout-unknown",
    "W0402 08:15:00.1 12 configset.go:1] WARNING: kubeadm cannot validate component configs for API groups [kubelet.config.k8s.io]\n\ttimed out waiting for the condition",
  ],
])("what stands near is not what it was about: %s", (cause, line) => {
  expect(causeOf(line)).toBe(cause);
});

test("what the kubelet tried once in a short excerpt that goes on is no cause", () => {
  const summary = 'Apr 02 08:15:00 node-1 kubelet[12]: E0402 08:15:00.120044 12 made_up.go:9] "Failed to get summary"';
  expect(causeOf(summary, refused, ...quiet(4))).toBe("unclassified");
  expect(causeOf(...quiet(4), summary, refused)).toBe("api-server-unreachable");
  // Where its last word is another one on the same cause, it did not go on.
  const manager = refused
    .replaceAll("kubelet", "manager")
    .replace(/\w+\.go:\d+\] "[^"]*"/u, 'made_up.go:7] "Other words"');
  expect(causeOf(refused, ...quiet(4), manager)).toBe("api-server-unreachable");
});

test("an API server that asks itself is no other one that does not answer", () => {
  const list = (program: string): string =>
    `Apr 02 08:15:11 node-1 ${program}[7]: E0402 08:15:11.509218 7 reflector.go:136] Failed to list *api.Secret: Get "http://127.0.0.1:8080/api/v1/secrets": dial tcp 127.0.0.1:8080: connect: connection refused`;
  expect(causeOf(list("kube-apiserver"))).toBe("unclassified");
  expect(causeOf(list("made-up-agent"))).toBe("api-server-unreachable");
});

test("a request whose reason a screen cut off did not get through", () => {
  const cut = 'error execution phase preflight: Get "https://10.1.0.9:6443/api/v1/namespaces/kube-public/conf';
  expect(causeOf(cut)).toBe("api-server-unreachable");
});

test("containerd reads its network configuration again while somebody changes it", () => {
  const line = (event: string, why: string): string =>
    `time="2026-04-02T08:15:00Z" level=error msg="failed to reload cni configuration after receiving fs change event(${event} \\"/etc/cni/net.d/made-up\\")" error="cni config load failed: ${why}"`;
  expect(causeOf(line("REMOVE", "no network config found in /etc/cni/net.d"), ...quiet(3))).toBe("unclassified");
  expect(causeOf(line("WRITE", "error parsing configuration list: invalid character"))).toBe("cni-install-failed");
});

const talos = (controller: string, seconds: number): string =>
  `n1: user: warning: [2026-04-02T08:15:${String(seconds)}.1Z]: [talos] controller failed {"component": "controller-runtime", "controller": "${controller}", "error": "Get \\"https://10.61.0.4:6443/api/v1/made-up\\": dial tcp 10.61.0.4:6443: connect: connection refused"}`;

test("what two of Talos's controllers could not yet do is no cause, what they still cannot is one", () => {
  const lines = [talos("k8s.MadeUp", 10), talos("k8s.Other", 11)];
  expect(causeOf(...quiet(4), ...lines)).toBe("unclassified");
  expect(causeOf(...quiet(4), ...lines, talos("k8s.Third", 12))).toBe("api-server-unreachable");
});

test("a service that Talos could not start is a cause until it runs", () => {
  const state = (word: string): string => `[   18.1] [talos] service[etcd](${word}): made up`;
  expect(causeOf(...quiet(4), state("Failed"))).toBe("etcd-unhealthy");
  expect(causeOf(...quiet(4), state("Failed"), state("Running"))).toBe("unclassified");
  expect(causeOf(state("Failed"), ...quiet(30))).toBe("unclassified");
});

test.each([
  'E0402 08:15:00.1 12 summary.go:92] "Failed to get system container stats" err="failed to get cgroup stats for \\"/made-up\\": unknown container"',
  'type=AVC msg=audit(1.2:3): avc:  denied  { read } for  pid=7 comm="made-up" scontext=a:b:c:s0 permissive=1',
  "2026-04-02T08:15:00.074604Z  INFO made_up: made_up::imds: Retrying to get a response in 2 sec, remaining timeout 297 sec.",
  "++ ERR_K8S_RUNNING_TIMEOUT=30",
  "WARNING ExtHandler Monitor: failed to update made-up: 'Cgroup hierarchy cpu not found in /proc/cgroups'",
  'E0402 08:15:00.1 12 server.go:421] Can\'t get Node "made-up", assuming iptables proxy, err: nodes "made-up" not found',
  "Apr 02 08:15:00 node-1 kubelet[846]: with error: exit status 1",
  'time="2026-04-02T08:15:00Z" level=error msg="ContainerStatus for \\"0a1b\\" failed" error="rpc error: code = NotFound desc = container not found" module=containerd',
  'level=warning msg="Unable to flush made-up iptables chain" error="exit status 1" subsys=iptables',
  'Warning  Unhealthy  9m (x4 over 9m8s)  kubelet  Startup probe failed: Get "http://127.0.0.1:9879/healthz": dial tcp 127.0.0.1:9879: connect: connection refused',
])("%j says of no failure", (line) => {
  expect(causeOf(line)).toBe("unclassified");
});

test.each([
  'E0402 08:15:00.1 12 summary.go:92] "Failed to get container stats" err="rpc error: code = Unavailable desc = dial unix /run/containerd/containerd.sock: connect: connection refused"',
  'type=AVC msg=audit(1.2:3): avc:  denied  { read } for  pid=7 comm="made-up" scontext=a:b:c:s0 permissive=0',
  "2026-04-02T08:15:00.074604Z  ERROR made_up: made_up::imds: request to 169.254.169.254 timed out",
  "+ exit 30",
  "ERROR ExtHandler Event: name=made-up, op=Install, message=extension failed to install",
  "Apr 02 08:15:00 node-1 kubelet[846]: made-up with error: exit status 1",
  'time="2026-04-02T08:15:00Z" level=error msg="ContainerStatus for \\"0a1b\\" failed" error="rpc error: code = Unavailable desc = dial unix /run/containerd/containerd.sock: connect: connection refused"',
  'level=error msg="Unable to flush made-up iptables chain" error="exit status 1" subsys=iptables',
  'Warning  Unhealthy  9s (x40 over 9m8s)  kubelet  Startup probe failed: Get "http://127.0.0.1:9879/healthz": dial tcp 127.0.0.1:9879: connect: connection refused',
])("%j says of one", (line) => {
  expect(causeOf(line)).not.toBe("unclassified");
});

test("what the kubelet asks for once more as an excerpt ends is no cause, a warning of another's is", () => {
  const line = (level: string, program: string): string =>
    `Apr 02 08:15:09 node-1 ${program}[12]: ${level}0402 08:15:09.1 12 made_up.go:9] Failed to contact API server: Get "https://10.1.0.9:6443/apis/x": dial tcp 10.1.0.9:6443: i/o timeout`;
  expect(causeOf(...quiet(4), line("I", "kubelet"))).toBe("unclassified");
  expect(causeOf(...quiet(4), line("W", "kube-proxy"))).toBe("unclassified");
  expect(causeOf(...quiet(4), line("W", "k3s"))).toBe("api-server-unreachable");
});

test("a wait in vain counts where its program ends with it, and none that goes on", () => {
  const vain =
    "Apr 02 08:15:20 n1 made-up.sh[9]: Error: error while checking the made-up parts: timed out waiting for the condition";
  const ended = [
    "Apr 02 08:15:20 n1 made-up.sh[9]: Taking down the made-up control plane...",
    "Apr 02 08:15:21 n1 systemd[1]: made-up.service: Main process exited, code=exited, status=1/FAILURE",
  ];
  expect(causeOf(...quiet(3), vain, ...ended)).toBe("join-timeout-unknown");
  expect(causeOf(...quiet(3), vain, ...quiet(3))).toBe("unclassified");
});

test("what a server says took as long as it may is not what somebody waited for", () => {
  const end = (why: string): string => `error execution phase control-plane: couldn't upgrade control plane: ${why}`;
  expect(causeOf(end("static Pod hash for made-up did not change after 5m0s: context deadline exceeded"))).toBe(
    "join-timeout-unknown",
  );
  expect(causeOf(end("context deadline exceeded"))).toBe("api-server-unreachable");
});

test("an API server of this machine that does not answer is behind what keeps its pods from starting", () => {
  const silent = (server: string): string =>
    `E0402 08:15:10.1 7 reflector.go:1] Failed to list *v1.Node: Get https://${server}/api/v1/nodes: dial tcp ${server}: connect: connection refused`;
  const kept =
    "E0402 08:15:11.1 7 pod_workers.go:1] Error syncing pod: cgroup-parent for systemd cgroup should be a valid slice";
  expect(causeOf(silent("127.0.0.1:6443"), kept)).toBe("cgroup-driver-mismatch");
  expect(causeOf(silent("10.1.0.9:6443"), kept)).toBe("api-server-unreachable");
  expect(causeOf(silent("127.0.0.1:6443"))).toBe("api-server-unreachable");
});

test("user-data that was not understood counts though the boot goes on without it", () => {
  const said = "made-up-cloudinit[7]: Failed to parse user-data: Unrecognized user-data header: made-up";
  expect(causeOf("cloud-init[7]: Checking made-up drive", said, "cloud-init[7]: Continuing...", ...quiet(9))).toBe(
    "cloud-init-userdata-invalid",
  );
});

test("systemd gives up a machine that lets it make nothing", () => {
  const made = ["INFO: starting init", "Failed to create /made-up.scope control group: Operation not supported"];
  const gaveUp = ["[!!!!!!] Failed to allocate made-up manager.", "Exiting PID 1..."];
  expect(causeOf(...quiet(5), ...made, ...gaveUp)).toBe("host-environment-restricted");
  expect(causeOf(...quiet(5), ...made, ...quiet(9))).toBe("unclassified");
});

test("an error that was broken behind the names of its sources is read as one", () => {
  const broken = [
    "made-up: Error response from daemon: failed to create shim: OCI runtime create failed:",
    "container_linux.go:380: starting container process caused:",
    "mount through made-up: permission denied: unknown.",
  ];
  expect(causeOf(...broken)).toBe(causeOf(broken.join(" ")));
});
