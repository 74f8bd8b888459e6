import type { Rule } from "../../handler/diagnosis/rule.ts";

export const ignitionCannotFetch = {
  kind: "failure",
  id: "ignition-cannot-fetch",
  cause: "ignition-fetch-failed",
  reason: "IgnitionFetchFailed",
  platforms: ["linux"],
  stage: "provisioning",
  sources: "any",
  any: [
    /GET (?<url>https?:\/\/\S{5,200}): attempt #\d{1,5}/u,
    /(?:failed to fetch (?:config|resource)|resource requires networking)/u,
    /ignition.{0,20}: GET error: /u,
  ],
  recoveredBy: [/GET result: OK|fetch: fetch passed|Ignition finished successfully/u],
  minCount: 5,
  specificity: 74,
  confidence: "high",
  explains: ["api-server-unreachable", "api-server-cert-invalid"],
  retryable: true,
  blame: "network",
  title: "Ignition cannot fetch its configuration or a file",
  summary: "Ignition cannot fetch {url|a resource}",
  explanation: "Ignition tries an address again and again and never gets an answer. The boot does not go on.",
  nextStep:
    "Check the address and the way to it (AzureCluster spec.networkSpec); a private CA belongs into ignition.security.tls of the configuration",
  references: ["https://coreos.github.io/ignition/"],
} as const satisfies Rule;
