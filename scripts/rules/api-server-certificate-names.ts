import type { Rule } from "../../handler/diagnosis/rule.ts";

export const apiServerCertificateNames = {
  kind: "failure",
  id: "api-server-certificate-names",
  cause: "api-server-cert-invalid",
  reason: "ApiServerCertInvalid",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /x509: certificate is (?:not )?valid for .{0,400}, not (?<wanted>[^\s",\\]{2,253})/u,
    /x509: certificate is not valid for any names, but wanted to match (?<wanted>[^\s",\\]{2,253})/u,
    /x509: cannot validate certificate for (?<wanted>\S{2,80}) because it doesn't contain any IP SANs/u,
    /SSL: no alternative certificate subject name matches target host name '(?<wanted>[^']{2,253})'/u,
  ],
  except: [
    // A file of this node's that kubeadm found, unless it is the API server's own; etcd's certificate.
    /failed to write or validate certificate \\*"(?!apiserver\\*")|etcd-endpoints:/u,
    // A registry's certificate.
    /https:\/\/[^\s"\\/]{3,260}\/v2\/[^\n]{0,600}x509: /u,
  ],
  specificity: 86,
  confidence: "high",
  explains: ["api-server-unreachable", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "The API server certificate does not name the address in use",
  summary: "The API server certificate is not valid for {wanted|the address in use}",
  explanation:
    "The node reaches the API server under an address that its certificate does not list, so TLS fails. The endpoint changed after init or was never among the names.",
  nextStep:
    "Add the address to the certSANs: KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.apiServer.certSANs, or use a Cluster spec.controlPlaneEndpoint that the certificate names",
  references: ["https://kubernetes.io/docs/setup/best-practices/certificates/"],
} as const satisfies Rule;
