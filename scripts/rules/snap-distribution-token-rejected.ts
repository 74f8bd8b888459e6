import type { Rule } from "../../handler/diagnosis/rule.ts";

export const snapDistributionTokenRejected = {
  kind: "failure",
  id: "snap-distribution-token-rejected",
  cause: "bootstrap-token-invalid-or-expired",
  reason: "BootstrapTokenInvalidOrExpired",
  platforms: ["linux"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /Connection failed\. (?<what>Invalid token)/u,
    /(?<what>Invalid token size\.|Cluster token size should be at least)/u,
    [
      /k8sd|join-cluster|join token|Failed to join the cluster/u,
      /(?<what>CoreTokenRecord not found|token (?:has )?expired|invalid token)/iu,
    ],
    // k0s.
    /(?:failed to bootstrap kubelet client configuration|failed to get initial kubelet config with join token): .{0,200}(?<what>Unauthorized)/u,
    /(?<what>failed to (?:decode|parse|load) (?:the )?join token[^\n"]{0,80})/u,
  ],
  recoveredBy: [/The node has joined the cluster|Successfully joined the cluster/u],
  specificity: 90,
  confidence: "high",
  explains: ["join-timeout-unknown", "cloud-init-scripts-failed"],
  retryable: true,
  blame: "configuration",
  title: "The join token is not known to the cluster",
  summary: "The cluster refuses the join token: {what}",
  explanation:
    "MicroK8s, Canonical Kubernetes and k0s give out join tokens that expire, and most of them can be used once. This one is spent, expired or not complete.",
  nextStep:
    "Delete the Machine for a new token: its bootstrap provider makes one (MicroK8sConfigTemplate, CK8sConfigTemplate, K0sWorkerConfigTemplate); raise the lifetime of the token if machines start slowly",
  references: ["https://microk8s.io/docs/clustering"],
} as const satisfies Rule;
