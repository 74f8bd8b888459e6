import type { Rule } from "../../handler/diagnosis/rule.ts";

/** kubeadm: discovery/token/token.go; join: FetchInitConfigurationFromCluster. */
export const bootstrapTokenExpired = {
  kind: "failure",
  id: "bootstrap-token-expired",
  cause: "bootstrap-token-invalid-or-expired",
  reason: "BootstrapTokenInvalidOrExpired",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /configmaps \\*"cluster-info\\*" (?:is forbidden|not found)/u,
    /token id \\*"(?<token>[a-z0-9]{6})\\*" is invalid for this cluster or it has expired/u,
    /(?:could not find a JWS signature in the cluster-info ConfigMap|cluster-info ConfigMap does not yet contain a JWS signature) for token ID \\*"(?<token>[a-z0-9]{6})/u,
    /[Tt]oken: Invalid value: .{0,80}(?:the bootstrap token is invalid|bootstrap token .{0,60}was not of the form)/u,
    /there is no JWS signed token in the cluster-info ConfigMap/u,
    [
      /configmaps \\*"kubeadm-config\\*"|kubeadm-config ConfigMap|failed to get config map|[Ff]ailed to request cluster[- ]info/u,
      /Unauthorized/u,
    ],
  ],
  specificity: 90,
  confidence: "high",
  explains: ["join-timeout-unknown", "api-server-unreachable", "tls-bootstrap-failed"],
  retryable: true,
  blame: "configuration",
  title: "The bootstrap token is not known to the cluster (any more)",
  summary: "The bootstrap token {token|of this node} is invalid or has expired",
  explanation:
    "The token in the join configuration was never valid, was deleted, or its lifetime is over. The API server refuses the node before anything else happens.",
  nextStep:
    "Let Cluster API make a new machine: delete the Machine so that KubeadmConfig gets a fresh token; for slow boots raise --bootstrap-token-ttl of the kubeadm bootstrap controller",
  references: ["https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/"],
} as const satisfies Rule;
