import type { Rule } from "../../handler/diagnosis/rule.ts";

export const apiServerCertificateUntrusted = {
  kind: "failure",
  id: "api-server-certificate-untrusted",
  cause: "api-server-cert-invalid",
  reason: "ApiServerCertInvalid",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    [
      /https:\/\/(?<host>[^\s"\\/]{3,260})\/(?:api|apis|version|healthz|livez)\b/u,
      /x509: certificate signed by unknown authority/u,
    ],
    [
      /(?:error execution phase|Unable to register node|Unable to authenticate the request|Unable to connect to the server|error uploading crisocket|failed to get CA certs|[Ff]ailed to list \*v1)/u,
      /x509: certificate signed by unknown authority/u,
    ],
  ],
  except: [
    /\/v2\/|webhook|[Mm]utating|[Vv]alidating/u,
    /get CRD|metrics\.k8s\.io/u,
    // A file of this machine, which no peer showed.
    /not signed by CA certificate/u,
    /removing CA data and trying again/u,
  ],
  recoveredBy: [/Successfully registered node/u],
  specificity: 78,
  confidence: "high",
  explains: ["api-server-unreachable", "join-timeout-unknown", "cni-not-ready"],
  retryable: false,
  blame: "configuration",
  title: "The API server certificate is signed by an unknown authority",
  summary: "The certificate of {host|the API server} is signed by an unknown authority",
  explanation:
    "The CA in the kubeconfig of the node is not the one that signed the certificate of the API server: another cluster answers, an old kubeconfig is used, or TLS is inspected on the way.",
  nextStep:
    "Check which server answers: Cluster spec.controlPlaneEndpoint must lead to this cluster and no device may break TLS; on a machine of an earlier cluster remove its state, better create the Machine again",
  references: ["https://kubernetes.io/docs/setup/best-practices/certificates/"],
} as const satisfies Rule;
