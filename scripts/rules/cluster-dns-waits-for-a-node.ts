import type { Rule } from "../../handler/diagnosis/rule.ts";

/** kubectl's lists, minutes after the init: without a network add-on the node is not ready, and the cluster's DNS finds no place. */
export const clusterDnsWaitsForANode = {
  kind: "failure",
  id: "cluster-dns-waits-for-a-node",
  cause: "cni-not-ready",
  reason: "CniNotReady",
  platforms: ["linux"],
  stage: "network",
  sources: "any",
  any: [
    /^(?<node>[a-z0-9][\w.-]{0,252})\s+NotReady\s+[\w,<>-]{3,60}\s+(?<age>(?:[2-9]|\d{2,4})m\S{0,6}|\d{1,4}[hd]\S{0,6})\s+v1\./u,
  ],
  all: [/(?:coredns|kube-dns)-\S{4,40}\s+0\/\d\s+(?:Pending|ContainerCreating)\s/u],
  none: [/\s(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull)\s/u],
  recoveredBy: [/just became ready|event="NodeReady"|Node became ready/u],
  specificity: 12,
  confidence: "low",
  retryable: true,
  blame: "cluster",
  title: "The node is not ready after minutes, and the cluster's DNS waits for it",
  summary: "Node {node} is NotReady after {age}, and the cluster's DNS has no place to run",
  explanation:
    "The bootstrap itself went through. A node without a CNI configuration stays NotReady, and only pods of the host's network run on it.",
  nextStep:
    "Install or repair the network add-on: ClusterResourceSet or HelmChartProxy; look at its pods on this node; the VM itself is joined",
  references: ["https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/"],
} as const satisfies Rule;
