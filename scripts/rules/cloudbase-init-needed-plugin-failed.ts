import type { Rule } from "../../handler/diagnosis/rule.ts";

export const cloudbaseInitNeededPluginFailed = {
  kind: "failure",
  id: "cloudbase-init-needed-plugin-failed",
  cause: "cloudbase-init-plugin-failed",
  reason: "CloudbaseInitPluginFailed",
  platforms: ["windows"],
  stage: "provisioning",
  sources: "any",
  any: [
    /plugin '(?<plugin>NetworkConfigPlugin|UserDataPlugin|SetHostNamePlugin|LocalScriptsPlugin|MTUPlugin|ExtendVolumesPlugin|AzureGuestAgentPlugin|NTPClientPlugin)' failed with error '(?<what>[^'\n]{3,120})/u,
  ],
  specificity: 80,
  confidence: "high",
  retryable: false,
  blame: "image",
  title: "A cloudbase-init plugin that the node needs failed",
  summary: "The plugin {plugin} failed: {what|see the evidence}",
  explanation:
    "cloudbase-init found its metadata, but this step did not work: network settings, host name, user-data or the scripts in it.",
  nextStep:
    "Correct what the plugin works on: NetworkConfigPlugin: adapter names and addresses; UserDataPlugin: the script in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands; plugin list: the image (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://cloudbase-init.readthedocs.io/en/latest/"],
} as const satisfies Rule;
