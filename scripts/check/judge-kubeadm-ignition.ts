import type { Evidence, NodeProof, ServiceView } from "./evidence.ts";
import { doubtOf, judgeUnhealthyNode, passAsNode, proofsOf } from "./judge-node.ts";
import { mayStillJoin } from "./judge-kubeadm.ts";
import { failed, waiting, type Judgement } from "./judgement.ts";

/**
 * kubeadm, run by kubeadm.service that Ignition wrote: a oneshot with ConditionPathExists=/etc/kubeadm.yml, whose script
 * (`set -e`) writes the sentinel and then moves that file away. So it runs again after a restart until it has succeeded.
 */
export function judgeKubeadmIgnition(evidence: Evidence): Judgement {
  const [proof] = proofsOf(evidence, "kubeadm-ignition");
  const unit = evidence.services["kubeadm.service"];
  if (proof === undefined || unit === undefined || unit.state === "not-told") return waiting("waiting-for-kubeadm");
  const runs = evidence.kubeadm.runs || unit.state === "starting" || unit.state === "restarting";
  if (runs) return waiting("kubeadm-running");
  if (unit.state === "failed") return judgeFailed(evidence, proof, unit);
  if (evidence.kubeadmConfigWaits) {
    return waiting("waiting-for-kubeadm", `/etc/kubeadm.yml is there and kubeadm.service is ${unit.state}`);
  }
  if (doubtOf(proof) === "") return passAsNode(evidence, proof);
  if (proof.kubeconfigIsThere) return judgeUnhealthyNode(evidence, proof);
  return judgeEmpty(evidence, proof, unit);
}

/** Ignition writes all it writes before the system starts: a unit that is missing will not come. */
function judgeEmpty(evidence: Evidence, proof: NodeProof, unit: ServiceView): Judgement {
  const isOther = Object.values(evidence.nodes).some(({ kubeconfigIsThere }) => kubeconfigIsThere);
  if (isOther || unit.state !== "missing" || evidence.provisioning.state !== "absent") {
    return waiting("waiting-for-bootstrap-data", doubtOf(proof));
  }
  return failed(
    "NoBootstrapData",
    `Ignition wrote no kubeadm.service, so nothing bootstraps this machine, and ${proof.kubeconfig} does not exist.`,
  );
}

function judgeFailed(evidence: Evidence, proof: NodeProof, unit: ServiceView): Judgement {
  // The script moves the file away after kubeadm's success: what failed came later.
  if (!evidence.kubeadmConfigWaits && proof.kubeconfigIsThere) {
    return doubtOf(proof) === "" ? passAsNode(evidence, proof) : judgeUnhealthyNode(evidence, proof);
  }
  if (mayStillJoin(evidence, proof)) return waiting("kubelet-tls-bootstrap", doubtOf(proof));
  return (
    judgeWorker(evidence, proof) ??
    failed("KubeadmFailed", `kubeadm.service failed (${unit.why}) and no sentinel was written.`)
  );
}

/** A worker needs nothing of kubeadm once its kubelet has a certificate; whose it is, only its age tells. */
function judgeWorker(evidence: Evidence, proof: NodeProof): Judgement | undefined {
  const { identity, kubeconfigIsThere } = proof;
  if (evidence.kubeadm.role === "control-plane" || !kubeconfigIsThere) return undefined;
  const isWorker = !evidence.kubeadm.mayBeControlPlane;
  if (isWorker && identity.kind === "own" && doubtOf(proof) === "") return passAsNode(evidence, proof);
  const mayBeOwn = identity.kind === "own" || (identity.kind === "foreign" && !identity.sure);
  return mayBeOwn
    ? waiting("waiting-for-kubeadm", "kubeadm.service failed, and the kubelet may have joined before")
    : undefined;
}
