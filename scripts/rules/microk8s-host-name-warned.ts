import type { Rule } from "../../handler/diagnosis/rule.ts";

export const microk8sHostNameWarned = {
  kind: "failure",
  id: "microk8s-host-name-warned",
  cause: "hostname-invalid-or-mismatch",
  reason: "HostnameInvalidOrMismatch",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [/This is not a valid name for a Kubernetes node, causing/u],
  specificity: 10,
  confidence: "medium",
  retryable: false,
  blame: "configuration",
  title: "MicroK8s warns that the host name is no name of a node",
  summary: "The host name holds capital letters or underscores",
  explanation:
    "A node name must be a lower-case DNS name. The node registers under another name than the machine's, or not at all.",
  nextStep:
    "Rename the machine, or give the node a valid name: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.name or the commands of MicroK8sConfigTemplate",
  references: ["https://microk8s.io/docs/troubleshooting"],
} as const satisfies Rule;
