import type { Rule } from "../../handler/diagnosis/rule.ts";

export const aksDnsExitCode = {
  kind: "failure",
  id: "aks-dns-exit-code",
  cause: "dns-resolution-failed",
  reason: "DnsResolutionFailed",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    /(?<what>Agents are unable to resolve Kubernetes API server name)/u,
    [
      /(?:vmssCSE|cse-agent|CustomScript|VMExtensionProvisioningError|[eE]xitCode|command terminated)/u,
      /(?<what>[eE]xit(?: status=|Code\\*": ?\\*")5[23]\b)/u,
    ],
    // A traced script also prints the assignment of the code.
    /(?<what>ERR_K8S_API_SERVER_(?:AZURE_)?DNS_LOOKUP_FAIL(?!=)|K8SAPIServer(?:Azure)?DNSLookupFail)/u,
  ],
  specificity: 86,
  confidence: "high",
  explains: ["vm-extension-failed", "outbound-connectivity-blocked"],
  retryable: false,
  blame: "network",
  title: "The node cannot resolve the API server or registry name (CSE exit code)",
  summary: "Names cannot be resolved on the node: {what}",
  explanation:
    "The provisioning script asked for the name of the API server or of a public host and got no address. Mostly a custom DNS server lacks a zone link.",
  nextStep:
    "Correct the DNS servers of the virtual network (AzureCluster spec.networkSpec.vnet) and the link of the private DNS zone",
  references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
} as const satisfies Rule;
