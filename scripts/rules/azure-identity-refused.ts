import type { Rule } from "../../handler/diagnosis/rule.ts";

export const azureIdentityRefused = {
  kind: "failure",
  id: "azure-identity-refused",
  cause: "cloud-provider-auth-failed",
  reason: "CloudProviderAuthFailed",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    /(?<what>AADSTS\d{3,8}: [^"\n]{5,100})/u,
    /(?<what>Failed to refresh the Token)/u,
    /(?<what>Identity not found)/u,
    /(?<what>AuthorizationFailed|UnauthorizedOperation|InvalidClientTokenId|AuthFailure|ManagedIdentityCredential authentication failed)/u,
    /(?<what>could not init cloud provider(?![^\n]{0,100}unknown cloud provider)[^\n"]{0,100}|failed to (?:initialize|init) cloud provider[^\n"]{0,100})/iu,
  ],
  specificity: 84,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown", "image-pull-auth"],
  retryable: false,
  blame: "configuration",
  title: "The cloud API refuses the identity of the node or script",
  summary: "The cloud refuses the credentials: {what|see the evidence}",
  explanation:
    "A component asks Azure (or another cloud) with an identity that does not exist, has expired or lacks the role.",
  nextStep:
    "Check the identity and its roles: AzureMachineTemplate spec.template.spec.identity, userAssignedIdentities and their roles, AzureClusterIdentity, and the content of azure.json",
  references: ["https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/overview"],
} as const satisfies Rule;
