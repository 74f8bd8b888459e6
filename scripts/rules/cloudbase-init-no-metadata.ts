import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cloudbaseInitNoMetadata = {
  kind: "failure",
  id: "cloudbase-init-no-metadata",
  cause: "cloudbase-init-metadata-failed",
  reason: "CloudbaseInitMetadataFailed",
  platforms: ["windows"],
  stage: "provisioning",
  sources: "any",
  any: [
    /(?<what>No metadata service available)/u,
    [/cloudbaseinit/u, /(?<what>WinError 100(?:60|61|65|51)|Max retries exceeded with url)/u],
  ],
  recoveredBy: [/Metadata service loaded/u],
  specificity: 76,
  confidence: "high",
  retryable: true,
  blame: "platform",
  title: "cloudbase-init got no metadata",
  summary: "cloudbase-init found no metadata service ({what})",
  explanation: "None of its services answered, so the machine has no host name, key or user-data and never bootstraps.",
  nextStep:
    "Check metadata services and route: metadata_services in cloudbase-init.conf of the image (AzureMachineTemplate spec.template.spec.image), the config ISO, and the route to 169.254.169.254",
  references: ["https://cloudbase-init.readthedocs.io/en/latest/"],
} as const satisfies Rule;
