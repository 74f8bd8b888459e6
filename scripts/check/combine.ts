import type { Evidence, NodeProof } from "./evidence.ts";
import { judgeCanonicalKubernetes } from "./judge-canonical-kubernetes.ts";
import { judgeCustom } from "./judge-custom.ts";
import { judgeK0s } from "./judge-k0s.ts";
import { judgeK3s } from "./judge-k3s.ts";
import { judgeKubeadmIgnition } from "./judge-kubeadm-ignition.ts";
import { judgeKubeadm } from "./judge-kubeadm.ts";
import { judgeMicrok8s } from "./judge-microk8s.ts";
import { doubtOf, goesOn, hasJoined, holdsService, passAsNode, proofsOf } from "./judge-node.ts";
import { judgeNone } from "./judge-none.ts";
import { judgeRke2 } from "./judge-rke2.ts";
import { bootstrapped, failed, waiting, type Judgement } from "./judgement.ts";
import type { Observed } from "./look-parts.ts";
import { serviceWords } from "./words.ts";
import { sentinelDecides } from "./trust.ts";

const judges: Readonly<Record<string, (evidence: Evidence) => Judgement>> = {
  kubeadm: judgeKubeadm,
  "kubeadm-ignition": judgeKubeadmIgnition,
  rke2: judgeRke2,
  k3s: judgeK3s,
  k0s: judgeK0s,
  microk8s: judgeMicrok8s,
  "canonical-kubernetes": judgeCanonicalKubernetes,
  custom: judgeCustom,
  none: judgeNone,
};

/** What all the evidence comes to. The rules that are not one provider's own stand here, and only here. */
export function combine({ evidence, providers }: Observed): Judgement {
  const { sentinel } = evidence;
  if (sentinel.state === "counts" && sentinelDecides(evidence.system, providers) && !mustAgree(evidence, providers)) {
    return bootstrapped([sentinel.because]);
  }
  const early = sentinel.state === "counts" && sentinel.ofThisBoot ? undefined : judgeProvisioning(evidence, providers);
  if (early !== undefined) return nodeWhileRunning(evidence, providers) ?? early;
  const names = providers.length > 0 ? providers : ["none"];
  const all = names.map((name) => (judges[name] ?? judgeCustom)(evidence));
  const judgement = foremost(all);
  if (judgement.kind === "bootstrapped") return judgement;
  return keptOpen(evidence, names, judgement) ?? judgement;
}

/** What else on the machine speaks against this judgement, or for more time. */
function keptOpen(evidence: Evidence, names: readonly string[], judgement: Judgement): Judgement | undefined {
  return (
    otherNode(evidence, names) ??
    otherService(evidence, names, judgement) ??
    doubtfulNode(evidence, judgement) ??
    hold(evidence, judgement, evidence.provisioning.state)
  );
}

/**
 * A working node whose user data still runs a command after the join. Not where a sentinel is still to come: a control
 * plane's kubelet is well long before kubeadm is through.
 */
function nodeWhileRunning(evidence: Evidence, providers: readonly string[]): Judgement | undefined {
  const { provisioning, kubeadm, sentinel } = evidence;
  if (provisioning.state !== "running" || kubeadm.runs) return undefined;
  const isOver = provisioning.lastStageLost !== undefined;
  if (sentinel.state !== "counts" && kubeadm.promisesSentinel && !isOver) return undefined;
  // A worker needs nothing of what its user data would have done after the join.
  const isWorker = isOver && kubeadm.role !== "control-plane" && !kubeadm.mayBeControlPlane;
  const isProof = sentinel.state === "counts" || isWorker;
  const names = isProof ? providers : providers.filter((name) => !name.startsWith("kubeadm"));
  const proof = names.flatMap((name) => proofsOf(evidence, name)).find((one) => doubtOf(one) === "" && isOwnByAge(one));
  return proof === undefined ? undefined : passAsNode(evidence, proof);
}

/** Made in this instance, so that the user data that runs cannot still replace it. */
function isOwnByAge({ identity }: NodeProof): boolean {
  return identity.kind === "own" && identity.by === "age";
}

/**
 * A machine can be a node by other means than those of its bootstrap provider, such as an image that brings all with it. Where no
 * provider is known, or of the one that is nothing was installed, also by the service of any distribution that has made the node's certificate in this instance.
 */
function otherNode(evidence: Evidence, providers: readonly string[]): Judgement | undefined {
  const judged = judgedOf(evidence, providers);
  const isPlain = providers.every((name) => name === "custom" || name === "none") || [...judged].every(isFilesOnly);
  const others = isPlain ? Object.values(evidence.nodes).filter(isOwnByAge) : proofsOf(evidence, "none");
  const proof = others.find((one) => !judged.has(one) && doubtOf(one) === "");
  if (proof === undefined || evidence.running.length > 0) return undefined;
  const rivals = isPlain ? [...judged].filter((one) => one.kubeconfigIsThere || one.mayBootstrap) : [...judged];
  // kubeadm and Canonical Kubernetes have one path for it.
  const services = rivals
    .filter(({ kubeconfig }) => kubeconfig !== proof.kubeconfig)
    .flatMap((one) => one.services)
    .filter((one) => !proof.services.includes(one));
  return services.some(({ state }) => state !== "missing") ? undefined : passAsNode(evidence, proof);
}

/** Nothing of it is on the machine but the files by which its provider was named: anybody can copy those. */
function isFilesOnly({ services, kubeconfigIsThere, mayBootstrap }: NodeProof): boolean {
  return !kubeconfigIsThere && !mayBootstrap && services.every(({ state }) => state === "missing");
}

/** Nothing has failed for good while a service of another kind is on its way to make a node of this machine. */
function otherService(evidence: Evidence, providers: readonly string[], judgement: Judgement): Judgement | undefined {
  if (judgement.kind !== "failed") return undefined;
  const judged = judgedOf(evidence, providers);
  const [name, proof] = Object.entries(evidence.nodes).find(([, one]) => !judged.has(one) && goesOn(one)) ?? [];
  if (name === undefined || proof === undefined) return undefined;
  const own = judges[name]?.(evidence);
  if (own?.kind === "waiting") return own;
  const words = proof.services.filter(({ state }) => state !== "missing").map(serviceWords);
  return waiting("waiting-for-service", `${words.join(", ")}; ${judgement.message}`);
}

/**
 * User data fails when it runs again on a node that it had made, and cloud-init without metadata on any: as long as the node may be this
 * machine's, nothing has failed.
 */
function doubtfulNode({ nodes }: Evidence, judgement: Judgement): Judgement | undefined {
  if (judgement.kind !== "failed") return undefined;
  const node = Object.values(nodes).find(
    ({ identity, kubeconfigIsThere }) => kubeconfigIsThere && identity.kind === "foreign" && !identity.sure,
  );
  return node === undefined ? undefined : waiting("waiting-for-kubelet", `${doubtOf(node)}; ${judgement.message}`);
}

function judgedOf(evidence: Evidence, providers: readonly string[]): ReadonlySet<NodeProof> {
  return new Set(providers.flatMap((name) => proofsOf(evidence, name)));
}

/** A sentinel of an earlier boot (Windows keeps it) says that the machine was a node; a node that is there must still be one. */
function mustAgree({ sentinel, nodes, provisioning }: Evidence, providers: readonly string[]): boolean {
  if (sentinel.ofThisBoot) return false;
  if (provisioning.state === "pending" || provisioning.state === "running") return true;
  return providers.includes("kubeadm") || Object.values(nodes).some(({ kubeconfigIsThere }) => kubeconfigIsThere);
}

/** While the user data is still to run, or runs, nothing else is asked. */
function judgeProvisioning(evidence: Evidence, providers: readonly string[]): Judgement | undefined {
  const { provisioning, nodes, running } = evidence;
  if (provisioning.state !== "pending" && provisioning.state !== "running") return undefined;
  const lost = provisioning.lastStageLost;
  // While it is begun again by hand, what systemd says of its unit is of the run before.
  if (lost !== undefined && running.length === 0) {
    const mayChange =
      provisioning.hasOldResult === true ||
      Object.values(nodes).some((node) => goesOn(node) || hasJoined(node)) ||
      [...judgedOf(evidence, providers)].some(holdsService);
    if (mayChange) return waiting("waiting-for-service", lost);
    return failed("CloudInitFailed", `${lost} and /run/cloud-init/result.json was never written.`);
  }
  return waiting(provisioning.stage);
}

/** Several providers: one that has bootstrapped decides, then one that still may, then the first failure. */
function foremost(all: readonly Judgement[]): Judgement {
  const order = ["bootstrapped", "waiting", "failed"];
  return (
    all.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))[0] ??
    waiting("waiting-for-bootstrap-data")
  );
}

/** Whoever runs the user data ended before its end: a restart or a later start may still come, unless the user's commands failed. */
function hold({ provisioning, system }: Evidence, judgement: Judgement, state: string): Judgement {
  if (provisioning.isOfEarlierBoot === true && judgement.kind === "failed")
    return waiting(provisioning.stage, judgement.message);
  if (system !== "windows" || state !== "stopped" || judgement.kind !== "failed") return judgement;
  return provisioning.scriptError === undefined ? waiting("waiting-for-sentinel", judgement.message) : judgement;
}
