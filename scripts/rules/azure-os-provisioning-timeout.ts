import type { Rule } from "../../handler/diagnosis/rule.ts";

export const azureOsProvisioningTimeout = {
  kind: "failure",
  id: "azure-os-provisioning-timeout",
  cause: "os-provisioning-timeout",
  reason: "OsProvisioningTimeout",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    /(?<what>OSProvisioningTimedOut|OSProvisioningClientError|OSProvisioningInternalError)/u,
    /OS Provisioning for VM '(?<what>[^'\n]{1,80})' did not finish in the allotted time/u,
  ],
  specificity: 36,
  confidence: "medium",
  retryable: true,
  blame: "image",
  title: "Azure gave up waiting for the guest to report ready",
  summary: "OS provisioning did not finish in time ({what})",
  explanation:
    "The guest never told the platform that it is ready: cloud-init, the agent or the network of the image failed early. The serial log has the cause.",
  nextStep:
    "Read the boot diagnostics; check that the image (AzureMachineTemplate spec.template.spec.image) is generalised and has an agent or cloud-init with the Azure data source",
  references: [
    "https://learn.microsoft.com/troubleshoot/azure/virtual-machines/linux/azure-virtual-machine-deployment-troubleshooting",
  ],
} as const satisfies Rule;
