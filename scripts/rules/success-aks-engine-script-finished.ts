import type { Rule } from "../../handler/diagnosis/rule.ts";

/** The last words of aks-engine's script, which waits for locks. It goes on whatever else failed. */
export const successAksEngineScriptFinished = {
  kind: "success",
  id: "success-aks-engine-script-finished",
  platforms: ["linux"],
  stage: "azure",
  sources: "any",
  any: [/^Custom script finished successfully$/u],
  title: "aks-engine's script came to its end",
  covers: [],
  settles: ["apt-lock-held", "apt-repository-failed"],
  final: false,
} as const satisfies Rule;
