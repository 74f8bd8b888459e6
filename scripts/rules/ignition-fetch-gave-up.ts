import type { Rule } from "../../handler/diagnosis/rule.ts";

export const ignitionFetchGaveUp = {
  kind: "failure",
  id: "ignition-fetch-gave-up",
  cause: "ignition-fetch-failed",
  reason: "IgnitionFetchFailed",
  platforms: ["linux"],
  stage: "provisioning",
  sources: "any",
  any: [
    [/[Ii]gnition/u, /(?<what>Error fetching file [^\n]{5,160})/u],
    /(?<what>unable to fetch resource in time)/u,
    [
      /[Ii]gnition failed: |failed to (?:fetch|acquire) config: /u,
      /(?<what>resource not found|failed to fetch[^\n]{0,80}|error fetching[^\n]{0,80}|i\/o timeout|connection refused|x509: [^\n]{5,80}|no such host|timed out[^\n]{0,60})/u,
    ],
  ],
  // The offline stage says the first in each boot that needs the network; what came and cannot be unpacked was fetched.
  except: [/resource requires networking/u, /gzip: |unsupported compression|not a config \(empty\)/u],
  recoveredBy: [/fetch: fetch passed|Ignition finished successfully/u],
  specificity: 76,
  confidence: "high",
  explains: ["api-server-unreachable", "api-server-cert-invalid"],
  retryable: true,
  blame: "network",
  title: "Ignition gave up fetching its configuration or a file",
  summary: "Ignition could not fetch: {what}",
  explanation:
    "The configuration, or a file that it names, could not be had: the address is wrong, nothing answers there, or its certificate is not trusted. The boot does not go on.",
  nextStep:
    "Correct the address, or open the way to it: KubeadmConfigTemplate spec.template.spec.ignition or files (AzureCluster spec.networkSpec)",
  references: ["https://coreos.github.io/ignition/operator-notes/"],
} as const satisfies Rule;
