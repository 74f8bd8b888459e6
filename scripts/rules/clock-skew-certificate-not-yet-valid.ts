import type { Rule } from "../../handler/diagnosis/rule.ts";

export const clockSkewCertificateNotYetValid = {
  kind: "failure",
  id: "clock-skew-certificate-not-yet-valid",
  cause: "clock-skew",
  reason: "ClockSkew",
  platforms: ["linux", "windows"],
  stage: "any",
  sources: "any",
  any: [
    /certificate has expired or is not yet valid: current time (?<now>\S{10,40}) is before (?<from>\S{10,40})/u,
    /certificate is not (?:yet valid|valid yet)|chain uses not yet valid certificate/u,
  ],
  specificity: 92,
  confidence: "high",
  explains: ["api-server-cert-invalid", "api-server-unreachable", "join-timeout-unknown", "image-pull-failed"],
  retryable: true,
  blame: "image",
  title: "The clock of the node is behind: a certificate is not yet valid",
  summary: "The node's clock says {now|a time} but the certificate is valid only from {from|later}",
  explanation:
    "The certificate of the API server or registry begins in the future as the node sees it. Its clock is wrong, so TLS fails everywhere.",
  nextStep:
    "Synchronise the clock before the join: AzureMachineTemplate spec.template.spec.image with chrony and the Hyper-V clock, or ntp in KubeadmConfigTemplate spec.template.spec.ntp",
  references: ["https://kubernetes.io/docs/setup/best-practices/certificates/"],
} as const satisfies Rule;
