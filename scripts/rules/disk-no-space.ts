import type { Rule } from "../../handler/diagnosis/rule.ts";

export const diskNoSpace = {
  kind: "failure",
  id: "disk-no-space",
  cause: "disk-full",
  reason: "DiskFull",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    /(?<where>[^\s:"']{0,120}):? ?[Nn]o space left on device/u,
    /[Ee]viction manager: attempting to reclaim\\*"?.{0,40}(?<where>ephemeral-storage|nodefs|imagefs|inodes)/u,
    /eviction manager: must evict pod\(s\) to reclaim (?<where>ephemeral-storage|nodefs|imagefs|inodes)/u,
    /KubeletHasDiskPressure|Taints:.{0,200}node\.kubernetes\.io\/disk-pressure|untolerated taint \{?node\.kubernetes\.io\/disk-pressure/u,
    /Attempting to reclaim (?<where>ephemeral-storage|inodes)/u,
    /(?<where>You don't have enough free space in \S{1,120})/u,
    /NodeHasDiskPressure/u,
    /(?:There is not enough space on the disk)/u,
  ],
  except: [/eviction manager: attempting to reclaim memory/iu, /inotify|watch|fsnotify/u],
  specificity: 82,
  confidence: "high",
  explains: [
    "image-pull-failed",
    "image-pull-timeout",
    "pod-sandbox-failed",
    "cni-not-ready",
    "kubelet-not-running",
    "join-timeout-unknown",
    "etcd-unhealthy",
    "control-plane-component-crash",
    "cloud-init-scripts-failed",
  ],
  retryable: false,
  blame: "configuration",
  title: "The disk is full",
  summary: "No space is left ({where|on a disk})",
  explanation:
    "A write failed because the file system has no free blocks or inodes, or the kubelet evicts pods to free disk. Images and logs no longer fit.",
  nextStep:
    "Enlarge the disk: AzureMachineTemplate spec.template.spec.osDisk.diskSizeGB, or put /var/lib/containerd or etcd on a data disk (dataDisks, diskSetup, mounts)",
  references: ["https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"],
} as const satisfies Rule;
