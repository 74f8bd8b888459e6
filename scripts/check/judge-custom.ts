import type { Evidence } from "./evidence.ts";
import { doubtOf, goesOn, hasJoined, judgeUnhealthyNode, passAsNode, proofsOf } from "./judge-node.ts";
import { waiting, type Judgement } from "./judgement.ts";
import { failProvisioning, finishedWords } from "./words.ts";

/**
 * User data written by hand, or a provider that is not known: it may leave work behind when it ends, so only an error of its
 * own commands is a failure, and not even that on a machine that has joined.
 */
export function judgeCustom(evidence: Evidence): Judgement {
  const proofs = proofsOf(evidence, "custom");
  const healthy = proofs.find((proof) => doubtOf(proof) === "");
  if (healthy !== undefined) return passAsNode(evidence, healthy);
  const { provisioning, sentinel } = evidence;
  if (provisioning.restartWanted !== undefined) return waiting("waiting-for-restart", provisioning.restartWanted);
  const joined = proofs.find(hasJoined);
  if (joined !== undefined) return judgeUnhealthyNode(evidence, joined);
  const [other] = proofs.filter(goesOn);
  if (provisioning.scriptError !== undefined && other !== undefined)
    return waiting("waiting-for-kubelet", doubtOf(other));
  if (provisioning.scriptError !== undefined && evidence.running.length === 0 && !evidence.kubeadm.runs) {
    return failProvisioning(evidence, provisioning.scriptError);
  }
  const known = provisioning.state === "finished" ? `${finishedWords(provisioning)}; ` : "";
  return waiting("waiting-for-sentinel", `${known}the user data has not written ${sentinel.path}`);
}
