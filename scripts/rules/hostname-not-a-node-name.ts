import type { Rule } from "../../handler/diagnosis/rule.ts";

export const hostnameNotANodeName = {
  kind: "failure",
  id: "hostname-not-a-node-name",
  cause: "hostname-invalid-or-mismatch",
  reason: "HostnameInvalidOrMismatch",
  platforms: ["linux", "windows"],
  stage: "kubeadm-preflight",
  sources: "any",
  any: [
    /nodeRegistration\.name: Invalid value: \\*"(?<name>[^"\\]{0,253})\\*"/u,
    [
      /(?:[Hh]ostname|host name|[Nn]ode|metadata\.name)/u,
      /a (?:lowercase RFC 1123 subdomain|DNS-1123 subdomain) must consist of/u,
    ],
    /could not use default nodeName \\*"(?<name>[^"\\]{0,253})/u,
    /[Nn]ode \\*"(?<name>[^"\\]{1,253})\\*" is invalid: metadata\.name/u,
  ],
  except: [/Deployment|ConfigMap|Secret "|Service "|Namespace/u],
  specificity: 88,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "The host name cannot be the name of a node",
  summary: "{name|The host name} is not a valid node name",
  explanation:
    "A node name must be a lower-case DNS name: letters, digits, dashes and dots. kubeadm or the API server refuses the name of this machine.",
  nextStep:
    "Set a valid node name: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.name, or rename the machine (no underscore, no capitals)",
  references: ["https://kubernetes.io/docs/concepts/overview/working-with-objects/names/"],
} as const satisfies Rule;
