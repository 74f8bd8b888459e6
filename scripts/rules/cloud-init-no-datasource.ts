import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cloudInitNoDatasource = {
  kind: "failure",
  id: "cloud-init-no-datasource",
  cause: "cloud-init-datasource-failed",
  reason: "CloudInitDatasourceFailed",
  platforms: ["linux"],
  stage: "cloud-init",
  sources: "any",
  any: [
    /(?<what>No instance datasource found|No active metadata service found|Could not find usable cloud.?init datasource)/iu,
    /(?<what>No ds found \[mode=|enabled but no datasource found, disabling|No datasources available in time)/u,
    /(?<what>datasource used was: None)\b/u,
    /(?<what>Giving up on md from|\[net\] Exiting without datasource)/u,
    /(?<what>Route info failed)/u,
    /DataSource\w{2,20}\.py\[(?:CRITICAL|ERROR)\]: (?<what>[^\n]{5,100})/u,
  ],
  except: [/dhclient|DHCP/u],
  recoveredBy: [
    /Loaded datasource DataSource(?:Azure|Ec2|GCE|NoCloud|ConfigDrive|OpenStack|VMware|Hetzner|DigitalOcean|Oracle)/u,
    /finished at .{10,60}Datasource DataSource(?:Azure|Ec2|GCE|NoCloud|ConfigDrive|OpenStack|VMware|Hetzner|DigitalOcean|Oracle)/u,
    /This node has joined the cluster/u,
  ],
  specificity: 68,
  confidence: "high",
  explains: ["cloud-init-userdata-invalid", "cloud-init-scripts-failed"],
  retryable: true,
  blame: "platform",
  title: "cloud-init got no metadata",
  summary: "No metadata service answered cloud-init ({what|no answer})",
  explanation: "Without a data source there is no user-data, so the bootstrap never begins on this machine.",
  nextStep:
    "Check that 169.254.169.254 is reachable: route table and security groups in AzureCluster spec.networkSpec, and datasource_list in the image (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://cloudinit.readthedocs.io/en/latest/howto/debugging.html"],
} as const satisfies Rule;
