import type { Rule } from "../../handler/diagnosis/rule.ts";

export const azureQuota = {
  kind: "failure",
  id: "azure-quota",
  cause: "azure-quota-exceeded",
  reason: "AzureQuotaExceeded",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    /(?<what>QuotaExceeded|ErrCode_InsufficientVCPUQuota|PublicIPCountLimitReached)/u,
    /exceeding approved (?<what>[\w ()-]{3,60} quota)/iu,
    /exceeding (?<what>quota limits? of \w{3,40})/u,
    /(?<what>Insufficient (?:regional )?vcpu quota)/iu,
  ],
  specificity: 90,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "The quota of the subscription is used up",
  summary: "The quota is exceeded: {what}",
  explanation:
    "Azure refuses to create the VM because the subscription has no cores, addresses or disks left for this size or region.",
  nextStep:
    "Ask for more quota, or choose another size: AzureMachineTemplate spec.template.spec.vmSize; or another region",
  references: ["https://learn.microsoft.com/azure/quotas/per-vm-quota-requests"],
} as const satisfies Rule;
