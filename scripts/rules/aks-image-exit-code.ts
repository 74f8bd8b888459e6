import type { Rule } from "../../handler/diagnosis/rule.ts";

export const aksImageExitCode = {
  kind: "failure",
  id: "aks-image-exit-code",
  cause: "image-pull-failed",
  reason: "ImagePullFailed",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    [
      /(?:vmssCSE|cse-agent|CustomScript|VMExtensionProvisioningError|[eE]xitCode|command terminated)/u,
      /(?<what>[eE]xit(?: status=|Code\\*": ?\\*")(?:3[3567]|233)\b)/u,
    ],
    /(?<what>WINDOWS_CSE_ERROR_(?:PULL_PAUSE_IMAGE|PAUSE_IMAGE_NOT_EXIST|ORAS_PULL_POD_INFRA_CONTAINER))/u,
  ],
  specificity: 36,
  confidence: "medium",
  explains: ["vm-extension-failed"],
  retryable: true,
  blame: "network",
  title: "The node could not pull an image (CSE exit code)",
  summary: "An image pull of the provisioning script failed: {what}",
  explanation:
    "The provisioning script pulls the pause image and others before it starts the kubelet, and gave up. The exit code does not say why.",
  nextStep:
    "Run crictl pull on the node for the error; open the registry in AzureCluster spec.networkSpec or correct the image in the containerd configuration",
  references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
} as const satisfies Rule;
