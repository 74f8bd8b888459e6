import type { Rule } from "../../handler/diagnosis/rule.ts";

export const azureExtensionTimedOut = {
  kind: "failure",
  id: "azure-extension-timed-out",
  cause: "vm-extension-timeout",
  reason: "VmExtensionTimeout",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [/(?<what>VMExtensionProvisioningTimeout)/u, /(?<what>Provisioning of VM extension \S{1,80} has timed out)/u],
  specificity: 70,
  confidence: "high",
  retryable: true,
  blame: "platform",
  title: "A VM extension did not report in time",
  summary: "A VM extension timed out ({what})",
  explanation:
    "The platform waited for the extension and heard nothing: the agent does not run, or the script inside hangs.",
  nextStep:
    "Read waagent.log and the extension's log; check the guest agent of the image (AzureMachineTemplate spec.template.spec.image) and the reachability of 168.63.129.16",
  references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
} as const satisfies Rule;
