import type { Evidence } from "./evidence.ts";
import type { Judgement } from "./judgement.ts";
import { judgeService } from "./judge-service.ts";

/** Its sentinel is empty, and the last of commands that do not stop at an error. */
export function judgeCanonicalKubernetes(evidence: Evidence): Judgement {
  return judgeService(evidence, {
    provider: "canonical-kubernetes",
    renewsAtStart: false,
    stageWhileStarting: () => "joining",
  });
}
