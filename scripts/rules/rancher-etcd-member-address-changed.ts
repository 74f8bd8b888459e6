import type { Rule } from "../../handler/diagnosis/rule.ts";

export const rancherEtcdMemberAddressChanged = {
  kind: "failure",
  id: "rancher-etcd-member-address-changed",
  cause: "control-plane-endpoint-mismatch",
  reason: "ControlPlaneEndpointMismatch",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [
    /this server is an? (?:not a )?(?:member|not a member) of the etcd cluster\. Found \[(?<found>[^\]]{0,300})\], expect: (?<expected>[^"\s]{1,120})/u,
  ],
  specificity: 88,
  confidence: "high",
  explains: ["etcd-unhealthy", "datastore-failed", "api-server-unreachable"],
  retryable: false,
  blame: "configuration",
  title: "The address of this server changed: etcd knows it under another one",
  summary: "etcd knows this server as {found|another address}, it now is {expected|different}",
  explanation:
    "The embedded etcd keeps the peer address of each member. This server starts with another address than the one stored, so it is not accepted as a member.",
  nextStep:
    "Give the server its old address back, or set node-ip to it; else remove this member and create the Machine again (RKE2ControlPlane or KThreesControlPlane)",
  references: ["https://docs.k3s.io/datastore/ha-embedded"],
} as const satisfies Rule;
