import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The certificate behind the endpoint was not issued by the cluster: a TLS inspecting firewall, or a wrong address. */
export const probeApiServerForeignIssuer = {
  kind: "failure",
  id: "probe-api-server-foreign-issuer",
  cause: "api-server-cert-invalid",
  reason: "ApiServerCertInvalid",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: ["probe"],
  any: [/^probe tls (?<endpoint>\S{3,260}): (?:unknown|foreign) issuer "(?<issuer>[^"]{1,120})"/u],
  specificity: 70,
  confidence: "medium",
  explains: ["join-timeout-unknown", "api-server-unreachable"],
  retryable: false,
  blame: "network",
  title: "The API server's certificate was not issued by the cluster",
  summary: "{endpoint} shows a certificate of issuer {issuer}, not of the cluster",
  explanation:
    "An API server's certificate comes from the cluster's own authority. Another issuer means that a firewall inspects TLS between the node and the API server, or that the address leads elsewhere.",
  nextStep:
    "Exempt the endpoint from TLS inspection, or correct it: AzureCluster spec.controlPlaneEndpoint.host if it leads to another server",
  references: ["https://kubernetes.io/docs/setup/best-practices/certificates/"],
} as const satisfies Rule;
