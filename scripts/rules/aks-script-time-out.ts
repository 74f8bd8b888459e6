import type { Rule } from "../../handler/diagnosis/rule.ts";

export const aksScriptTimeOut = {
  kind: "failure",
  id: "aks-script-time-out",
  cause: "vm-extension-timeout",
  reason: "VmExtensionTimeout",
  platforms: ["linux"],
  stage: "azure",
  sources: "any",
  any: [
    [
      /(?:vmssCSE|cse-agent|CustomScript|VMExtensionProvisioningError|[eE]xitCode|command terminated)/u,
      /(?<what>[eE]xit(?: status=|Code\\*": ?\\*")124\b)/u,
    ],
  ],
  specificity: 32,
  confidence: "medium",
  explains: ["vm-extension-failed"],
  retryable: true,
  blame: "network",
  title: "The provisioning script was stopped after its time limit",
  summary: "The provisioning script did not end in time: {what}",
  explanation:
    "Exit code 124 comes from the time limit around the whole script. The step that hangs is the last one in its trace, mostly a download or the wait for the API server.",
  nextStep:
    "Read the end of cluster-provision.log: in /var/log/azure on the node; check outbound rules and routes in AzureCluster spec.networkSpec",
  references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
} as const satisfies Rule;
