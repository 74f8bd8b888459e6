import type { Evidence } from "./evidence.ts";
import type { Judgement } from "./judgement.ts";
import { judgeService } from "./judge-service.ts";

/** k3s writes the sentinel when its installer has ended; an agent may not have joined by then, or never be able to. */
export function judgeK3s(evidence: Evidence): Judgement {
  return judgeService(evidence, {
    provider: "k3s",
    renewsAtStart: true,
    stageWhileStarting: (state) => `k3s-${state}`,
  });
}
