import { expect, test } from "@jest/globals";
import { reasonOfCause } from "../../../handler/diagnosis/causes.ts";
import { named } from "./named-cause.ts";

const fatal = (host: string, json: string): string => `fatal: [${host}]: FAILED! => ${json}`;
const oldChecks = (said: string): readonly string[] => [
  "[preflight] Running pre-flight checks",
  "[preflight] Some fatal errors occurred:",
  `\t${said}`,
];

/** What a node's parts and the tools that prepare it say, and the cause of it. */
test.each([
  // The runtime and its sockets.
  ["container-runtime-not-running", ["docker.socket: Failed to listen on sockets: Address already in use"]],
  ["container-runtime-not-running", ["A dependency job for docker.service failed. See 'journalctl -xe' for details."]],
  ["container-runtime-not-running", ["containerd did not become ready in time, exiting"]],
  [
    "container-runtime-not-running",
    ["Error: Unable to talk to container runtime at unix:///run/made-up/containerd.sock"],
  ],
  [
    "container-runtime-not-running",
    ["failed to run Kubelet: failed to create kubelet: failed to get docker version: operation timeout"],
  ],
  [
    "container-runtime-not-running",
    [
      'failed to create new CRI runtime service: validate service connection: validate CRI v1 runtime API for endpoint "unix:///run/cri-dockerd.sock": rpc error: code = Unavailable desc = name resolver error: produced zero addresses',
    ],
  ],
  [
    "container-runtime-not-running",
    ['level=fatal msg="failed to open database file /var/lib/containerd/made-up/meta.db: invalid database"'],
  ],
  ["cgroup-driver-mismatch", ["container create failed: systemd cgroup flag passed, but systemd is not available"]],
  // The network's plug-ins and agents.
  ["cni-install-failed", ['plugin type="made-up" name="n" failed (add): missing network name']],
  ["cni-install-failed", ['plugin type="made-up" name="n" failed (add): failed to assign an IP address to container']],
  ["cni-install-failed", ["felix: dial unix /var/run/calico/bird.ctl: connect: connection refused"]],
  ["cni-install-failed", ["Unable to write 05-made-up.conflist: open /host/etc/cni/net.d/05: read-only file system"]],
  ["cni-not-ready", ["Unable to update cni config: No networks found in /etc/cni/net.d"]],
  // The kubelet and what it is told.
  ["kubelet-not-running", ["node n7 not ready: NodeStatusUnknown: Kubelet stopped posting node status."]],
  ["kubelet-not-running", ["panic: runtime error: invalid memory address", "pkg/kubelet/kubelet.go:90 +0x1f2"]],
  [
    "kubelet-not-running",
    [fatal("n7", '{"msg": "Unable to start service kubelet: A dependency job for kubelet.service failed."}')],
  ],
  ["kubelet-config-invalid", ['err="invalid configuration: memorySwap.swapBehavior cannot be set"']],
  ["kubelet-config-invalid", ['cloud provider "made-up" was specified, but built-in cloud providers are disabled.']],
  [
    "kubelet-config-invalid",
    ["failed to start kubelet: parsing reserved: quantities must match the regular expression"],
  ],
  ["kubelet-config-invalid", ["systemd[1]: kubelet.service lacks ExecStart setting. Refusing."]],
  [
    "kubelet-config-invalid",
    ['F0402 08:15:10.1 81 kubelet.go:9] Failed to start ContainerManager cgroup-root "/x" doesn\'t exist'],
  ],
  // What a machine is asked before anything begins.
  ["preflight-insufficient-resources", oldChecks("the number of available CPUs 1 is less than the required 2")],
  [
    "preflight-insufficient-resources",
    ["Exiting due to RSRC_INSUFFICIENT_CORES: Requested cpu count 1 is less than the minimum"],
  ],
  [
    "preflight-insufficient-resources",
    [fatal("n7", '{"assertion": "ansible_memtotal_mb >= 1500", "evaluated_to": false}')],
  ],
  ["swap-enabled", [fatal("n7", '{"assertion": "ansible_swaptotal_mb == 0", "evaluated_to": false, "msg": "no"}')]],
  [
    "preflight-kernel-params",
    ["Kernel's RPF check is set to 'loose'. It requires net.ipv4.conf.all.rp_filter to be set to 0 or 1."],
  ],
  ["preflight-kernel-params", ["/proc/sys/net/ipv4/ip_forward contents are not set to 1"]],
  ["preflight-binary-missing", ["timeout: failed to run command 'kubeadm': No such file or directory"]],
  ["preflight-binary-missing", ["env: ‘kubelet’: No such file or directory"]],
  ["preflight-binary-missing", ["FileNotFoundError: [Errno 2] No such file or directory: 'crictl'"]],
  [
    "preflight-binary-missing",
    [fatal("n7", '{"msg": "Failed to find required executable \\"modprobe\\" in paths: /bin"}')],
  ],
  ["port-in-use", ["the port 10250 is already used by process made-up (pid 81)"]],
  // Kernels.
  ["kernel-unsupported", ["Warning: Extension mark revision 2 not supported, missing kernel module?"]],
  ["kernel-unsupported", ["ipset v7.1: Kernel error received: set type not supported"]],
  ["kernel-unsupported", ["mount: /srv/x: unknown filesystem type 'overlay'."]],
  ["kernel-unsupported", ["failed to add the host (veth1a) pair interfaces: operation not supported"]],
  // Full disks.
  ["disk-full", ["installing package made-up-1.2-0.x86_64 needs 81MB more space on the /srv filesystem"]],
  ["disk-full", ["At least 71MB more space needed on the / filesystem."]],
  ["disk-full", ["tar: made-up/kubelet: Wrote only 2048 of 10240 bytes"]],
  ["disk-full", ["The node was low on resource: ephemeral-storage. Threshold quantity: 3Gi, available: 1Mi."]],
  ["disk-full", ["The node had condition: [DiskPressure]."]],
  ["disk-full", ['"Eviction manager: must evict pod(s) to reclaim" resourceName="ephemeral-storage"']],
  ["disk-full", ["sqlite3.OperationalError: database or disk is full"]],
  [
    "disk-full",
    ["devmapper: Thin Pool has 9 free data blocks which is less than minimum required 20 free data blocks."],
  ],
  // Disks that cannot be prepared.
  ["disk-mount-failed", ["/dev/sdq1 is mounted; will not make a filesystem here!"]],
  ["disk-mount-failed", ["The file /dev/sdq1 does not exist and no size was specified."]],
  ["disk-mount-failed", ["  Device /dev/sdq not found (or ignored by filtering)."]],
  ["disk-mount-failed", ["  Can't open /dev/sdq exclusively.  Mounted filesystem?"]],
  ["disk-mount-failed", ["  Insufficient free space: 2560 extents needed, but only 12 available"]],
  ["disk-mount-failed", ["XFS (sdq1): Filesystem has duplicate UUID 0f-1a - can't mount"]],
  ["disk-mount-failed", ["mount: /dev/sdq1: more filesystems detected. This should not happen."]],
  ["disk-mount-failed", ["e2label: Bad magic number in super-block while trying to open /dev/sdq1"]],
  ["disk-mount-failed", ["EXT4-fs (sdq1): bad geometry: block count 90 exceeds size of device (80 blocks)"]],
  ["disk-mount-failed", ["ERROR: LUN 4 not found: no device under /dev/disk/azure/scsi1 after 9 tries"]],
  ["disk-mount-failed", ["cc_mounts.py[WARNING]: Activating mounts via 'mount -a' failed"]],
  ["disk-mount-failed", [fatal("n7", '{"msg": "/dev/sdq is already used as ext4, use force=true to overwrite"}')]],
  // Memory.
  ["out-of-memory", ["  Warning  SystemOOM  9s  kubelet  System OOM encountered, victim process: made-up, pid: 81"]],
  ["out-of-memory", ["systemd-oomd[81]: Killed /system.slice/kubelet.service due to memory used (9) / total (9)"]],
  ["out-of-memory", ["The node was low on resource: memory. Container made-up was using 81Mi."]],
  ["out-of-memory", ["oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),global_oom,task=made-up,pid=81,uid=0"]],
  // What a module or the surroundings of a machine withhold.
  ["selinux-or-apparmor-denied", ["crun: `/srv/x`: relabel: lsetxattr: Operation not permitted"]],
  ["selinux-or-apparmor-denied", ["Failed to apply AppArmor profile made-up: no such file or directory"]],
  ["host-environment-restricted", ['path "/sys/fs/bpf" is mounted on "/sys" but it is not a shared mount']],
  ["host-environment-restricted", ["runc create failed: unable to create session key: disk quota exceeded"]],
  ["host-environment-restricted", ["write /sys/fs/cgroup/cpuset/x/cgroup.procs: no space left on device"]],
  ["host-environment-restricted", ["mount: /sys/fs/bpf: permission denied."]],
  ["host-environment-restricted", ["RTNETLINK answers: Operation not permitted"]],
  ["host-environment-restricted", ["Failed to create inotify object: Too many open files"]],
] as const)("%s: %j", (cause, lines) => {
  expect(named(...lines)).toBe(cause);
});

const joined = "This node has joined the cluster:";

/** The same words where it goes on well, or where nothing is wrong. */
test.each([
  [
    [
      'E0402 08:15:10.1 81 log.go:32] "RuntimeConfig from runtime service failed" err="rpc error: code = Unimplemented desc = unknown method RuntimeConfig for service runtime.v1.RuntimeService"',
      'I0402 08:15:11.1 81 server.go:9] "Started kubelet"',
    ],
  ],
  [
    [
      "[kubelet-start] WARNING: unable to stop the kubelet service momentarily: [exit status 5]",
      "[kubelet-start] Starting the kubelet",
      joined,
    ],
  ],
  [
    [
      "[preflight] WARNING: Running with swap on is not supported. Please disable swap",
      "[certificates] Generated CA certificate and key.",
    ],
  ],
  [
    [
      "E0402 08:15:10.1 1 proxier.go:9] Failed to load kernel module ip_vs_rr with modprobe. You can ignore this message when kube-proxy is running inside container without mounting /lib/modules",
    ],
  ],
  [
    [
      "modprobe: FATAL: Module configs not found in directory /lib/modules/6.1.0-made-up",
      '[certs] Generating "ca" certificate and key',
    ],
  ],
  [["kernel: EXT4-fs (sdq9): VFS: Can't find ext4 filesystem", "systemd[1]: Mounted /srv/x."]],
  [["mount: /srv/x: WARNING: source write-protected, mounted read-only."]],
  [["oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=/x,task_memcg=/x,task=made-up,pid=81,uid=0"]],
  [['sysctl: setting key "net.ipv4.conf.all.promote_secondaries": Invalid argument']],
  [
    [
      "modprobe: FATAL: Module made_up not found in directory /lib/modules/6.1.0-made-up",
      "+ sysctl --system",
      "net.ipv4.ip_forward = 1",
      "+ systemctl start kubelet",
    ],
  ],
  [
    [
      "sysctl: cannot stat /proc/sys/net/bridge/bridge-nf-call-iptables: No such file or directory",
      "+ modprobe br_netfilter",
      "+ sysctl --system",
      "+ kubeadm init",
    ],
  ],
] as const)("nothing is blamed: %j", (lines) => {
  expect(Object.keys(reasonOfCause)).not.toContain(named(...lines));
});

test("a script that ends, or goes on to one command alone, has not got over it", () => {
  const lost = "modprobe: FATAL: Module made_up not found in directory /lib/modules/6.1.0-made-up";
  expect(named(lost, "+ sysctl --system", "+ exit 1")).toBe("kernel-unsupported");
  expect(named(lost, "+ sysctl --system")).toBe("kernel-unsupported");
});
