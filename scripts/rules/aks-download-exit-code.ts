import type { Rule } from "../../handler/diagnosis/rule.ts";

export const aksDownloadExitCode = {
  kind: "failure",
  id: "aks-download-exit-code",
  cause: "http-download-failed",
  reason: "HttpDownloadFailed",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    [
      /(?:vmssCSE|cse-agent|CustomScript|VMExtensionProvisioningError|[eE]xitCode|command terminated)/u,
      /(?<what>[eE]xit(?: status=|Code\\*": ?\\*")(?:2[0-35-9]|31|4[1235]|7[01]|83|9|99|117|169|205|225|226)\b)/u,
    ],
    // A traced script also prints the assignment of the code.
    /(?<what>WINDOWS_CSE_ERROR_DOWNLOAD_(?!CNI|CALICO|HNS)\w{4,40})/u,
    /(?<what>ERR_(?:K8S|CNI|CONTAINERD|RUNC|CRICTL|GPU|ORAS|APT_INSTALL|APT_UPDATE|MS_PROD_DEB)(?:_DOWNLOAD)?_(?:TIMEOUT|ERROR)\b(?!=))/u,
  ],
  specificity: 54,
  confidence: "medium",
  explains: ["vm-extension-failed"],
  retryable: true,
  blame: "network",
  title: "The node could not download a package (CSE exit code)",
  summary: "A download of the provisioning script failed: {what}",
  explanation:
    "The provisioning script gave up on a package or its repository after many attempts. The address is mostly not allowed through the firewall, or the mirror is slow.",
  nextStep:
    "Let the node reach the package addresses: firewall and routes of AzureCluster spec.networkSpec, or use an image that holds the packages (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
} as const satisfies Rule;
