import { expect, test } from "@jest/globals";
import { decisiveLines, errorWeight, type ErrorLine } from "../../../handler/diagnosis/error-lines.ts";
import { show } from "../../../handler/text/shown-text.ts";

const line = (text: string, parts: Partial<ErrorLine> = {}): ErrorLine => ({
  source: "guest-agent",
  origin: "/var/log/waagent.log",
  originIndex: 3,
  line: 1,
  fileLine: 1,
  text: show(text),
  whole: show(text),
  firstLine: 1,
  lastLine: 1,
  count: 1,
  logLines: 10,
  endLine: 10,
  booted: 0,
  lastStart: 0,
  weight: 1,
  ...parts,
});

test.each([
  "2026-11-14T06:03:22.470192Z INFO ExtHandler ExtHandler [GetWireserverEndpoint] Missing file /var/lib/waagent/WireServerEndpoint: No such file or directory",
  "2026-11-14T06:03:21.110192Z INFO Daemon Daemon Distro: debian-12; OSUtil: DebianOSModernUtil; AgentService: walinuxagent; LISDrivers: Failed to find",
])("what a healthy guest agent writes is no error: %s", (text) => {
  expect(errorWeight(text)).toBeUndefined();
});

test.each([
  "Nov 21 09:15:10 n1 systemd[1]: Failed to mount sys-kernel-debug.mount - Kernel Debug File System.",
  "Nov 21 09:15:10 n1 systemd[1]: dev-mqueue.mount: Mount process exited, code=exited, status=32/n/a",
  "Nov 21 09:15:10 n1 kernel: overlayfs: missing 'lowerdir'",
  'Nov 21 09:15:10 n1 dockerd[7]: level=warning msg="Unable to find made-up cgroup in mounts"',
  'Nov 21 09:15:10 n1 kernel: audit: apparmor="DENIED" operation="open" profile="/usr/sbin/ntpd" name="/made-up" comm="ntpd"',
  'audit[700]: AVC avc:  denied  { read } for  comm="chronyd" scontext=system_u:system_r:chronyd_t:s0 permissive=0',
  'containerd[7]: level=error msg="failed to initialize a tracing processor" error="made up: skip plugin"',
  "systemd-sysctl[500]: Couldn't write '1' to 'net/made_up', ignoring: No such file or directory",
  "cloud-init[612]: dpkg-preconfigure: unable to re-open stdin: No such file or directory",
])("what a healthy machine writes as it boots is no error: %s", (text) => {
  expect(errorWeight(text)).toBeUndefined();
});

test.each([
  "Nov 21 09:15:10 n1 systemd[1]: Failed to mount var-lib-etcd.mount - Made up.",
  'kernel: audit: apparmor="DENIED" operation="mount" profile="/usr/bin/made-up" comm="runc"',
  'audit[700]: AVC avc:  denied  { read } for  comm="kubelet" scontext=system_u:system_r:kubelet_t:s0 permissive=0',
])("what a node needs is missed by it: %s", (text) => {
  expect(errorWeight(text)).toBeDefined();
});

test.each(["", "[2026-11-21 09:15:10] ", "Nov 21 09:15:10 node-1 cloud-init[912]: [2026-11-21 09:15:10] "])(
  "kubeadm's advice is no error behind %j",
  (prefix) => {
    expect(errorWeight(`${prefix}To see the stack trace of this error execute with --v=5 or higher`)).toBeUndefined();
  },
);

test("an error with kubeadm's advice behind it on one line is one", () => {
  const text = "error execution phase preflight: made up. To see the stack trace of this error execute with --v=5";
  expect(errorWeight(text)).toBe(3);
});

test.each([
  '{"msg":"[preflight] Running\\n\\t[WARNING Swap]: swap is on\\n[preflight] Some\\n\\t[ERROR Port-10250]: Port 10250 is in use"}',
  "error execution phase preflight: made up behind [WARNING Hostname]: could not be reached",
  "Nov 21 09:15:10 node-1 kubelet[912]: F1121 09:15:10.000000 912 server.go:1] failed to run: iptables v1.8.7 is missing",
  'level=fatal msg="failed to load runtime image: no local image available: the pull was refused"',
])("what gives up is no healthy line for what stands beside it: %s", (text) => {
  expect(errorWeight(text)).toBe(3);
});

test("an error of the guest agent is one", () => {
  expect(errorWeight("ERROR ExtHandler Event: name=x, op=Enable, message=failed")).toBe(2);
});

test("decisiveLines() quotes a line that the journal repeats only once", () => {
  const text = "ERROR ExtHandler Download failed, switching to host plugin";
  const lines = [
    line(`2026-11-14T06:03:22.470192Z ${text}`),
    line(text, { origin: "journalctl -u walinuxagent", originIndex: 4 }),
  ];
  expect(decisiveLines(lines, 5)).toHaveLength(1);
});

test("decisiveLines() prefers what the command itself said to a later log of the machine", () => {
  const own = line("tar: /opt/x: Cannot open: Permission denied", {
    source: "command-output",
    origin: "stderr of the check",
    originIndex: 0,
  });
  const others = Array.from({ length: 6 }, (_, index) => line(`error ${String.fromCharCode(97 + index)}`));
  expect(decisiveLines([own, ...others], 5)).toContainEqual(expect.objectContaining({ origin: "stderr of the check" }));
});

test.each(['  "errors": [],', '"error": null,', "failed: 0", String.raw`\"errors\": []`])(
  "a list or count of no errors is no error: %s",
  (text) => {
    expect(errorWeight(text)).toBeUndefined();
  },
);

test("an error code that begins with 0 is one", () => {
  expect(errorWeight("made-up failed: 0x80070002")).toBe(1);
});

test.each([
  'E0402 08:15:00.120044 1 kubelet.go:1] "Image garbage collection failed once. Stats initialization may not have completed yet"',
  'E0402 08:15:00.120044 1 kubelet.go:1] "Skipping pod synchronization" err="PLEG is not healthy: pleg has yet to be successful"',
  'E0402 08:15:00.120044 1 pod_workers.go:1] "Error syncing pod, skipping" err="CreateContainerConfigError: services have not yet been read at least once, cannot construct envvars"',
  "E0402 08:15:00.120044 1 proxier.go:1] Error removing userspace rule: exit status 2: iptables: Couldn't find target `KUBE-NODEPORT-HOST'",
  'E0402 08:15:00.120044 1 proxier.go:2] Error removing iptables rules in ipvs proxier: error deleting chain "KUBE-MARK-MASQ": exit status 1',
  "E0402 08:15:00.120044 1 server.go:7] kubelet needs to run as uid `0`. It is being run as -1",
])("what every kubelet says at its start is no error: %s", (text) => {
  expect(errorWeight(text)).toBeUndefined();
});

test.each([
  ["4be1f03d77a10   5c1f0a7d3b2e4   3 minutes ago   Exited   made-up-server   5", 1],
  ["  Warning  FailedMadeUp  default-scheduler  nothing fits", 1],
  ["2026-04-02 08:15:00,118 - made_up.py[WARNING]: Used a made-up way", 1],
  ["Waiting for this node to do it. Error: stat /x: no such file", 2],
  ["fatal: [node-1]: FAILED! => {}", 2],
])("a listed container, an event, a warning of cloud-init and the end of a command are errors: %s", (text, weight) => {
  expect(errorWeight(text)).toBe(weight);
});

test.each([
  [
    "1.7",
    'skip loading plugin \\"io.containerd.snapshotter.v1.aufs\\"..." error="aufs is not supported (modprobe aufs failed: exit status 1): skip plugin" type=io.containerd.snapshotter.v1',
  ],
  [
    "2.1",
    'skip loading plugin" error="EROFS unsupported, please `modprobe erofs`: skip plugin" id=io.containerd.snapshotter.v1.erofs',
  ],
])("what containerd %s leaves out at its start is no error", (_version, text) => {
  expect(errorWeight(`time="2026-03-02T07:14:01Z" level=info msg="${text}`)).toBeUndefined();
});

test.each(["aufs", "btrfs", "zfs", "devmapper"])(
  "a snapshotter for %s that containerd 1.3 warns of is no error",
  (name) => {
    const why = `error="modprobe ${name} failed: "modprobe: FATAL: Module ${name} not found in directory /lib/modules/5.2.2\\n": exit status 1"`;
    expect(
      errorWeight(`level=warning msg="failed to load plugin io.containerd.snapshotter.v1.${name}" ${why}`),
    ).toBeUndefined();
    expect(
      errorWeight('level=warning msg="failed to load plugin io.containerd.grpc.v1.cri" error="FATAL"'),
    ).toBeDefined();
  },
);

test.each([
  "E0402 08:15:00.120044 1 kubelet_network_linux.go:83] Failed to ensure KUBE-KUBELET-CANARY chain: made up",
  "ip6tables[41]: kubelet[12]: modprobe: can't find it: ip6tables v1.8.4 (legacy): can't initialize",
  'level=error msg="failed to load cni during init, please check CRI plugin status" error="cni config load failed"',
  "kernel: SELinux: mount invalid.  Same superblock, different security settings for (dev mqueue, type mqueue)",
  '"Unable to write event (may retry after sleeping)" err="connection refused"',
  "bird: Unable to open configuration file /etc/calico/confd/config/bird.cfg: No such file or directory",
  "[preflight] [WARNING MadeUp]: connection refused",
])("what stands in healthy logs too is no error: %s", (text) => {
  expect(errorWeight(text)).toBeUndefined();
});

test.each([
  ["    node-1: E: Unable to locate package made-up", 2],
  ["==> node-1: Error: made up", 2],
  ["Err:4 http://mirror.example stable InRelease", 1],
  ["gpg: no valid OpenPGP data found.", 2],
  ["Package 'made-up' not found.", 2],
  ["containerd: failed to load TOML: /etc/containerd/config.toml: made up", 3],
])("what Vagrant shows of a machine and package managers say are errors: %s", (text, weight) => {
  expect(errorWeight(text)).toBe(weight);
});

test("what a daemon waits for and tries again is no end of it, as the same words are that stand alone", () => {
  expect(errorWeight("\ttimed out waiting for the condition")).toBe(3);
  expect(errorWeight("E0402 08:15:00.1 1 made_up.go:1] made up: timed out waiting for the condition")).toBe(1);
});

test.each([
  "# cat /var/log/made-up.log | grep -i error",
  "[root@made-up ~]# journalctl -u kubelet | grep failed",
  "ubuntu@made-up:~$ sudo grep -i fatal /var/log/syslog",
  "  (exit status 1)",
  "schema.py[WARNING]: Invalid network-config provided:",
])("what somebody looked for, and what only goes on a line, is no error: %s", (text) => {
  expect(errorWeight(text)).toBeUndefined();
});
