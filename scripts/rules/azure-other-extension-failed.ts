import type { Rule } from "../../handler/diagnosis/rule.ts";

export const azureOtherExtensionFailed = {
  kind: "failure",
  id: "azure-other-extension-failed",
  cause: "vm-extension-failed",
  reason: "VmExtensionFailed",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    /VM has reported a failure when processing extension '(?<name>[^'\n]{1,80})'/u,
    /The handler for VM extension type '(?<name>[^'\n]{1,120})' has reported terminal failure/u,
  ],
  except: [/'(?:vmssCSE|cse-(?:agent|master)-\d+|CAPZ[\w.-]*)'/u],
  specificity: 30,
  confidence: "medium",
  retryable: false,
  blame: "configuration",
  title: "Another VM extension failed",
  summary: "The extension {name} failed and with it the provisioning",
  explanation: "An extension that does not bootstrap the node reports a failure. Azure then marks the VM as failed.",
  nextStep:
    "Read its log under /var/log/azure; remove it from AzureMachineTemplate spec.template.spec.vmExtensions or correct its settings",
  references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
} as const satisfies Rule;
