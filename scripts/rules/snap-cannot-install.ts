import type { Rule } from "../../handler/diagnosis/rule.ts";

export const snapCannotInstall = {
  kind: "failure",
  id: "snap-cannot-install",
  cause: "snap-install-failed",
  reason: "SnapInstallFailed",
  platforms: ["linux"],
  stage: "packages",
  sources: "any",
  any: [
    /error: snap "(?<snap>[^"\n]{1,60})" (?<what>not found|(?:is )?not available[^\n]{0,60})/u,
    /error: (?<what>cannot (?:install|refresh|perform the following tasks|communicate with server|query the store)[^\n]{0,120})/u,
    /error: (?<what>requested a non-existing branch[^\n]{0,100}|too early for operation[^\n]{0,80}|This revision of snap[^\n]{0,100})/u,
    /error: unable to contact snap store(?<what>[^\n]{0,60})/u,
  ],
  specificity: 84,
  confidence: "high",
  explains: ["cloud-init-scripts-failed"],
  retryable: true,
  blame: "network",
  title: "The snap of the distribution cannot be installed",
  summary: "The snap {snap|of the distribution} cannot be installed: {what}",
  explanation: "snapd cannot find, download or set up the snap that carries Kubernetes, so nothing is started.",
  nextStep:
    "Correct channel and name of the snap: bootstrap commands (MicroK8sConfigTemplate or CK8sConfigTemplate) and the proxy or store access of snapd",
  references: ["https://snapcraft.io/docs/troubleshooting"],
} as const satisfies Rule;
