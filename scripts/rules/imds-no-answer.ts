import type { Rule } from "../../handler/diagnosis/rule.ts";

export const imdsNoAnswer = {
  kind: "failure",
  id: "imds-no-answer",
  cause: "imds-unreachable",
  reason: "ImdsUnreachable",
  platforms: ["linux", "windows"],
  stage: "provisioning",
  sources: "any",
  any: [
    [
      /169\.254\.169\.254\/metadata/u,
      /(?<what>connection refused|i\/o timeout|context deadline exceeded|Connection timed out|no route to host|status code 5\d\d|StatusCode=5\d\d)/u,
    ],
  ],
  minCount: 3,
  specificity: 44,
  confidence: "medium",
  retryable: true,
  blame: "network",
  title: "The instance metadata service does not answer",
  summary: "169.254.169.254 does not answer ({what})",
  explanation:
    "A component asks the metadata service of Azure and gets no proper answer: a local firewall, a proxy, a route or a pod takes the address.",
  nextStep:
    "Keep 169.254.169.254 off the proxy (NO_PROXY in KubeadmConfigTemplate spec.template.spec.files) and check routes and iptables on the node",
  references: ["https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service"],
} as const satisfies Rule;
