import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cniConfigAbsentNodeNotReady = {
  kind: "failure",
  id: "cni-config-absent-node-not-ready",
  cause: "cni-not-ready",
  reason: "CniNotReady",
  platforms: ["linux", "windows"],
  stage: "network",
  sources: "any",
  any: [/NetworkReady=false reason:NetworkPluginNotReady/u, /cni plugin not initialized|cni config uninitialized/u],
  all: [
    /\sNotReady\s+(?:<none>|[\w,-]{3,60})\s+\d{1,6}[smhd]|First node has registered, but is not ready yet|\bReady\s{1,40}False\s.{0,120}KubeletNotReady/u,
  ],
  recoveredBy: [/just became ready|event="NodeReady"|Node became ready/u],
  specificity: 14,
  confidence: "medium",
  retryable: true,
  blame: "cluster",
  title: "The nodes stay NotReady because they have no network add-on",
  summary: "The node is NotReady: the network add-on is missing",
  explanation:
    "kubectl shows the node NotReady and the kubelet names the reason: no CNI configuration. The bootstrap itself went through.",
  nextStep:
    "Install or repair the network add-on: ClusterResourceSet or HelmChartProxy; look at its pods on this node; the VM itself is joined",
  references: ["https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/"],
} as const satisfies Rule;
