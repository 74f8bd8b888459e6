import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cloudInitAzureReportedFailure = {
  kind: "failure",
  id: "cloud-init-azure-reported-failure",
  cause: "cloud-init-datasource-failed",
  reason: "CloudInitDatasourceFailed",
  platforms: ["linux"],
  stage: "provisioning",
  sources: "any",
  any: [
    /result=error\|reason=(?<what>[^|\n]{5,120})\|agent=Cloud-Init/u,
    /Could not crawl Azure metadata: (?<what>[^\n]{5,120})/u,
    /(?<what>Azure datasource failure occurred[^\n]{0,100})/u,
  ],
  except: [/DHCP/u],
  recoveredBy: [
    /Loaded datasource DataSourceAzure/u,
    /finished at .{10,60}Datasource DataSourceAzure/u,
    /Reported ready to Azure fabric|Successfully reported ready|Azure metadata crawl succeeded/iu,
  ],
  specificity: 70,
  confidence: "high",
  explains: ["imds-unreachable", "cloud-init-userdata-invalid", "os-provisioning-timeout"],
  retryable: true,
  blame: "platform",
  title: "cloud-init could not read the Azure metadata",
  summary: "The Azure data source failed: {what}",
  explanation:
    "cloud-init needs the provisioning disc and 169.254.169.254 to learn its host name and user-data. One of them could not be read, so the bootstrap never begins.",
  nextStep:
    "Delete the Machine for a new one; if it repeats, check 169.254.169.254 and 168.63.129.16 in routes and rules (AzureCluster spec.networkSpec) and cloud-init in AzureMachineTemplate spec.template.spec.image",
  references: ["https://cloudinit.readthedocs.io/en/latest/reference/datasources/azure.html"],
} as const satisfies Rule;
