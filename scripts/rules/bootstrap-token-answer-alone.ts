import type { Rule } from "../../handler/diagnosis/rule.ts";

/** An old kubeadm ends with the innermost error alone. */
export const bootstrapTokenAnswerAlone = {
  kind: "failure",
  id: "bootstrap-token-answer-alone",
  cause: "bootstrap-token-invalid-or-expired",
  reason: "BootstrapTokenInvalidOrExpired",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [/^(?<answer>Unauthorized)$/u],
  all: [/\[(?:discovery|preflight)\] |Downloading configuration for the kubelet from the "kubelet-config/u],
  // What is refused then is the certificate that the token was given for.
  none: [/crisocket|Waiting for the kubelet to perform the TLS Bootstrap/u],
  recoveredBy: [/This node has joined the cluster|Successfully registered node/u],
  specificity: 78,
  confidence: "medium",
  explains: ["join-timeout-unknown", "tls-bootstrap-failed"],
  retryable: true,
  blame: "configuration",
  title: "The API server refuses the bootstrap token",
  summary: "The API server answers the join: {answer}",
  explanation:
    "The join reads the configuration of the cluster with its bootstrap token, and the API server does not know the token: it was never valid, was deleted, or its lifetime is over.",
  nextStep:
    "Let Cluster API make a new machine: delete the Machine so that KubeadmConfig gets a fresh token; for slow boots raise --bootstrap-token-ttl of the kubeadm bootstrap controller",
  references: ["https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/"],
} as const satisfies Rule;
