import type { Evidence } from "./evidence.ts";
import type { Judgement } from "./judgement.ts";
import { judgeService } from "./judge-service.ts";

/** RKE2 writes the sentinel in a command of its own, also when the steps before it failed: its service has to agree. */
export function judgeRke2(evidence: Evidence): Judgement {
  return judgeService(evidence, {
    provider: "rke2",
    renewsAtStart: true,
    stageWhileStarting: (state) => `rke2-${state}`,
  });
}
