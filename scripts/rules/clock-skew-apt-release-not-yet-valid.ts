import type { Rule } from "../../handler/diagnosis/rule.ts";

export const clockSkewAptReleaseNotYetValid = {
  kind: "failure",
  id: "clock-skew-apt-release-not-yet-valid",
  cause: "clock-skew",
  reason: "ClockSkew",
  platforms: ["linux"],
  stage: "packages",
  sources: "any",
  any: [/Release file for (?<url>\S{8,253}) is not valid yet \(invalid for another (?<time>[^)]{2,40})\)/u],
  specificity: 90,
  confidence: "high",
  explains: ["apt-repository-failed", "package-not-found", "cloud-init-scripts-failed"],
  retryable: true,
  blame: "image",
  title: "The clock of the node is behind: apt refuses a release file from the future",
  summary: "The package lists are from the future for this node (invalid for another {time})",
  explanation:
    "apt compares the date of the release file with the clock of the node. The clock is behind, so updates are refused, and TLS will fail too.",
  nextStep:
    "Synchronise the clock before apt runs: KubeadmConfigTemplate spec.template.spec.ntp, or an image whose chrony uses the Hyper-V clock",
  references: ["https://learn.microsoft.com/azure/virtual-machines/linux/time-sync"],
} as const satisfies Rule;
