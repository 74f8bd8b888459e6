import type { Rule } from "../../handler/diagnosis/rule.ts";

/** Below the kubelet's own eviction thresholds; weaker than a write that failed. */
export const probeDiskNearlyFull = {
  kind: "failure",
  id: "probe-disk-nearly-full",
  cause: "disk-full",
  reason: "DiskFull",
  platforms: ["linux", "windows"],
  stage: "any",
  sources: ["probe"],
  any: [/^probe disk (?<path>\S{1,200}): (?<state>nearly full|out of inodes), (?<free>[^,]{4,60})/u],
  specificity: 44,
  confidence: "medium",
  explains: ["join-timeout-unknown"],
  retryable: false,
  blame: "image",
  title: "A disk of the node is nearly full or out of inodes",
  summary: "{path} is {state}: {free}",
  explanation:
    "The kubelet evicts pods and removes images below 10 % of free space or 5 % of free inodes, and programs fail to write soon after. A new node of the same size meets the same end.",
  nextStep:
    "Enlarge the disk: AzureMachineTemplate spec.template.spec.osDisk.diskSizeGB, or give etcd and containerd a data disk in spec.template.spec.dataDisks",
  references: ["https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"],
} as const satisfies Rule;
