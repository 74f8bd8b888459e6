import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The emergency shell shows Ignition's log as it stood when the boot was given up: what it asked once there, it did not get. */
export const ignitionStoppedAtFetch = {
  kind: "failure",
  id: "ignition-stopped-at-fetch",
  cause: "ignition-fetch-failed",
  reason: "IgnitionFetchFailed",
  platforms: ["linux"],
  stage: "provisioning",
  sources: "any",
  all: [/Here are the Ignition logs:/u],
  any: [/(?:^|\]: )GET error: (?<what>[^\n]{10,200})/u],
  recoveredBy: [/GET result: OK|fetch: fetch passed|Ignition finished successfully/u],
  specificity: 74,
  confidence: "medium",
  explains: ["api-server-unreachable", "cloud-init-datasource-failed"],
  retryable: true,
  blame: "network",
  title: "Ignition stopped before it had its configuration",
  summary: "Ignition stopped as it fetched its configuration: {what}",
  explanation:
    "The boot ended in the emergency shell, whose log of Ignition ends with a request that brought nothing. Without its configuration the machine does not bootstrap.",
  nextStep:
    "Check that the machine has an address and a way to the metadata service as it boots: route table and security groups in AzureCluster spec.networkSpec, and that the image (AzureMachineTemplate spec.template.spec.image) is one for this platform",
  references: ["https://coreos.github.io/ignition/"],
} as const satisfies Rule;
