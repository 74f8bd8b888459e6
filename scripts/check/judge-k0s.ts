import type { Evidence } from "./evidence.ts";
import type { Judgement } from "./judgement.ts";
import { judgeService } from "./judge-service.ts";

/** k0s writes an empty sentinel as its last command, whatever came of those before. A controller has no kubelet by default. */
export function judgeK0s(evidence: Evidence): Judgement {
  return judgeService(evidence, {
    provider: "k0s",
    renewsAtStart: false,
    stageWhileStarting: (state) => `k0s-${state}`,
  });
}
