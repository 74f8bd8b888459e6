import { expect, test } from "@jest/globals";
import { analyse } from "scslre";
import { kinds, kindsOf } from "../../../../handler/diagnosis/reading/kinds.ts";
import { meanings } from "../../../../handler/diagnosis/reading/meanings.ts";
import type { SourceId } from "../../../../handler/diagnosis/diagnosis.ts";
import { readMessage } from "../../../../handler/diagnosis/reading/read-line.ts";
import { readStatement } from "../../../../handler/diagnosis/reading/statement.ts";
import { subjects } from "../../../../handler/diagnosis/reading/subjects.ts";

const readLine = (line: string, source: SourceId) => readMessage(readStatement(line, source));

test("kindsOf puts the innermost error first, and what says only that something ended behind it", () => {
  const message = "pulling: exit status 1: dial tcp: connection refused: lookup made-up.example: no such host";
  expect(kindsOf(message).map(({ kind }) => kind)).toEqual(["no-such-host", "refused", "exit-status"]);
});

const codeForms = [
  ["[WinError #]", 112, "out-of-space"],
  ["Systemfehler # aufgetreten.", 1068, "service-failed"],
  ["L'erreur système # s'est produite.", 5, "denied"],
  ["发生系统错误 #。", 1326, "unauthorized"],
  ["[SC] StartService: ошибка: #:", 1053, "service-failed"],
  ["SocketException (#)", 10_061, "refused"],
  ["NativeErrorCode : #", 11_001, "no-such-host"],
  ["Das System kann die Datei nicht finden. (os error #)", 2, "missing-file"],
  ["Der Dienst wurde nicht gestartet: %%#", 1069, "service-failed"],
] as const;

test.each(codeForms)("a number is a code of Windows only where its form says so: %s", (form, code, kind) => {
  expect(kindsOf(form.replace("#", String(code)))[0]?.kind).toBe(kind);
  expect(kindsOf(form.replace("#", "4711"))).toEqual([]);
  expect(
    kindsOf(`took ${String(code)} ms, pid ${String(code)}, offset 0x${code.toString(16)}, 2147942512 bytes`),
  ).toEqual([]);
});

test.each([
  ["(0x80072EE7)", "no-such-host"],
  ["HResult: -2147024784", "out-of-space"],
  ["exit status 0xc0000135", "library-missing"],
  ["exited with code -1073741515", "library-missing"],
  ["exited with code 3221225781", "library-missing"],
  ["(0x80090325)", "unknown-authority"],
  ["hcs: (0xc0370101)", "no-platform"],
  ["ErrorCode=2151350288", "already-exists"],
  ["in Win32: zu voll. (0x70)", "out-of-space"],
])("a wide code is one in every notation: %s", (text, kind) => {
  expect(kindsOf(text)[0]?.kind).toBe(kind);
});

test("a refused connection of nobody knows whom to where is no cause", () => {
  for (const words of ["Es konnte keine Verbindung hergestellt werden", "No connection could be made"]) {
    const line = `System.Net.Sockets.SocketException (10061): ${words}`;
    expect(kindsOf(line)[0]?.kind).toBe("refused");
    expect(readLine(line, "cloudbase-init")).toMatchObject({ cause: "cloudbase-init-plugin-failed", general: true });
    expect(readLine(line, "system")?.cause).toBeUndefined();
  }
});

test("a number of libc is not one of Windows", () => {
  expect(kindsOf("No child processes (os error 10)")).toEqual([]);
  expect(kindsOf("Input/output error (os error 5)").map(({ kind }) => kind)).toEqual(["io-error"]);
  expect(kindsOf("goroutine 12: main.run(0xc000135000, 0xc00000507)")).toEqual([]);
});

test("a line names a cause for a sentence that no rule has", () => {
  const line = 'frobnicator[7]: gave up: cannot reach "unix:///run/made-up/containerd.sock": connection refused';
  expect(readLine(line, "system")).toMatchObject({ cause: "container-runtime-not-running", kind: "refused" });
});

test("a line tells which program failed when the line does not say why", () => {
  const line = "Apr 02 08:15:00 node-1 systemd[1]: etcd.service: Main process exited, code=exited, status=1/FAILURE";
  expect(readLine(line, "system")).toMatchObject({ cause: "etcd-unhealthy", general: true });
});

test("a command's arguments are not what its failure is about", () => {
  const line =
    'level=fatal msg="agent stopped" error="made-up step: [/opt/made-up/init.sh /proc/sys/net /etc/made-up.key eth0 1500 true true]: context canceled" subsys=daemon';
  expect(readLine(line, "system")).toMatchObject({ cause: "cni-install-failed" });
});

test("a call that the kernel lacks, a library that is missing and packages that do not fit are causes of their own", () => {
  const causes = [
    'level=fatal msg="made-up device manager: protocol not supported" subsys=daemon',
    "/usr/bin/containerd: symbol lookup error: /usr/bin/containerd: undefined symbol: made_up_call",
    "E: Unable to correct problems, you have held broken packages.",
    "made-up-net: pool: not enough IPs available for made-up (calico)",
  ].map((line) => readLine(line, "system")?.cause);
  expect(causes).toEqual([
    "kernel-unsupported",
    "container-runtime-not-running",
    "package-not-found",
    "cni-install-failed",
  ]);
});

test("a library that a script's own tool lacks says nothing of the system, one of another system does", () => {
  const said = (why: string) =>
    readLine(`/opt/made-up.sh: line 3: /opt/made-up-tool: ${why}`, "cloud-init-output")?.cause;
  const missing = "error while loading shared libraries: libmadeup.so.5: cannot open shared object file";
  expect(said(missing)).not.toBe("unsupported-os");
  expect(said("/lib/libc.so.6: version `GLIBC_2.34' not found")).toBe("unsupported-os");
});

test("a warning of what a later version drops is no failure, the same words as the end of a program are one", () => {
  const said = 'your configuration file uses a deprecated API spec: "kubeadm.k8s.io/v1made"';
  expect(readLine(said, "kubeadm")).toMatchObject({ cause: "kubeadm-config-invalid" });
  expect(readLine(`W0402 08:15:00.120044    1204 common.go:1] ${said}`, "kubeadm")?.statement.severity).toBe("info");
});

test("a socket is the runtime's only where no other program serves it", () => {
  const said = (socket: string, why: string) =>
    readLine(`level=fatal msg="made-up: dial unix ${socket}: connect: ${why}"`, "system")?.cause;
  expect([
    said("/run/made-up/containerd.sock", "no such file or directory"),
    said("/run/snapd.socket", "no such file or directory"),
    said("/var/lib/made-up/kine.sock", "connection refused"),
    said("/var/lib/made-up/kine.sock", "permission denied"),
  ]).toEqual([
    "container-runtime-not-running",
    "snap-install-failed",
    "datastore-failed",
    "selinux-or-apparmor-denied",
  ]);
});

test("a frame of a distribution's stack says where it crashed, and what was gone before it was removed says nothing", () => {
  const frame = "Apr 02 08:15:00 node-1 k3s[12]: /go/pkg/mod/github.com/made-up/pkg/daemons/executor/etcd.go:30 +0x10e";
  expect(readLine(frame, "system")).toMatchObject({ cause: "datastore-failed", kind: "stack-frame" });
  const gone = "ERROR : unable to clear cache: remove /tmp/made-up.json: no such file or directory";
  expect(readLine(gone, "ignition")?.statement.severity).toBe("info");
});

test("a reading says nothing of a line without a failure", () => {
  expect(readLine("Apr 02 08:15:00 node-1 chronyd[5]: Selected source PHC0", "system")).toBeUndefined();
});

test("the tables are closed, about as long as planned, and name each entry once", () => {
  const names = [...kinds.map(({ kind }) => kind), ...subjects.map(({ subject }) => subject)];
  expect(new Set(names).size).toBe(names.length);
  expect(kinds.length).toBeLessThanOrEqual(55);
  const used = new Set(meanings.flatMap((meaning) => meaning.kinds ?? []));
  const idle = kinds.map(({ kind }) => kind).filter((kind) => !used.has(kind));
  expect(idle).toEqual([]);
});

test("no spelling of the tables needs more than linear time", () => {
  const slow = [...kinds, ...subjects].filter(
    ({ pattern }) =>
      analyse(
        { source: pattern.source, flags: pattern.flags },
        { reportTypes: { Self: true, Trade: true, Move: true } },
      ).reports.length > 0,
  );
  expect(slow.map(({ pattern }) => pattern.source.slice(0, 80))).toEqual([]);
});

test.each([
  [
    "unpack: failed to extract layer sha256:42: failed to convert whiteout file: operation not permitted: unknown",
    "host-environment-restricted",
  ],
  ["unpack: failed to extract layer sha256:42: open /made-up: permission denied", "image-pull-failed"],
  [
    "kubelet: create node task on cluster: container init caused: mounting rootfs: permission denied: unknown",
    "host-environment-restricted",
  ],
  ["write /sys/module/made_up/parameters/size: operation not supported", "host-environment-restricted"],
  ["made-up flannel exited: operation not supported", "kernel-unsupported"],
  ["made-up flannel: backend is not supported", "cni-install-failed"],
  [
    'generate spec: path \\"/srv\\" is mounted on \\"/\\" but it is not a shared or slave mount',
    "host-environment-restricted",
  ],
  [
    'kubelet: cgroup-parent for made-up cgroup should be a valid slice named as \\"made.slice\\"',
    "cgroup-driver-mismatch",
  ],
  ["pull made-up/image: denied: requested access", "image-pull-auth"],
])("who withholds something is told by what is withheld: %s", (said, cause) => {
  const line = `time="2026-04-02T08:15:10Z" level=fatal msg="${said}"`;
  expect(readLine(line, "system")?.cause).toBe(cause);
});

test.each([
  ["no such device", "kernel-unsupported"],
  ["operation not permitted", "host-environment-restricted"],
  // A screen cut the reason.
  ["", "host-environment-restricted"],
])("a snapshotter that cannot be had keeps a node waiting for ever: %s", (why, cause) => {
  const said = String.raw`\"overlayfs\" snapshotter cannot be enabled for \"/srv/made-up`;
  const reason = why === "" ? `${said}>` : String.raw`${said}\": failed to mount overlay: ${why}"`;
  const line = `k3s[7]: time="2026-04-02T08:15:10Z" level=info msg="Waiting to retrieve agent configuration; server is not ready: ${reason}`;
  expect(readLine(line, "system")).toMatchObject({ cause, statement: { severity: "end" } });
});

test.each(["", ": di", ": dial tcp"])(
  "a request whose reason a screen cut failed on its way, with and without quotes: %s",
  (rest) => {
    const head = "kubelet[7]: E0402 08:15:10.120044 7 reflector.go:1] Failed to list *v1.Node:";
    expect(readLine(`${head} Get https://10.1.0.9:6443/api/v1/nodes${rest}`, "system")?.cause).toBe(
      "api-server-unreachable",
    );
    expect(readLine(`${head} Get "https://10.1.0.9:6443/api/v1/nodes`, "system")?.cause).toBe("api-server-unreachable");
    expect(readLine(`${head} Get https://10.1.0.9:6443/api/v1/nodes${rest}: made up`, "system")?.kind).not.toBe(
      "request-cut",
    );
  },
);

test.each([
  ["runc[7]: nsexec: failed to unshare remaining namespaces: Operation not permitted", "host-environment-restricted"],
  ["Error: crun: mount `made-up` to `made-up`: Operation not permitted", "host-environment-restricted"],
  [
    "kubelet[7]: F0402 08:15:10.1 7 server.go:1] failed to set oom_score_adj: permission denied",
    "host-environment-restricted",
  ],
  ["kubelet[7]: F0402 08:15:10.1 7 server.go:1] made-up call: operation not permitted", "host-environment-restricted"],
  ["systemd[1]: Failed to create /made-up.scope control group: Operation not supported", "host-environment-restricted"],
  // A pod of its own rights.
  ['level=fatal msg="made-up call: operation not permitted" subsys=daemon', "cni-install-failed"],
])("root is not permitted a thing where it is not the root of the machine: %s", (line, cause) => {
  expect(readLine(line, "system")?.cause).toBe(cause);
});

test.each([
  "error: nodes were not ready after 600s",
  "Error: the control plane did not become ready in time",
  "FATAL: made-up cluster did not reach ready state within 30m0s",
  "Error: not all nodes became ready within the allowed time",
  "couldn't upgrade control plane: static Pod hash for component etcd on Node n1 did not change: timed out waiting for the condition",
])("what was waited for in vain says no more than that: %s", (line) => {
  expect(readLine(line, "system")).toMatchObject({ cause: "join-timeout-unknown", general: true });
});

test.each([
  ["systemd[1]: made-up.service: Failed to load environment files: No such file or directory", undefined],
  [
    "systemd[1]: k3s-agent.service: Failed to load environment files: No such file or directory",
    "distribution-config-invalid",
  ],
  ["systemd[1]: kubelet.service: Main process exited, code=exited, status=203/EXEC", "preflight-binary-missing"],
  [
    'kubelet[7]: E0402 08:15:10.1 7 run.go:1] "command failed" err="nodeIP \\"10.61.0.9\\" not found in the host"',
    "kubelet-config-invalid",
  ],
  ["microk8s[7]: <exceeded maximum runtime of 5m0s>", "snap-install-failed"],
  ['bootkube.sh[7]: Error: the container name "etcd-made-up" is already in use', "node-already-joined"],
  ["2026-04-02 08:15:10,101 - DataSourceMadeUp.py[WARNING]: failed to read metadata", "cloud-init-datasource-failed"],
  [
    "2026-04-02 08:15:10,101 - util.py[WARNING]: Getting data from <class 'made.up.DataSourceMadeUp'> failed",
    "cloud-init-datasource-failed",
  ],
  [
    "2026-04-02 08:15:10,101 - util.py[WARNING]: Failed reading config drive from /dev/made-up",
    "cloud-init-datasource-failed",
  ],
])("a unit's, a tool's and a source's own words: %s", (line, cause) => {
  expect(readLine(line, "system")?.cause).toBe(cause);
});

test.each([
  [
    'kubelet[7]: E0402 08:15:10.1 7 kuberuntime_manager.go:1] "sandbox" err="open /var/run/netns/cni-made-up: permission denied"',
    "host-environment-restricted",
  ],
  [
    "dockerd[7]: failed to start daemon: can't initialize iptables table `made-up': Permission denied",
    "host-environment-restricted",
  ],
  [
    'E0402 08:15:10.1 7 proxier.go:1] "Failed to execute iptables-restore" err="made up: Operation not permitted"',
    "host-environment-restricted",
  ],
  ["systemd[1]: kubelet.service: Failed to execute /usr/bin/made-up: Permission denied", "selinux-or-apparmor-denied"],
  ['level=fatal msg="operating system does not support user namespaces"', "host-environment-restricted"],
  ["coreos-cloudinit[7]: Failed fetching meta-data from datasource: made up", "cloud-init-datasource-failed"],
  ["Failed fetching user-data from datasource: unexpected end of JSON input", "cloud-init-datasource-failed"],
  ["systemd[1]: Failed to reset devices.list on /made-up.slice: Operation not permitted", undefined],
  ["Error: your OS made-up is not supported by this installer", "unsupported-os"],
  ["kubelet[7]: F0402 08:15:10.1 7 server.go:1] unknown eviction signal made.up", "kubelet-config-invalid"],
  ['kubelet[7]: Error: bad --node-ip "10.0.0.300"', "kubelet-config-invalid"],
  ["Error: failed to wait for made up: context deadline exceeded", "join-timeout-unknown"],
  ["Error: Timeout waiting for the made-up node", "join-timeout-unknown"],
])("the innermost word says whose failure it was: %s", (line, cause) => {
  expect(readLine(line, "system")?.cause).toBe(cause);
});
