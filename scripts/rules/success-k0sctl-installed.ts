import type { Rule } from "../../handler/diagnosis/rule.ts";

/** k0sctl speaks of the cluster; what it saw of the API server is over, and of a single node it says nothing. */
export const successK0sctlInstalled = {
  kind: "success",
  id: "success-k0sctl-installed",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [/^INFO k0s cluster version \S{3,40} is now installed/u],
  title: "k0sctl installed the cluster",
  covers: [],
  settles: ["api-server-unreachable"],
  final: false,
} as const satisfies Rule;
