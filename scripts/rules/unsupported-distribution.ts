import type { Rule } from "../../handler/diagnosis/rule.ts";

export const unsupportedDistribution = {
  kind: "failure",
  id: "unsupported-distribution",
  cause: "unsupported-os",
  reason: "UnsupportedOs",
  platforms: ["linux"],
  stage: "packages",
  sources: "any",
  any: [
    /(?<what>[Uu]nsupported (?:distribution|operating system|OS|linux distribution)[^\n"]{0,80})/u,
    /(?<what>(?:amazon-linux-extras|apt|apt-get|yum|dnf|tdnf|zypper|apk|pacman): (?:command )?not found)/u,
    /(?<what>ERROR: Unsupported \S{1,40} '[^'\n]{1,60}')/u,
    /(?<what>ERROR: '[^'\n]{1,40}' '[^'\n]{1,40}' is not a supported release)/u,
    /(?<what>could not find a distribution template for [^\n]{2,60})/u,
    /(?<what>unhandled (?:debian|ubuntu|redhat|centos|rhel) version [^\n]{2,40})/u,
    /(?<what>No prebuilt binary for [\w-]{3,40})/u,
    /(?<what>Either your platform is not easily detectable or is not supported)/u,
  ],
  // An extension that does not bootstrap the node.
  except: [/handler for VM extension|VM has reported a failure/u],
  // A script that tries one package manager after the other.
  recoveredBy: [/^Setting up \S{2,80} \(|\bComplete!$/u],
  specificity: 60,
  confidence: "high",
  explains: ["cloud-init-scripts-failed", "package-not-found", "container-runtime-not-running"],
  retryable: false,
  blame: "configuration",
  title: "The installer does not support this distribution or release",
  summary: "This operating system is not supported ({what})",
  explanation:
    "A script or repository made for another distribution or release was used, so it stops or installs nothing.",
  nextStep:
    "Use a supported image: AzureMachineTemplate spec.template.spec.image, or the commands for this release in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
} as const satisfies Rule;
