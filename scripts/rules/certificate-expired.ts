import type { Rule } from "../../handler/diagnosis/rule.ts";

export const certificateExpired = {
  kind: "failure",
  id: "certificate-expired",
  cause: "api-server-cert-invalid",
  reason: "ApiServerCertInvalid",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    /certificate has expired or is not yet valid: current time (?<now>\S{10,40}) is after (?<until>\S{10,40})/u,
    [
      /(?:[Ff]ailed to list \*v1|Unable to authenticate the request)/u,
      /x509: certificate has expired(?: or is not yet valid)?/u,
    ],
  ],
  except: [/is before \d/u, /bootstrap client certificate/u],
  recoveredBy: [/Successfully registered node/u],
  specificity: 80,
  confidence: "high",
  explains: ["api-server-unreachable", "join-timeout-unknown"],
  retryable: false,
  blame: "control-plane",
  title: "A certificate of the API server or the node has expired",
  summary: "A certificate expired on {until|an earlier date}",
  explanation:
    "TLS between node and API server fails because a certificate is past its end. Old control planes and golden images with baked-in certificates show this.",
  nextStep:
    "Renew the certificates of the control plane (kubeadm certs renew, or a rollout of KubeadmControlPlane with rolloutBefore.certificatesExpiryDays); check the clock of the node first",
  references: ["https://kubernetes.io/docs/setup/best-practices/certificates/"],
} as const satisfies Rule;
