import type { Rule } from "../../handler/diagnosis/rule.ts";

export const nodeNameDiffers = {
  kind: "failure",
  id: "node-name-differs",
  cause: "hostname-invalid-or-mismatch",
  reason: "HostnameInvalidOrMismatch",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    /node \\*"(?<own>[^"\\]{1,253})\\*" is not allowed to modify node \\*"(?<other>[^"\\]{1,253})\\*"/u,
    /: node \\*"?(?<own>[\w.-]{1,253})\\*"? cannot (?:modify|read) node \\*"?(?<other>[\w.-]{1,253})/u,
    /: node '(?<own>[\w.-]{1,253})' cannot (?:modify|read|delete) '(?<other>[\w.-]{1,253})', only its own/u,
    /from cloud provider: instance not found/u,
    /can only (?:access|create|update) (?:node|lease) .{0,60}(?:own name|with the same name as the requesting node)/u,
  ],
  specificity: 88,
  confidence: "high",
  explains: ["kubelet-identity-forbidden", "cni-not-ready"],
  retryable: false,
  blame: "configuration",
  title: "The kubelet registers under a name that is not its identity",
  summary: "The node {own|certificate} tries to act as {other|another name}",
  explanation:
    "The kubelet's certificate names one node and the kubelet uses another name, so the API server refuses its writes. A host name that changed after the certificate was issued does this.",
  nextStep:
    "Make the names equal: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.name, the host name of the VM and the kubelet flag --hostname-override",
  references: ["https://kubernetes.io/docs/concepts/overview/working-with-objects/names/"],
} as const satisfies Rule;
