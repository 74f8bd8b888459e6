import type { Evidence, KubeadmOutcome, NodeProof, ServiceView } from "./evidence.ts";
import { doubtOf, hasJoined, judgeUnhealthyNode, passAsNode, proofsOf, waitForImage } from "./judge-node.ts";
import { failed, waiting, type Judgement } from "./judgement.ts";
import { failProvisioning, finishedWords } from "./words.ts";

/** kubeadm, run by cloud-init or cloudbase-init. No sentinel counts, and nothing of the user data is to be waited for. */
export function judgeKubeadm(evidence: Evidence): Judgement {
  const [proof] = proofsOf(evidence, "kubeadm");
  if (evidence.kubeadm.runs) return waiting("kubeadm-running");
  if (proof === undefined) return waiting("waiting-for-sentinel");
  if (doubtOf(proof) === "") return judgeHealthy(evidence, proof);
  if (evidence.running.length > 0 && !evidence.kubeadm.promisesSentinel) return waiting("user-data-in-background");
  switch (evidence.provisioning.userData) {
    case "this-boot":
      return judgeFinished(evidence, proof);
    case "earlier-boot":
      return judgeEarlier(evidence, proof);
    case "never":
      return judgeNever(evidence, proof);
  }
}

function judgeEarlier(evidence: Evidence, proof: NodeProof): Judgement {
  const { scriptError } = evidence.provisioning;
  if (mayStillJoin(evidence, proof)) return waitForTls(evidence.kubeadm.outcome);
  if (scriptError !== undefined && !hasJoined(proof)) return failProvisioning(evidence, scriptError);
  if (isLeftToOthers(evidence, proof)) return waiting("waiting-for-sentinel", doubtOf(proof));
  if (!proof.kubeconfigIsThere || isLeftHalf(evidence, proof)) return interrupted(evidence, proof);
  return judgeCutOff(evidence, proof) ?? judgeUnhealthyNode(evidence, proof);
}

/**
 * There is a kubelet.conf without the kubelet's certificate, of a kubeadm that was ended or of a donor's. A kubelet that runs with it has the
 * certificate that kubeadm init puts into it: where kubeadm has failed, or the file is older than this instance, that makes no node of it.
 */
function isLeftHalf({ kubeadm }: Evidence, proof: NodeProof): boolean {
  const { identity, services, mayBootstrap, kubeconfigAge } = proof;
  if (identity.kind !== "absent") return false;
  if (kubeadm.outcome.kind === "failed" || kubeconfigAge === "old") return !mayBootstrap;
  const runs = services.some(({ state }) => state === "active" || state === "starting");
  return kubeadm.outcome.kind === "begun" && !runs;
}

function judgeNever(evidence: Evidence, proof: NodeProof): Judgement {
  const error = evidence.provisioning.scriptError ?? evidence.provisioning.otherError;
  if (mayStillJoin(evidence, proof)) return waitForTls(evidence.kubeadm.outcome);
  if (error !== undefined && !hasJoined(proof)) return failProvisioning(evidence, error);
  // Where its user's commands run at every boot, cloud-init keeps no mark of them.
  const { outcome } = evidence.kubeadm;
  if (outcome.kind === "failed" && evidence.provisioning.holdsCommands === true && !proof.kubeconfigIsThere)
    return kubeadmFailed(evidence, outcome);
  return judgeWithoutData(evidence, proof);
}

/** The phases that come when the kubelet has joined already: a control plane that failed in one of them is none. */
function failedLate({ kubeadm }: Evidence): (KubeadmOutcome & { readonly kind: "failed" }) | undefined {
  const { outcome } = kubeadm;
  if (outcome.kind !== "failed") return undefined;
  const early = [
    "",
    "preflight",
    "certs",
    "kubeconfig",
    "download-certs",
    "control-plane-prepare",
    "kubelet-start",
    "kubelet-wait-bootstrap",
  ];
  return early.includes(outcome.phase.split("/", 1)[0] ?? "") ? undefined : outcome;
}

/**
 * A healthy node has bootstrapped, also when a command after the join failed or an attempt before it. Not a control plane
 * whose kubeadm failed in a late phase: its kubelet is well, and etcd or the API server is not there.
 */
function judgeHealthy(evidence: Evidence, proof: NodeProof): Judgement {
  return judgeCutOff(evidence, proof) ?? passAsNode(evidence, proof);
}

/** A control plane that lacks kubeadm's last phases, whatever its kubelet says. */
function judgeCutOff(evidence: Evidence, proof: NodeProof): Judgement | undefined {
  const { kubeadm, provisioning } = evidence;
  const late = failedLate(evidence);
  // The log is kept in images: what it says of an earlier boot may be a donor's.
  const isOwn = provisioning.userData === "this-boot" || kubeadm.role === "control-plane";
  if (late !== undefined && isOwn) return kubeadmFailed(evidence, late);
  if (kubeadm.role === "control-plane" && provisioning.userData === "earlier-boot" && wasCutOff(kubeadm, proof)) {
    return failed(
      "BootstrapInterrupted",
      `The machine restarted while kubeadm made a control plane of it: its kubelet is well, but kubeadm's last phases never ran, and ${provisioning.agent} does not run the user data again.`,
    );
  }
  return kubeadm.role === "control-plane" ? judgeUnkeptPromise(evidence, proof) : undefined;
}

/** A control plane whose user data of this boot has ended without the sentinel that it writes after kubeadm. */
function judgeUnkeptPromise({ kubeadm, provisioning }: Evidence, proof: NodeProof): Judgement | undefined {
  const promised =
    kubeadm.promisesSentinel && provisioning.userData === "this-boot" && provisioning.state === "finished";
  if (!promised || kubeadm.outcome.kind === "completed") return undefined;
  if (wasCutOff(kubeadm, proof)) {
    return failed(
      "KubeadmFailed",
      `${finishedWords(provisioning)} without the sentinel that its user data writes after kubeadm, so kubeadm failed on this control plane, although its kubelet is well.`,
    );
  }
  return waiting("waiting-for-sentinel", "nothing tells whether the last phases of kubeadm ran on this control plane");
}

/** kubeadm join removes the bootstrap kubeconfig when its kubelet has a certificate, whatever comes of its later phases. */
function wasCutOff({ outcome, isUnfinished }: Evidence["kubeadm"], { mayBootstrap }: NodeProof): boolean {
  return outcome.kind === "begun" || ((isUnfinished || mayBootstrap) && outcome.kind !== "completed");
}

/** The user's commands ran in this boot and ended, and there is no sentinel. */
function judgeFinished(evidence: Evidence, proof: NodeProof): Judgement {
  const { scriptError, otherError, restartWanted } = evidence.provisioning;
  if (restartWanted !== undefined) return waiting("waiting-for-restart", restartWanted);
  const { outcome } = evidence.kubeadm;
  // A sentinel of an earlier boot: kubeadm has succeeded before, and what it says now is of another attempt.
  if (evidence.sentinel.state === "counts" && proof.kubeconfigIsThere) return judgeUnhealthyNode(evidence, proof);
  if (hasJoined(proof)) return judgeCutOff(evidence, proof) ?? judgeUnhealthyNode(evidence, proof);
  if (mayStillJoin(evidence, proof)) return waitForTls(outcome);
  if (scriptError !== undefined) return failProvisioning(evidence, scriptError);
  if (outcome.kind === "failed") return kubeadmFailed(evidence, outcome);
  if (isLeftToOthers(evidence, proof)) return waiting("waiting-for-sentinel", doubtOf(proof));
  if (!proof.kubeconfigIsThere) {
    if (otherError !== undefined) return failProvisioning(evidence, otherError);
    return failed(
      "KubeadmFailed",
      `${finishedWords(evidence.provisioning)} without the sentinel, no kubeadm process runs and ${proof.kubeconfig} does not exist.`,
    );
  }
  return judgeUnhealthyNode(evidence, proof);
}

/** A script of the user's own speaks of kubeadm, which has said nothing: it may have left that to a service, also behind a restart. */
function isLeftToOthers({ system, kubeadm, provisioning }: Evidence, proof: NodeProof): boolean {
  const { promisesSentinel, outcome } = kubeadm;
  const isOwn = system === "linux" && kubeadm.namedByScript && !promisesSentinel && provisioning.userData !== "never";
  return isOwn && outcome.kind === "unknown" && !hasJoined(proof);
}

/** kubeadm gave up waiting for the kubelet's certificate; a kubelet that runs goes on asking for one. */
export function mayStillJoin({ kubeadm, system, boot }: Evidence, proof: NodeProof): boolean {
  const { outcome } = kubeadm;
  if (proof.kubeconfigIsThere || lacksApiServer(outcome)) return false;
  if (proof.mayBootstrap && proof.services.some((service) => isOnItsWay(service, { system, boot }))) return true;
  if (!proof.services.some(({ state }) => state === "active")) return false;
  const gaveUpWaiting = outcome.kind === "failed" && outcome.phase.startsWith("kubelet-start");
  return proof.mayBootstrap || (gaveUpWaiting && system === "linux");
}

/** That phase is only there where the kubelet asks this machine's own API server for its certificate, which needs etcd. */
function lacksApiServer(outcome: KubeadmOutcome): boolean {
  return outcome.kind === "failed" && outcome.phase === "etcd-join";
}

/** A kubelet that nobody gives a certificate ends itself every five minutes; one that cannot run does so at once. Windows does not count. */
function isOnItsWay(
  { state, restarts = Number.POSITIVE_INFINITY }: ServiceView,
  { system, boot }: Pick<Evidence, "system" | "boot">,
): boolean {
  if (state === "restarting" && system === "windows") return boot.uptimeMs < longestPauseMs;
  if (state === "restarting") return restarts * slowestCrashMs <= Math.min(boot.uptimeMs, countedMs);
  return state === "starting" || (state === "inactive" && isYoung(boot));
}

/** Between two starts of a kubelet that crashes. */
const slowestCrashMs = 60_000;
/** A machine that was up for long before its kubelet was started says nothing of its restarts. */
const countedMs = 3_600_000;
/** Windows does not count: a kubelet that is still held back so long after the start crashes. */
const longestPauseMs = 1_800_000;

/** A service that starts by itself shows as stopped until the system comes to it. */
function isYoung({ uptimeMs }: Evidence["boot"]): boolean {
  return uptimeMs < 600_000;
}

function waitForTls(outcome: KubeadmOutcome): Judgement {
  const said = outcome.kind === "failed" ? `: ${outcome.line}` : "";
  return waiting("kubelet-tls-bootstrap", `kubeadm gave up, the kubelet still runs and may get its certificate${said}`);
}

function kubeadmFailed(evidence: Evidence, outcome: KubeadmOutcome & { readonly kind: "failed" }): Judgement {
  const words =
    evidence.system === "windows" ? `; kubeadm said: ${outcome.line}` : `, and ${outcome.source} says: ${outcome.line}`;
  return failed("KubeadmFailed", `${finishedWords(evidence.provisioning)} without the sentinel${words}`);
}

function interrupted(evidence: Evidence, proof: NodeProof): Judgement {
  const { outcome } = evidence.kubeadm;
  const { agent, restartWanted, earlierError } = evidence.provisioning;
  if (restartWanted !== undefined) return waiting("waiting-for-restart", restartWanted);
  if (outcome.kind === "failed") {
    return failed("KubeadmFailed", `kubeadm failed in an earlier boot, ${outcome.source} says: ${outcome.line}`);
  }
  if (earlierError !== undefined) {
    return failed(
      "KubeadmFailed",
      `The user data failed in an earlier boot and does not run again, and ${proof.kubeconfig} does not exist; ${earlierError}`,
    );
  }
  return (
    waitForImage(evidence) ??
    failed(
      "BootstrapInterrupted",
      `The machine restarted in mid-bootstrap: ${agent} ran the user data in an earlier boot and does not run it again, and ${proof.kubeconfigIsThere ? proof.certificate : proof.kubeconfig} does not exist.`,
    )
  );
}

/** Nothing of this instance bootstraps: either the machine is a node already, or it never will be one. */
function judgeWithoutData(evidence: Evidence, proof: NodeProof): Judgement {
  if (proof.kubeconfigIsThere) return judgeUnhealthyNode(evidence, proof);
  if (evidence.provisioning.state !== "finished") return waiting("waiting-for-bootstrap-data", doubtOf(proof));
  return (
    waitForImage(evidence) ??
    failed(
      "NoBootstrapData",
      `${finishedWords(evidence.provisioning)}, but its user data runs nothing that bootstraps, and ${proof.kubeconfig} does not exist.`,
    )
  );
}
