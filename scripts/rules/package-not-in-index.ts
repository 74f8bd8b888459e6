import type { Rule } from "../../handler/diagnosis/rule.ts";

export const packageNotInIndex = {
  kind: "failure",
  id: "package-not-in-index",
  cause: "package-not-found",
  reason: "PackageNotFound",
  platforms: ["linux"],
  stage: "packages",
  sources: "any",
  any: [
    /E: Unable to locate package (?<package>\S{1,100})/u,
    /E: Version '[^']{1,60}' for '(?<package>[^']{1,100})' was not found/u,
    /Package '(?<package>[^']{1,100})' has no installation candidate/u,
    /Package (?<package>\S{1,100}) is not available, but is referred to by another package/u,
    /No provider of '(?<package>[^']{1,100})' found/u,
    /No package (?<package>\S{1,100}) available/u,
    /(?:No match for argument: |Error: Unable to find a match: )(?<package>[^\s']{1,100})/u,
    /[Pp]ackage '(?<package>[^\s']{1,100})' not found\./u,
  ],
  // dnf, where what is to be taken away is not there.
  recoveredBy: [/No [Pp]ackages marked for removal/u],
  specificity: 54,
  confidence: "high",
  explains: [
    "cloud-init-scripts-failed",
    "container-runtime-not-running",
    "preflight-binary-missing",
    "vm-extension-failed",
  ],
  retryable: false,
  blame: "configuration",
  title: "A package or version does not exist in the repositories",
  summary: "The package {package} is not in the repositories",
  explanation: "The repository works but has no such package or version, or the index was not refreshed before.",
  nextStep:
    "Run apt-get update first, and correct name, version and architecture in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands; or use an image that holds the packages (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
} as const satisfies Rule;
