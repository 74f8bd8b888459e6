import type { Rule } from "../../handler/diagnosis/rule.ts";

export const aksApiServerExitCode = {
  kind: "failure",
  id: "aks-api-server-exit-code",
  cause: "api-server-unreachable",
  reason: "ApiServerUnreachable",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    /(?<what>(?:Agents are unable|Unable) to (?:establish connection|connect)(?: from agents)? to (?:the )?Kubernetes API server)/u,
    [
      /(?:vmssCSE|cse-agent|CustomScript|VMExtensionProvisioningError|[eE]xitCode|command terminated)/u,
      /(?<what>[eE]xit(?: status=|Code\\*": ?\\*")51\b)/u,
    ],
    /API server connection (?<what>check code: 51\b)/u,
    // A traced script also prints the assignment of the code.
    /(?<what>K8SAPIServerConnFail|ERR_K8S_API_SERVER_CONN_FAIL(?!=)|WINDOWS_CSE_ERROR_CHECK_API_SERVER_CONNECTIVITY)/u,
  ],
  specificity: 84,
  confidence: "high",
  explains: ["vm-extension-failed"],
  retryable: false,
  blame: "network",
  title: "The node cannot connect to the API server (CSE exit code)",
  summary: "The API server cannot be reached from the node: {what}",
  explanation: "The provisioning script resolved the name of the API server but could not connect to it.",
  nextStep:
    "Open 443 or 6443 to the API server: security groups, firewall and routes in AzureCluster spec.networkSpec, private link or authorized ranges",
  references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
} as const satisfies Rule;
