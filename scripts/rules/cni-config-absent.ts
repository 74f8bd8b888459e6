import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cniConfigAbsent = {
  kind: "failure",
  id: "cni-config-absent",
  cause: "cni-not-ready",
  reason: "CniNotReady",
  platforms: ["linux", "windows"],
  stage: "network",
  sources: "any",
  any: [
    /NetworkReady=false reason:NetworkPluginNotReady/u,
    /[Uu]nable to update cni config: [Nn]o (?:valid )?networks found in/u,
    /cni plugin not initialized|cni config uninitialized/u,
  ],
  none: [/error execution phase (?:wait-control-plane|kubelet-start)/u],
  recoveredBy: [/just became ready|event="NodeReady"|Node became ready/u],
  minCount: 4,
  minSeconds: 90,
  specificity: 14,
  confidence: "low",
  retryable: true,
  blame: "cluster",
  title: "The node has no usable network add-on",
  summary: "The network add-on is not ready on this node",
  explanation:
    "The runtime finds no CNI configuration, so the node stays NotReady. This is normal until the network add-on runs; here it does not end.",
  nextStep:
    "Install or repair the network add-on: ClusterResourceSet or HelmChartProxy; look at its pods on this node; the VM itself is joined",
  references: ["https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/"],
} as const satisfies Rule;
