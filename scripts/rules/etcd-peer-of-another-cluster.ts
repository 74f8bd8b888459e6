import type { Rule } from "../../handler/diagnosis/rule.ts";

export const etcdPeerOfAnotherCluster = {
  kind: "failure",
  id: "etcd-peer-of-another-cluster",
  cause: "etcd-unhealthy",
  reason: "EtcdUnhealthy",
  platforms: ["linux"],
  stage: "kubeadm-join",
  sources: "any",
  any: [/request sent was ignored(?: by remote peer)? (?:due to )?\(?cluster ID mismatch/u],
  // A peer that was replaced asks once or twice more.
  minCount: 4,
  specificity: 66,
  confidence: "medium",
  explains: ["join-timeout-unknown", "control-plane-component-crash", "api-server-unreachable"],
  retryable: false,
  blame: "image",
  title: "A member of etcd belongs to another cluster than its peers",
  summary: "etcd's peers belong to another cluster (cluster ID mismatch)",
  explanation:
    "The member was begun with data of an earlier cluster, or began one of its own. Its peers ignore what it sends, so there is no quorum.",
  nextStep:
    "Remove the member's data directory and join it anew: create the Machine again from a clean image (AzureMachineTemplate spec.template.spec.image), without a disk that held etcd (dataDisks)",
  references: ["https://etcd.io/docs/v3.5/op-guide/runtime-configuration/"],
} as const satisfies Rule;
