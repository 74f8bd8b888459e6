import { isBystander } from "./bystanders.ts";
import { machineNoise } from "./machine-noise.ts";

/** What every kubelet says in its first seconds, and what it says on every Windows node. */
const kubeletStarts: readonly (readonly string[])[] = [
  ["mage garbage collection failed once"],
  ["mage garbage collection failed", "unable to find data"],
  ["nvalid capacity 0 on image filesystem"],
  // Groups and pods' networks that are not there yet.
  ["summary_sys_containers", "ailed to get system container stats"],
  ["eviction manager", "ailed to construct signal"],
  ["ailed to read pod IP from plugin/docker"],
  ["kipping pod synchronization", "may not have completed"],
  ["kipping pod synchronization", "pleg has yet to be successful"],
  // Its first pods come before its first list of services.
  ["ervices have not yet been read at least once"],
  // The API server learns of a pod's objects a moment after the kubelet asks for them.
  ["is forbidden", "no relationship found between node"],
  ["needs to run as uid"],
  ["ould not get process start time"],
  ["getting AWS credentials"],
  ["Unable to get cpu perf counter"],
  // Its proxy takes away what its other modes would have left; mostly there is nothing.
  ["proxier", "rror removing userspace rule"],
  ["proxier", "rror removing iptables rule"],
  // It looks whether somebody empties the tables; on a kernel without them it goes on.
  ["KUBE-KUBELET-CANARY"],
  ["et up iptables canary"],
  ["kubelet[", "tables v1."],
  ["kubelet[", "Perhaps ip"],
];

/** The kernel's own file systems, which a container may not mount and systemd does without. */
const apiFileSystems: readonly (readonly string[])[] = [
  ...["sys-kernel-debug", "sys-kernel-tracing", "sys-kernel-config", "sys-fs-fuse-connections"],
  ...["dev-hugepages", "dev-mqueue", "proc-sys-fs-binfmt_misc"],
].flatMap((unit) => [
  ["ailed to mount", `${unit}.mount`],
  [`: ${unit}.mount: `, "ailed"],
  [`: ${unit}.mount: `, "exited"],
]);

/** Daemons of the machine that no node needs, and whose profile is tighter than they are on many an image. */
const foreignDenials: readonly (readonly string[])[] = [
  ...["chronyd", "ntpd", "rngd", "irqbalance", "tuned", "sssd"],
  ...[
    "cupsd",
    "cups-browsed",
    "man",
    "mandb",
    "tcpdump",
    "named",
    "mysqld",
    "rsyslogd",
    "logrotate",
    "httpd",
    "nginx",
    "php-fpm",
  ],
].flatMap((name) => [
  ['apparmor="DENIED"', `comm="${name}"`],
  ["avc: ", "denied", `comm="${name}"`],
]);

/** What healthy programs write at every start, in words that look like errors: all texts of one stand in the line. */
const healthy: readonly (readonly string[])[] = [
  ["[GetWireserverEndpoint] Missing file"],
  ["Distro: ", "; OSUtil: "],
  // The agent's own requests, which it repeats.
  ["INFO [HTTP Retry] Attempt "],
  // Rancher's agent goes on with the certificates of the machine, and its tunnels end as whoever opened them does.
  ["removing CA data and trying again"],
  ["Proxy error: write failed"],
  // containerd leaves out what this machine's kernel has not, as aufs: at level info, at every start.
  ["level=info", "skip loading plugin", "skip plugin"],
  ['"level":"info"', "skip loading plugin", "skip plugin"],
  // The snapshotters of other file systems, as a warning until containerd 1.4; "FATAL" is then modprobe's word.
  ...["aufs", "btrfs", "zfs", "devmapper"].map((name) => [
    "level=warn",
    `failed to load plugin io.containerd.snapshotter.v1.${name}`,
  ]),
  ...["aufs", "btrfs", "zfs", "devmapper"].flatMap((name) => [
    ["WARN[", `failed to load plugin io.containerd.snapshotter.v1.${name}`],
    [`ould not use snapshotter ${name} in metadata plugin`],
  ]),
  ["INFO[", "skip loading plugin", "skip plugin"],
  // Docker tells what it does without on this kernel, and loads modules that may be built in.
  ["our kernel does not support swap memory limit"],
  ["our kernel does not support cgroup rt "],
  ["unning modprobe ", "failed with message"],
  [" br_netfilter error="],
  // RKE2 looks for its image on the disk before it pulls it.
  ["ailed to load runtime image", "no local image available"],
  ["ailed to find ", "not found in tarball"],
  // Rancher's agent probes components whose certificates RKE2 has not written yet.
  ["rror loading CA cert for probe"],
  ["ca cert to pool for probe"],
  // RKE2 asks its etcd before that serves; a learner does not answer.
  ["ailed to check local etcd status for learner management"],
  ["rpc not supported for learner"],
  // An older udev wants an address to keep for what network add-ons make.
  ["ould not generate persistent MAC address"],
  // The group of the metrics' server, before it serves.
  ["stale GroupVersion discovery"],
  // A floppy or a disc that is not in it.
  ["I/O error", "dev fd0"],
  ["I/O error", "dev sr0"],
  // MicroK8s' inspect copies what nodes of a cluster have, k0s tells what it would like, and its status asks before it runs.
  ["cp: cannot stat", "localnode.yaml"],
  ["xecutable in PATH: ", "(warning)"],
  [`an't get "status" via`],
  // Cilium looks for chains of an earlier version.
  ["ommand execution failed", " -n -L CILIUM_"],
  // snapd looks for news before the network is up.
  ["state ensure error"],
  // There is no swap, which is what a node needs.
  ["ependency failed for Swap"],
  [".swap: Job ", "failed with result 'dependency'"],
  // Azure's temporary disk, which not every size has.
  ["azure_resource", "imed out waiting"],
  ["ependency failed for /mnt."],
  ["mnt.mount: Job mnt.mount/"],
  // What a snap's hooks may not do they need not.
  ['apparmor="DENIED"', 'profile="snap.microk8s.hook.'],
  // A pod looks at the processes of others.
  ['apparmor="DENIED"', 'operation="ptrace"'],
  // The machine's own name stands in no file.
  ["sudo: unable to resolve host"],
  // A container that was removed meanwhile, a pod that the API server knows from before.
  ["ontainerStatus", "code = NotFound"],
  ["reating a mirror pod", "already exists"],
  ["o iptables support for family", "IPv6"],
  // Calico makes its device in several steps.
  ["ailed to add IPIP tunnel device"],
  ["onfigure IPIP tunnel device", "retrying"],
  // The agent's own look at its surroundings, once a minute.
  ["op=HealthObservation"],
  // What a pod that is gone left behind; the kubelet counts it.
  ["orphaned pod "],
  // Who asks for a map before the kubelet has read it, and a container that was removed meanwhile.
  ["ailed to sync configmap cache", "timed out waiting for the condition"],
  ["ailed to sync secret cache", "timed out waiting for the condition"],
  ["DeleteContainer returned error", "NotFound"],
  ["set owner ref to the node lease", "not found"],
  ["rror while processing event", "inotify_add_watch"],
  ["readString: Failed to read ", "no such device"],
  // A node that is gone, or not there yet.
  ["ailed to update statusUpdateNeeded"],
  ["loading OpenAPI spec for ", "metrics.k8s.io"],
  // The far end of a tunnel was closed.
  ["Sending HTTP/1.1 502 response to 127.0.0.1"],
  // CRI-O's first start, and the runtimes that it finds none of.
  ["hecking whether cri-o should wipe containers"],
  ["lean shutdown supported file"],
  ["is being ignored due to: ", "not found in $PATH"],
  // cloud-init of a machine that nobody gave user data, and Ignition of an image without a configuration of its own.
  ["ailed to find userdata at None"],
  ["ailed to read system config ", "/usr/lib/ignition/user.ign"],
  // File systems that do without what they were asked for.
  ['"xino" feature enabled using'],
  ['mounting with "discard" option'],
  ["fstab-generator", "Duplicate entry in"],
  ["rror trying to compare the snap system key"],
  // Talos' controllers ask the API server of their own machine until it serves.
  ["controller failed, retrying", "127.0.0.1:7445: connect: connection refused"],
  // Said by who asks for it.
  ["his can be ignored when "],
  ["ould not bring up interface, ignoring"],
  // A size without a temporary disk, and what the guest agent does without for its own sake.
  ["ResourceDiskError", "unable to detect disk topology"],
  ["ailed to get the PID of the DHCP client"],
  ["nable to setup the persistent firewall rules"],
  // Extensions that watch the machine bootstrap no node.
  ...["Azure.Monitor", "Azure.Security", "GuestConfiguration", "EnterpriseCloud.Monitoring"].map((name) => [
    `name=Microsoft.${name}`,
  ]),
  // k3s and RKE2 ask themselves before they are ready to answer.
  ["runtime core not ready"],
  ["http: TLS handshake error from 127.0.0.1"],
  // cloudbase-init knows a part of what cloud-config may ask for, and leaves out the rest.
  ["userdataplugins.cloudconfig [-] Plugin '", "is currently not supported"],
  // The container network's library looks for ipvs, which it needs for nothing here.
  ["ipvs family information from the kernel"],
  ["modprobe ip_vs failed"],
  ["Unable to write event", "retry after sleeping"],
  // No network add-on yet.
  ["level=", "failed to load cni during init"],
  ['"level":', "failed to load cni during init"],
  // One file system at two places with other labels.
  ["SELinux: mount invalid.", "ame superblock"],
  // calico's routing daemon starts before the file that its neighbour writes.
  ["bird: Unable to open configuration file /etc/calico/confd"],
  // cloud-init checks a network configuration against its schema, says what it would have written otherwise, and uses it.
  ["nvalid network-config provided"],
  // A module that the image's configuration lists and this cloud-init has not is left out.
  ["ould not find module named"],
  // A kubelet asks an older runtime for what it does not know yet, and does without.
  ["unknown method RuntimeConfig"],
  ["unknown method GetContainerEvents"],
  // A kubelet that kubeadm stops before it was ever started.
  ["nable to stop the kubelet service momentarily"],
  // Of a container, whose machine has the modules.
  ["ou can ignore this message when kube-proxy"],
  // Asked for no type, mount tries one after the other.
  ["VFS: Can't find ext4 filesystem"],
  // kubeadm reads what the kernel was built with where it can, and goes on where it cannot.
  ["Module configs not found"],
  // OpenShift's installer asks the cluster's operators until all are there; that they never came it says as an error.
  ["level=debug", "till waiting for the cluster to initialize"],
  // Containers' programs ask the kernel so what its overlays can, and the kernel answers the same on every machine.
  ["overlayfs: missing 'lowerdir'"],
  ["overlayfs: idmapped layers are currently not supported"],
  // Docker looks for each of the first cgroups' parts; where there are the second, it finds none.
  ["level=warn", "nable to find ", "cgroup in mounts"],
  // containerd without a place to send traces to, and a shim that answers after somebody stopped to listen.
  ["level=", "failed to initialize a tracing processor", "skip plugin"],
  ["level=", "ttrpc: received message on inactive stream"],
  // Some name servers answer no to a question that they do not know; it is asked again, in older words.
  ["mitigating potential DNS violation"],
  // kubeadm of a version that its Kubernetes is newer than: it takes the nearest.
  ["ould not find officially supported version of etcd"],
  // Whoever asked did not wait for the answer.
  ["http: proxy error: context canceled"],
  // A time server that does not answer: the next one is asked.
  ["systemd-timesyncd[", "imed out waiting for reply"],
  // What a script creates and somebody created before.
  ["rror from server (AlreadyExists)"],
  // A package's own scripts may fail and it is installed all the same.
  ["%post", "scriptlet failed"],
  ["on-fatal ", "scriptlet failure"],
  // The root file system stays as large as it was.
  ["ailed to resize filesystem"],
  // Packages are installed with nobody to ask.
  ["dpkg-preconfigure: unable to re-open stdin"],
  // At boot systemd sets what the modules of that moment have.
  ["systemd-sysctl[", "ouldn't write", "ignoring"],
  // The distribution's own file sets for all interfaces what the kernel has for each; sysctl --system says so of every one.
  ["setting key ", "net.ipv4.conf.", "nvalid argument"],
  ["setting key ", ", ignoring"],
  // A flag that is known still, whatever it is about.
  ["lag --", "has been deprecated"],
  ...apiFileSystems,
  ...foreignDenials,
  ...machineNoise,
  ...kubeletStarts,
];

/** A check of kubeadm that it goes past, in the words of today and of 1.6; not the end of a task that quotes such checks. */
const passedCheck =
  /^.{0,120}(?:\[WARNING [A-Za-z]|\[(?:preflight|discovery|reset|init|certs|kubeconfig|config\/images|upgrade(?:\/[\w-]{3,20})?)\] WARNING: )/u;

/** Who says this gives up: what is normal stands beside it, of the same output on one line, or as its cause. */
const givesUp =
  /error execution phase|[Ff]atal errors occurred|failed to get CA certs|load CNI config (?:list )?file|\[ERROR [A-Za-z]|level=(?:fatal|panic)|(?:^|[:\]] )F\d{4} \d\d:\d\d:\d\d/u;

/** A task of Ansible quotes what its command had warned of before it failed. */
const failedTask = /^(?:fatal|failed): \[/u;

/** A check of kubeadm that it goes past, whatever the program said that it asked. */
const warnedAlone = /^\s{0,8}\[WARNING [A-Z]/u;
const ownEnd = /error execution phase|\[ERROR [A-Z]/u;

/** Whether the line says in an error's words what is normal. */
export function isHealthyLine(text: string): boolean {
  if (warnedAlone.test(text) && !ownEnd.test(text)) return true;
  if (isBystander(text)) return true;
  if (givesUp.test(text) || failedTask.test(text)) return false;
  return passedCheck.test(text) || healthy.some((texts) => texts.every((part) => text.includes(part)));
}
