import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cloudInitNoDhcpLease = {
  kind: "failure",
  id: "cloud-init-no-dhcp-lease",
  cause: "cloud-init-dhcp-failed",
  reason: "CloudInitDhcpFailed",
  platforms: ["linux"],
  stage: "provisioning",
  sources: "any",
  any: [
    /(?<what>No lease found; using default endpoint)/u,
    /(?<what>dhclient (?:was )?not found|No DHCP client found|DHCP client not found|No dhclient command found)/iu,
    /(?<what>No DHCPOFFERS received|DHCP (?:lease )?(?:timed out|failed)|Failed to obtain DHCP lease|reason=failure to (?:obtain DHCP lease|find (?:primary )?DHCP interface)|NoDHCPLease\w{0,30}Error)/u,
    [/(?<what>dhclient)/u, /Permission denied|error code -|exit code: ?[1-9]|apparmor="DENIED"/u],
  ],
  none: [/"?extended_status"?: "?(?:degraded )?done/u],
  recoveredBy: [
    /azure-ds\/_get_data: SUCCESS/u,
    /[Rr]eceived dhcp lease on|DHCPACK (?:of|from)/u,
    // Before the network is up it looks for what needs none, and asks again afterwards.
    /no local data found from DataSource\w+Local\b/u,
    /finished at .{10,60}Datasource DataSource(?:Azure|Ec2|GCE|NoCloud|ConfigDrive|OpenStack|VMware)/u,
  ],
  specificity: 80,
  confidence: "high",
  explains: ["cloud-init-datasource-failed", "imds-unreachable"],
  retryable: true,
  blame: "image",
  title: "cloud-init got no DHCP lease",
  summary: "The machine got no DHCP lease ({what})",
  explanation:
    "cloud-init asks for an address before it talks to the platform, and gets none. Metadata and user-data never arrive.",
  nextStep:
    "Check the image's DHCP client and driver (AzureMachineTemplate spec.template.spec.image; /var/tmp must not be mounted noexec), then the subnet in AzureCluster spec.networkSpec",
  references: ["https://cloudinit.readthedocs.io/en/latest/howto/debugging.html"],
} as const satisfies Rule;
