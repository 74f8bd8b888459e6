import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cloudInitFallbackDatasource = {
  kind: "failure",
  id: "cloud-init-fallback-datasource",
  cause: "cloud-init-datasource-failed",
  reason: "CloudInitDatasourceFailed",
  platforms: ["linux"],
  stage: "cloud-init",
  sources: "any",
  any: [
    /(?<what>Used fallback datasource)/u,
    /finished at .{10,60}Datasource (?<what>DataSourceNone)/u,
    /^(?:detail: {1,4})?(?<what>DataSourceNone)$/u,
  ],
  // A machine without a cloud has no other data source, and nothing is wrong.
  all: [
    /DataSource(?:Azure|Ec2|GCE|OpenStack|VMware|Hetzner|DigitalOcean|Oracle)|169\.254\.169\.254|168\.63\.129\.16/u,
  ],
  recoveredBy: [
    /Loaded datasource DataSource(?:Azure|Ec2|GCE|NoCloud|ConfigDrive|OpenStack|VMware|Hetzner|DigitalOcean|Oracle)/u,
    /finished at .{10,60}Datasource DataSource(?:Azure|Ec2|GCE|NoCloud|ConfigDrive|OpenStack|VMware|Hetzner|DigitalOcean|Oracle)/u,
  ],
  specificity: 67,
  confidence: "high",
  explains: ["cloud-init-userdata-invalid", "cloud-init-scripts-failed"],
  retryable: true,
  blame: "platform",
  title: "cloud-init fell back to no data source",
  summary: "cloud-init found none of the data sources that it looked for ({what})",
  explanation: "Without a data source there is no user-data, so the bootstrap never begins on this machine.",
  nextStep:
    "Check that 169.254.169.254 is reachable: route table and security groups in AzureCluster spec.networkSpec, and datasource_list in the image (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://cloudinit.readthedocs.io/en/latest/howto/debugging.html"],
} as const satisfies Rule;
