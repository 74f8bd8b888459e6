import type { Rule } from "../../handler/diagnosis/rule.ts";

export const rancherNodePassword = {
  kind: "failure",
  id: "rancher-node-password",
  cause: "node-password-rejected",
  reason: "NodePasswordRejected",
  platforms: ["linux", "windows"],
  stage: "distribution",
  sources: "any",
  any: [/Node password (?:rejected|validation failed)/u, /unable to verify (?:hash|password) for node/u],
  specificity: 92,
  confidence: "high",
  explains: ["api-server-unreachable", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The k3s or RKE2 server remembers another password for this node name",
  summary: "The server rejects the node password of this name",
  explanation:
    "A machine of the same name joined before with another password: it was rebuilt, or the name is used twice.",
  nextStep:
    "Delete the old Node and the Secret NAME.node-password.k3s (or .rke2) in kube-system; or give each Machine its own name",
  references: ["https://docs.k3s.io/architecture"],
} as const satisfies Rule;
