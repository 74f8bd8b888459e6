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
      /(?:vmssCSE|cse-agent|VMExtensionProvisioningError|ExitCode)/u,
      /(?<what>exit(?: status|Code\\*": ?\\*")=?\s?52\b)/u,
    ],
    /(?<what>ERR_K8S_API_SERVER_DNS_LOOKUP_FAIL|K8SAPIServerDNSLookupFailVMExtensionError)/u,
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
