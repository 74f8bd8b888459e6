import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The AKS provisioning script writes its exit code and output as JSON; Windows writes it between bars. */
export const successAzureScriptFinished = {
  kind: "success",
  id: "success-azure-script-finished",
  platforms: ["linux", "windows"],
  stage: "azure",
  sources: "any",
  any: [
    /"ExitCode\\*": ?\\*"0\\*"/u,
    /ExitCode: \|0\|/u,
    /^Custom script finished\. API server connection check code: 0$/u,
  ],
  title: "The provisioning script ended well",
  covers: ["azure", "packages", "images", "provisioning"],
  final: false,
} as const satisfies Rule;
