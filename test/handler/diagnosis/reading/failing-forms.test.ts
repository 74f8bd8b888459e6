import { expect, test } from "@jest/globals";
import { causeOf, quiet } from "./cause-of.ts";

const waits = (seconds: number): string =>
  `Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1733 (unattended-upgr)... ${seconds}s`;

test("an apt that waits for a lock longer than another apt works is kept by it, one that has just begun is not", () => {
  const before = ["Reading package lists...", "Building dependency tree...", "+ apt-get install -y made-up-tools"];
  expect(causeOf(...before, waits(0), waits(1), waits(1799))).toBe("apt-lock-held");
  expect(causeOf(...before, [0, 1, 1799].map(waits).join(""))).toBe("apt-lock-held");
  expect(causeOf(...before, waits(0), waits(1), waits(64))).toBe("unclassified");
});

const tries = [1, 2, 20].map((one) => `failed ${one}/20: up ${one * 12}.07. request failed`);

test("a machine that gave up on its metadata is told of, one that got it at a later try is not", () => {
  const asked = "checking http://169.254.169.254/2009-04-04/instance-id";
  const console = ["=== system information ===", "Platform: Made-up Compute", "login as 'made-up' user.", "vm login:"];
  const gaveUp = ["failed to read iid from metadata. tried 20", "failed to get instance-id of datasource"];
  expect(causeOf(asked, ...tries, ...gaveUp, ...console)).toBe("cloud-init-datasource-failed");
  const got = "successful after 3/20 tries: up 25.30. iid=i-00000042";
  expect(causeOf(asked, ...tries.slice(0, 2), got, ...console)).toBe("unclassified");
});

test("a name that nobody knows at the end of a wait is the cause, and none where it is known later", () => {
  const ping = "ping: mirror.made-up.example: Name or service not known";
  const wait = "waiting for the network ...";
  expect(causeOf(wait, ping, wait, ping, wait, ping, "gave up after 30 tries")).toBe("dns-resolution-failed");
  const answer = "64 bytes from mirror.made-up.example (192.0.2.7): icmp_seq=1 ttl=64 time=0.42 ms";
  expect(causeOf(wait, ping, wait, ping, answer, "Reading package lists...", "+ made-up-setup")).toBe("unclassified");
});

test("a variable that a script lacks ends the script, unless it goes on", () => {
  const unbound = "/opt/made-up/join.sh: line 31: JOIN_ENDPOINT: unbound variable";
  const failed = "2026-04-02 08:15:00,118 - cc_scripts_user.py[WARNING]: Failed to run module scripts_user";
  expect(causeOf("+ made-up-setup", "starting", unbound, failed)).toBe("cloud-init-scripts-failed");
  expect(causeOf(unbound, "+ made-up-setup", "one", "two", "three", "four", "five", "done")).toBe("unclassified");
});

const commented = [
  '# Apr 02 08:15:00 node-1 kubelet[12]: E0402 08:15:00.120044      12 run.go:74] "command failed" err="failed to load bootstrap kubeconfig: stat /etc/kubernetes/bootstrap-kubelet.conf: no such file or directory"',
  "# Apr 02 08:15:00 node-1 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE",
];

test("a log in comments is read as the log, a prompt of the same sign stays one", () => {
  expect(causeOf(...commented)).toBe(causeOf(...commented.map((line) => line.slice(2))));
  const status = [
    "made-up.service - The made-up node agent",
    "   Active: activating (auto-restart) (Result: exit-code) since Thu 2026-04-02 08:15:00 UTC; 5s ago",
    " Main PID: 812 (code=exited, status=1/FAILURE)",
  ].map((line) => line.replace("made-up.service", "kubelet.service"));
  expect(causeOf(...status.map((line) => `# ${line}`))).toBe("kubelet-not-running");
  expect(causeOf("# E: Version '1.61.0' for 'made-up' was not found")).toBe("package-not-found");
  expect(causeOf("# journalctl -u kubelet | grep refused", "# echo made-up")).toBe("unclassified");
});

test("what containerd and CRI-O say as they end goes before what it was busy with, a full disk before both", () => {
  const end = (error: string): string =>
    `time="2026-04-02T08:15:00Z" level=fatal msg="Failed to run CRI service" error="${error}"`;
  expect(causeOf(end("failed to recover state: failed to reserve sandbox name"))).toBe("container-runtime-not-running");
  expect(causeOf(end("mkdir /var/lib/made-up: no space left on device"))).toBe("disk-full");
  const refused = (why: string): string => `time="2026-04-02T08:15:00Z" level=fatal msg="validating ${why}"`;
  expect(causeOf(refused("runtime config: cgroupfs manager conmon cgroup should be 'pod' or empty"))).toBe(
    "container-runtime-not-running",
  );
  expect(causeOf(refused("made-up request: cgroupfs is none"))).not.toBe("container-runtime-not-running");
});

test("records that were put on one line are got over where the last one tells so, and no program ended before it", () => {
  const pull = (service: string, text: string): string =>
    `[talos] 2026/04/02 08:15:00 service[made-up](${service}): ${text}`;
  const failed = pull("Failed", "Failed to run pre stage: failed to pull image made-up.example/a:1: i/o timeout");
  const running = pull("Running", "Health check successful");
  expect(causeOf(`${failed} ${running}`)).toBe("unclassified");
  expect(causeOf(`${running} ${failed}`)).toBe("image-pull-timeout");
  const fatal = 'time="2026-04-02T08:15:00Z" level=fatal msg="failed to open datastore: connection refused"';
  expect(causeOf(`${fatal} time="2026-04-02T08:15:05Z" level=info msg="kine is ready"`)).toBe("datastore-failed");
});

test("a shell that cannot read a command speaks for itself, whatever the command was to start", () => {
  const task = (stderr: string): string =>
    `fatal: [cp-1]: FAILED! => {"cmd": "kubeadm init | tee a.out; exit \${PIPESTATUS[0]}", "msg": "non-zero return code", "rc": 2, "stderr": "${stderr}"}`;
  expect(causeOf(task("/bin/sh: 1: Bad substitution"))).toBe("cloud-init-scripts-failed");
  expect(causeOf(task("W0402 08:15:00.1 1 made_up.go:1] dns: SERVFAIL"))).toBe("dns-resolution-failed");
});

const task = (fields: string): string => `fatal: [cp-1]: FAILED! => {"changed": false, ${fields}}`;

test.each([
  [
    "kubelet-not-running",
    '"msg": "Unable to restart service kubelet: Job for kubelet.service failed because of itself"',
  ],
  ["kubelet-not-running", '"msg": "Unable to restart service origin-node: Job for origin-node.service failed."'],
  ["container-runtime-not-running", '"msg": "Could not find the requested service containerd: host"'],
  [
    "api-server-unreachable",
    '"msg": "Status code was -1: Connection refused", "url": "https://192.0.2.4:6443/healthz"',
  ],
  [
    "http-download-failed",
    '"msg": "Request failed", "response": "HTTP Error 404: Not Found", "url": "https://dl.k8s.io/a"',
  ],
  ["disk-mount-failed", '"msg": "Error mounting /var/lib/etcd: mount: /var/lib/etcd: can\'t find UUID=1f."'],
])("a task that ended badly is about the unit or address that it names: %s", (cause, fields) => {
  expect(causeOf(task(fields))).toBe(cause);
});

test("a task that is ignored, or goes well at a later try, is none", () => {
  const refused = task('"msg": "Status code was -1: Connection refused", "url": "https://192.0.2.4:6443/healthz"');
  expect(causeOf(refused, "...ignoring", "ok: [cp-1]", "ok: [cp-1]", "PLAY RECAP ***", "cp-1 : ok=9 failed=0")).toBe(
    "unclassified",
  );
});

test("a runtime that no longer tells of its pods is down at the end of a log, and not where the node is ready again", () => {
  const pleg = (at: number): string =>
    `Apr 02 08:15:${at} node-1 kubelet[12]: E0402 08:15:${at}.120044 12 kubelet.go:1] "Skipping pod synchronization" err="PLEG is not healthy: pleg was last seen active 3m${at - 10}s ago; threshold is 3m0s"`;
  const ready = `Apr 02 08:15:40 node-1 kubelet[12]: I0402 08:15:40.120044 12 kubelet_node_status.go:1] "Fast updating node status as it just became ready"`;
  expect(causeOf(pleg(11), pleg(16), pleg(21))).toBe("container-runtime-not-running");
  expect(causeOf(pleg(11), pleg(16), ready)).toBe("unclassified");
});

test("what libc and libraries say behind a colon at the end of a line is an error, elsewhere it is a word", () => {
  expect(causeOf("made-up: Get https://192.0.2.4:6443/version: EOF")).toBe("api-server-unreachable");
  expect(causeOf("made-up: write tcp 192.0.2.9:51000->192.0.2.4:6443: connection reset by peer")).toBe(
    "api-server-unreachable",
  );
  expect(causeOf("kubelet: open /dev/kmsg: operation not permitted")).toBe("host-environment-restricted");
  expect(causeOf("kubelet: reads /dev/kmsg: operation not permitted is passed over here")).toBe("unclassified");
});

test.each([
  ["distribution-config-invalid", "[ERROR]  Only https:// URLs are supported for K3S_URL (have http://192.0.2.4:6443)"],
  [
    "distribution-config-invalid",
    "[ERROR]  Defaulted to 'agent' because K3S_URL is defined, but K3S_TOKEN is not defined.",
  ],
  ["unsupported-os", "[ERROR]  Can not find systemd or openrc to use as a process supervisor for k3s"],
  ["selinux-or-apparmor-denied", "[ERROR]  Failed to apply container_runtime_exec_t to /usr/local/bin/k3s"],
  [
    "preflight-binary-missing",
    "X Exiting due to GUEST_MISSING_TOOL: Kubernetes requires conntrack to be installed in root's path",
  ],
  ["preflight-insufficient-resources", "X Exiting due to RSRC_INSUFFICIENT_CORES: has less than 2 CPUs available"],
  ["preflight-insufficient-resources", "X Exiting due to RSRC_INSUFFICIENT_CONTAINER_MEMORY: only 985MiB available"],
])("an installer that ends says why: %s", (cause, line) => {
  expect(causeOf("[INFO]  Using v1.61.0 as release", line)).toBe(cause);
  expect(causeOf(line.replace(/^\S+ {1,2}(?:Exiting due to \S+)?/u, "[INFO]  passed over: "), ...quiet(9))).toBe(
    "unclassified",
  );
});

test("an error that whoever showed it broke behind its colons is read with its end, a list below it is not its end", () => {
  const said = [
    "error: error execution phase preflight: couldn't validate the identity of the API Server:",
    'failed to request the cluster-info ConfigMap: Get "https://cp.made-up.example:8443/...":',
    "dial tcp 192.0.2.4:8443: connect: no route to host",
  ];
  expect(causeOf(...said)).toBe("api-server-unreachable");
  expect(causeOf("Error: unable to do these made-up steps:", "- made-up: no route to host is one", ...quiet(9))).toBe(
    "unclassified",
  );
});

test("a log in the journal of another is not two records on one line", () => {
  const fatal = 'E0402 08:15:00.120044 12 run.go:74] "command failed" err="running with swap on is not supported"';
  const both = (line: string): string =>
    `Apr 02 08:15:00 node-1 made-up[9]: Apr 02 08:15:00 node-1 kubelet[12]: ${line}`;
  expect(causeOf(both(fatal), both("the made-up unit is ready"))).toBe("swap-enabled");
});

test("the error above kubeadm's advice is kubeadm's, though it does not say so", () => {
  const advice = "To see the stack trace of this error execute with --v=5 or higher";
  expect(causeOf("error: unknown flag: --made-up", advice)).toBe("kubeadm-config-invalid");
  expect(causeOf('invalid argument "1" for "--made-up" flag', advice)).toBe("kubeadm-config-invalid");
  expect(causeOf("error: unknown flag: --made-up")).toBe("unclassified");
  expect(causeOf(advice)).toBe("unclassified");
});
