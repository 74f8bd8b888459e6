import type { Rule } from "../../handler/diagnosis/rule.ts";

/** cloud-init asks before the network is up, and again; at its end it names what it used. */
export const successCloudInitFoundDatasource = {
  kind: "success",
  id: "success-cloud-init-found-datasource",
  platforms: ["linux"],
  stage: "cloud-init",
  sources: "any",
  any: [
    /finished at .{10,60}Datasource DataSource(?:Azure|Ec2|GCE|NoCloud|ConfigDrive|OpenStack|VMware|Hetzner|DigitalOcean|Oracle)/u,
  ],
  title: "cloud-init found its data source",
  covers: [],
  settles: ["cloud-init-datasource-failed"],
  final: false,
} as const satisfies Rule;
