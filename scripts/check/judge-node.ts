import { areUntold, type Evidence, type NodeProof, type ServiceView } from "./evidence.ts";
import { bootstrapped, failed, waiting, type Judgement } from "./judgement.ts";
import { layoutsOf } from "./node-layouts.ts";
import { serviceWords } from "./words.ts";

/** The proofs that a provider's node can give, in the order in which they are looked at. */
export function proofsOf(evidence: Evidence, provider: string): readonly NodeProof[] {
  return layoutsOf(evidence.system, provider).flatMap(({ name }) => evidence.nodes[name] ?? []);
}

/** What is missing for a working node of this machine, as a sentence; empty when it is one. */
export function doubtOf(proof: NodeProof): string {
  const doubt = doubtOfIdentity(proof);
  if (doubt !== "") return doubt;
  if (proof.lacks !== undefined) return proof.lacks;
  // Where nobody tells of services, the kubelet's own answer does.
  const answers = proof.healthz === "ok" && areUntold(proof.services);
  if (!answers && !proof.services.some(({ state }) => state === "active"))
    return proof.services.map(serviceWords).join(", ");
  if (proof.healthz === "failing" || proof.healthz === "refused") {
    return `the kubelet does not answer well on http://127.0.0.1:10248/healthz (${proof.healthz})`;
  }
  return "";
}

function doubtOfIdentity(proof: NodeProof): string {
  const { identity } = proof;
  if (!proof.kubeconfigIsThere) return `${proof.kubeconfig} does not exist`;
  switch (identity.kind) {
    case "absent":
      return `${proof.certificate} does not exist`;
    case "unreadable":
      return `${proof.certificate} holds no certificate yet`;
    case "foreign":
      return `${proof.certificate} ${identity.why}`;
    case "expired":
      return identity.why;
    case "own":
    case "shared":
      return "";
  }
}

/** It joined in its own right; its kubelet may still be starting. */
export function hasJoined(proof: NodeProof): boolean {
  return doubtOfIdentity(proof) === "";
}

/** A service that starts, or runs and may have its own certificate in the end. A kubelet without anything to join with is none. */
export function goesOn(proof: NodeProof): boolean {
  const { services, mayBootstrap, kubeconfigIsThere, identity, lacks } = proof;
  if (lacks !== undefined || (identity.kind === "foreign" && identity.sure)) return false;
  const mayJoin = mayBootstrap || (kubeconfigIsThere && !isHalfDonors(proof));
  return services.some(({ name, state }) => {
    if (state === "active" || state === "starting") return !isKubelet(name) || mayJoin;
    return state === "restarting" && !isKubelet(name);
  });
}

/** Captured in mid-bootstrap: nothing brings a certificate to this kubeconfig, whether the kubelet runs with it or not. */
function isHalfDonors({ identity, kubeconfigAge, mayBootstrap }: NodeProof): boolean {
  return identity.kind === "absent" && kubeconfigAge === "old" && !mayBootstrap;
}

/** The one service of a distribution runs, or will: it may take its donor's certificate for its own, and may make another. */
export function holdsService({ services }: NodeProof): boolean {
  return services.some(({ name, state }) => !isKubelet(name) && ["active", "starting", "restarting"].includes(state));
}

function isKubelet(name: string): boolean {
  return name === "kubelet.service" || name === "kubelet";
}

/** The node itself is the proof, whatever wrote or did not write the sentinel. */
export function passAsNode(evidence: Evidence, proof: NodeProof): Judgement {
  if (mayBeOfDonor(evidence, proof)) {
    return waiting(
      "waiting-for-kubelet",
      `Nothing tells that the user data made this node, or whether ${proof.certificate} is older than it, although it names this host`,
    );
  }
  const rival = rivalOf(evidence, proof);
  if (rival !== undefined) return waiting("waiting-for-service", rival.services.map(serviceWords).join(", "));
  const active = proof.services.find(({ state }) => state === "active");
  const { scriptError, otherError } = evidence.provisioning;
  const sentinel = evidence.sentinel.state === "counts" ? [] : [withoutSentinel(evidence, proof, active)];
  const errors = [scriptError, otherError].flatMap((words) => (words === undefined ? [] : [besideWords(words)]));
  return bootstrapped(
    [
      `${proof.kubeconfig} exists`,
      proof.identity.kind === "own"
        ? `${proof.certificate} is this node's own: ${proof.identity.why}`
        : `${proof.certificate} is valid`,
      ...(active === undefined ? [] : [`${active.name} is active`]),
      ...(proof.healthz === "ok" ? ["http://127.0.0.1:10248/healthz answers 200"] : []),
    ],
    [...sentinel, ...errors],
  );
}

/**
 * A donor may have had the same name: the user data that would have made a node of this machine failed, or was ended, or nothing tells. On
 * Windows, where zones blur all times, it also needs a word of kubeadm's or the sentinel.
 */
function mayBeOfDonor({ system, provisioning, kubeadm }: Evidence, { identity }: NodeProof): boolean {
  const { scriptError, earlierError, hadBadRun } = provisioning;
  if ((kubeadm.outcome.kind === "completed" && kubeadm.outcomeIsOwn) || identity.kind !== "own") return false;
  if (identity.by === "old-name") return true;
  const hasFailed =
    kubeadm.outcome.kind === "failed" || (scriptError ?? earlierError) !== undefined || hadBadRun === true;
  return identity.by === "undated-name" && (hasFailed || system === "windows");
}

/** A node that only its name proves may be a donor's, as long as the service of another distribution is about to make one of this machine's own. */
function rivalOf({ nodes }: Evidence, proof: NodeProof): NodeProof | undefined {
  if (proof.identity.kind !== "own" || proof.identity.by === "age") return undefined;
  const rivals = Object.entries(nodes).filter(([name, { identity }]) => identity.kind !== "foreign" || mayRenew(name));
  return rivals.map(([, node]) => node).find((node) => node !== proof && holdsService(node) && !hasJoined(node));
}

/** Others go on with their donor's certificate. */
function mayRenew(layout: string): boolean {
  return layout === "rke2" || layout === "k3s";
}

function withoutSentinel(evidence: Evidence, proof: NodeProof, active: ServiceView | undefined): string {
  const which = evidence.system === "windows" ? "no sentinel counts" : "no sentinel in this boot";
  return `${which}: ${proof.kubeconfig}, this node's certificate and an active ${active?.name ?? "kubelet"} prove that it joined`;
}

function besideWords(words: string): string {
  return words.startsWith("/run/cloud-init/result.json has errors")
    ? words.replace("/run/cloud-init/result.json has errors", "cloud-init reports errors")
    : words;
}

/** There is a kubeconfig, nothing bootstraps any more, and the node does not work (yet). */
export function judgeUnhealthyNode(evidence: Evidence, proof: NodeProof): Judgement {
  const { identity } = proof;
  if (identity.kind === "foreign" && identity.sure && proof.kubeconfigAge !== "new") {
    return failed(
      "ForeignNodeIdentity",
      `${proof.certificate} ${identity.why}: this machine was cloned from a bootstrapped one, and nothing in this boot bootstraps it.`,
    );
  }
  if (isHalfDonors(proof)) {
    return failed(
      "ForeignNodeIdentity",
      `${proof.kubeconfig} is older than this instance, and ${proof.certificate} does not exist: this machine was cloned from one that was being bootstrapped, and nothing in this boot bootstraps it.`,
    );
  }
  if (identity.kind === "expired" && identity.lasting && evidence.system === "linux")
    return certificateExpired(identity.why);
  const broken = proof.services.find(({ state }) => state === "failed");
  if (broken !== undefined) {
    return failed("KubeletFailed", `${broken.name} failed (${broken.why}) on a node that has ${proof.kubeconfig}.`);
  }
  return waiting("waiting-for-kubelet", doubtOf(proof));
}

function certificateExpired(why: string): Judgement {
  return failed(
    "NodeCertificateExpired",
    `${why}, the kubelet cannot renew it by itself any more, and nothing in this boot makes a new one.`,
  );
}

/** An image may bootstrap its machines by services of its own: as long as the boot waits for one, nothing is over. */
export function waitForImage({ kubeadm, services }: Evidence): Judgement | undefined {
  if (kubeadm.runs) return waiting("kubeadm-running");
  return services["multi-user.target"]?.state === "starting"
    ? waiting("waiting-for-service", "the boot still waits for services of this image (multi-user.target)")
    : undefined;
}
