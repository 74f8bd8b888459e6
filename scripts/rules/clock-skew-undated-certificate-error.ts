import type { Rule } from "../../handler/diagnosis/rule.ts";

export const clockSkewUndatedCertificateError = {
  kind: "failure",
  id: "clock-skew-undated-certificate-error",
  cause: "clock-skew",
  reason: "ClockSkew",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    [
      /(?:cluster-info|cluster info|configmaps|couldn't validate the identity|Failed to connect to API Server|error execution phase|Unable to register node|certificate signing request)/u,
      /x509: certificate has expired or is not yet valid/u,
      /https:\/\/(?<host>[^\s"\\/]{3,260})\/|x509/u,
    ],
  ],
  except: [/is (?:before|after) \d/u],
  specificity: 76,
  confidence: "medium",
  explains: ["api-server-cert-invalid", "api-server-unreachable", "join-timeout-unknown"],
  retryable: true,
  blame: "image",
  title: "A certificate is outside its validity and the log shows no dates",
  summary: "A certificate of {host|the API server} is expired or not yet valid; the log shows no dates",
  explanation:
    "On a new cluster the certificates are fresh, so a wrong clock on one of the machines is the likely reason. On an old one the certificate can really be expired.",
  nextStep:
    "Compare date on the node and on the control plane; correct time synchronisation (KubeadmConfigTemplate spec.template.spec.ntp), else renew the certificates with kubeadm certs renew",
  references: ["https://kubernetes.io/docs/setup/best-practices/certificates/"],
} as const satisfies Rule;
