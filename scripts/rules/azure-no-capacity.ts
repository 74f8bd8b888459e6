import type { Rule } from "../../handler/diagnosis/rule.ts";

export const azureNoCapacity = {
  kind: "failure",
  id: "azure-no-capacity",
  cause: "azure-capacity-unavailable",
  reason: "AzureCapacityUnavailable",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    /(?<what>(?:Overconstrained)?(?:Zonal)?Allocation(?:Failed|Request)|SkuNotAvailable|NotAvailableForSubscription)\b/u,
    /(?<what>Allocation failed\. (?:We do not have sufficient capacity|VM\(s\) with the following constraints))/u,
    /(?<what>is currently not available in location|Following SKUs have failed for Capacity Restrictions)/u,
  ],
  specificity: 88,
  confidence: "high",
  retryable: true,
  blame: "platform",
  title: "Azure has no machine of this size here now",
  summary: "Azure cannot allocate the VM: {what}",
  explanation: "The region or zone has no free machine of this size, or does not offer the size to this subscription.",
  nextStep:
    "Choose another size or zone, or retry later: AzureMachineTemplate spec.template.spec.vmSize or failureDomain",
  references: ["https://learn.microsoft.com/troubleshoot/azure/virtual-machines/allocation-failure"],
} as const satisfies Rule;
