import type { Evidence } from "./evidence.ts";
import type { Judgement } from "./judgement.ts";
import { judgeService } from "./judge-service.ts";

/** MicroK8s never writes a sentinel: the node is the only proof. */
export function judgeMicrok8s(evidence: Evidence): Judgement {
  return judgeService(evidence, { provider: "microk8s", renewsAtStart: false, stageWhileStarting: () => "joining" });
}
