import type { Evidence } from "./evidence.ts";
import { doubtOf, judgeUnhealthyNode, passAsNode, proofsOf, waitForImage } from "./judge-node.ts";
import { bootstrapped, failed, waiting, type Judgement } from "./judgement.ts";
import { failProvisioning, finishedWords } from "./words.ts";

/** No trace of a provider, and no user data that runs a command. A clone of a node can be a node all the same. */
export function judgeNone(evidence: Evidence): Judgement {
  const { provisioning } = evidence;
  const error = provisioning.scriptError ?? provisioning.otherError;
  if (evidence.setting === "none") {
    if (error !== undefined) return failProvisioning(evidence, error);
    if (provisioning.agent === "cloudbase-init" && provisioning.restartWanted !== undefined)
      return waiting("waiting-for-restart", provisioning.restartWanted);
    return bootstrapped([`${finishedWords(provisioning)}, and bootstrapProvider is none`]);
  }
  const proofs = proofsOf(evidence, "none").filter(({ kubeconfigIsThere }) => kubeconfigIsThere);
  const healthy = proofs.find((proof) => doubtOf(proof) === "");
  if (healthy !== undefined) return passAsNode(evidence, healthy);
  if (error !== undefined) return failProvisioning(evidence, error);
  const [node] = proofs;
  if (node !== undefined) return judgeUnhealthyNode(evidence, node);
  if (evidence.running.length > 0) return waiting("user-data-in-background");
  if (provisioning.state !== "finished") return waiting("waiting-for-bootstrap-data");
  return (
    waitForImage(evidence) ??
    failed(
      "NoBootstrapData",
      `${finishedWords(provisioning)}, but its user data holds no command that could bootstrap this machine.`,
    )
  );
}
