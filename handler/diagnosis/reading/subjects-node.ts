/** What a machine has for a node, and what a node's parts ask of it. */
export const nodeSubjects = [
  {
    subject: "cpu",
    pattern: /NumCPU|available CPUs|\d CPUs available|number of (?:cpus|cores)|\bcpu (?:cores?|count)\b/iu,
  },
  {
    subject: "memory",
    pattern:
      /\[ERROR Mem\]|system RAM|minimum .{0,30}(?:MB|memory)|INSUFFICIENT_\w{0,12}MEMORY|physical memory|\b(?:memtotal|memory)_mb\b/iu,
  },
  {
    subject: "kernel",
    pattern:
      /SystemVerification|(?<!alidating )kernel (?:version|release|config)|\bCONFIG_[A-Z]{3,}|unsupported kernel/iu,
  },
  /** What a play asks of the machine before it touches it. */
  {
    subject: "asserted-size",
    pattern:
      /\bansible_(?:mem\w{2,8}_mb|processor_\w{2,30})|at least \d{1,3} ?(?:v?CPUs?\b|CPU cores|(?:GB|GiB) (?:of )?(?:RAM|memory))/u,
  },
  { subject: "asserted-swap", pattern: /\bansible_swaptotal_mb/u },
  { subject: "asserted-kernel", pattern: /\bansible_kernel\b/u },
  /** A disk that nobody attached, or under another name. */
  {
    subject: "disk-wait",
    pattern:
      /(?:\b(?:disk|volume|LUN)|\/dev\/\S{2,80})\b.{0,40} (?:did not appear|never (?:appeared|came)|(?:was )?not attached)|\bLUN \d{1,3} (?:was )?not found|no device under \/dev/iu,
  },
  /** The runtime cannot listen where it is asked for, as another one does or what is left of it. */
  {
    subject: "runtime-listening",
    pattern:
      /\b(?:docker|containerd|cri-docker|crio|podman)\.socket\b|Docker Socket for the API|listen unix \S{0,60}(?:docker|containerd|crio?)\b/u,
  },
  /** Labels of a security module, which modes and owners do not keep root from. */
  {
    subject: "label-write",
    pattern:
      /\bl?setxattr\b|\brelabel|\bfile label\b|\bset context (?:for|of)\b|setting label on\b|apply (?:the )?AppArmor profile/iu,
  },
  { subject: "link-made", pattern: /\bRTNETLINK answers\b|create (?:bridge|veth|link)\b/u },
  { subject: "kernel-mount", pattern: /\bmount: \W{0,2}\/(?:sys|proc|dev)\b(?!\/(?:sd|nvme|vd|xvd|disk|mapper))/u },
  /** What a plug-in and the agent of its network speak through. */
  { subject: "agent-socket", pattern: /dial unix \S{0,60}(?:bird|calico|cilium|multus|weave|felix)\S{0,40}: /u },
  { subject: "cni-folder", pattern: /\/(?:opt|etc)\/cni\//u },
  /** Which control groups the kubelet is told to keep. */
  {
    subject: "cgroup-setting",
    pattern: /--?(?:system|kube)-reserved-cgroup|\bcgroup-root\b|\breserved cgroups?\b|enforce-node-allocatable/iu,
  },
  {
    subject: "runtime-call",
    pattern:
      /\b(?:Version|Status|RuntimeConfig|ListContainers|ListPodSandbox|ImageFsInfo) from (?:runtime|image) service failed\b/u,
  },
  {
    subject: "plugin-call",
    pattern: /plugin type="[\w-]{2,40}" .{0,60}failed \(add\)(?!: Failed to initialize key-value store)/u,
  },
  /** What only the kernel can bring a file system for. */
  { subject: "kernel-fs", pattern: /unknown filesystem type '(?:overlay|aufs|bpf|cgroup2?|squashfs)'/u },
] as const satisfies readonly { readonly subject: string; readonly pattern: RegExp }[];
