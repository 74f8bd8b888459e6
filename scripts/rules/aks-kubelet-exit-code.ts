import type { Rule } from "../../handler/diagnosis/rule.ts";

export const aksKubeletExitCode = {
  kind: "failure",
  id: "aks-kubelet-exit-code",
  cause: "kubelet-not-running",
  reason: "KubeletNotRunning",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    [
      /(?:vmssCSE|cse-agent|CustomScript|VMExtensionProvisioningError|[eE]xitCode|command terminated)/u,
      /(?<what>[eE]xit(?: status=|Code\\*": ?\\*")(?:34|121)\b)/u,
    ],
    /(?<what>ERR_KUBELET_(?:START|INSTALL)_FAIL\b(?!=))/u,
  ],
  specificity: 26,
  confidence: "medium",
  explains: ["vm-extension-failed"],
  retryable: true,
  blame: "image",
  title: "The kubelet could not be started (CSE exit code)",
  summary: "The provisioning script could not start the kubelet: {what}",
  explanation:
    "The script ended because systemd could not start the kubelet. The journal of the kubelet has the reason.",
  nextStep:
    "Read journalctl -u kubelet on the node; then correct kubeletExtraArgs in KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration",
  references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
} as const satisfies Rule;
