import type { Evidence, NodeProof, ServiceView } from "./evidence.ts";
import { doubtOf, judgeUnhealthyNode, passAsNode, proofsOf, waitForImage } from "./judge-node.ts";
import { bootstrapped, failed, waiting, type Judgement } from "./judgement.ts";
import { installUnits } from "./node-layouts.ts";
import { failProvisioning, finishedWords, serviceWords } from "./words.ts";

/** What differs between the distributions in which one service is the whole node. */
export interface ServiceRules {
  readonly provider: string;
  /** Its service makes the node's certificate anew at every start, so that a donor's does not stay. */
  readonly renewsAtStart: boolean;
  readonly stageWhileStarting: (state: string) => string;
}

/** systemd starts its services again and again, so only systemd knows when one has failed for good. */
export function judgeService(evidence: Evidence, rules: ServiceRules): Judgement {
  const judgement = judgeItsService(evidence, rules);
  return judgement.kind === "waiting" ? (judgeInstaller(evidence, rules) ?? judgement) : judgement;
}

/** With Ignition a unit of its own runs the commands, once in a boot. */
function judgeInstaller({ services, nodes }: Evidence, { provider }: ServiceRules): Judgement | undefined {
  const unit = services[installUnits[provider] ?? ""];
  const isInstalled = nodes[provider]?.services.some(({ state }) => state !== "missing") !== false;
  if (unit === undefined || isInstalled) return undefined;
  if (unit.state === "failed")
    return failed("BootstrapServiceFailed", `${unit.name} failed (${unit.why}), and has installed no ${provider}.`);
  return unit.state === "missing" ? undefined : waiting("waiting-for-service", serviceWords(unit));
}

function judgeItsService(evidence: Evidence, rules: ServiceRules): Judgement {
  const [proof] = proofsOf(evidence, rules.provider);
  const service = proof === undefined ? undefined : foremost(proof.services);
  if (proof === undefined || service === undefined) return waiting("waiting-for-service");
  switch (service.state) {
    case "active":
      return judgeActive({ evidence, rules, proof, service });
    case "failed":
      return runsOrWill(evidence)
        ? waiting(evidence.provisioning.stage, `${service.name} failed (${service.why}); the user data has not ended`)
        : failed(
            "BootstrapServiceFailed",
            `${service.name} failed (${service.why}) and systemd does not start it again.`,
          );
    case "starting":
    case "restarting":
      return waiting(rules.stageWhileStarting(service.state), `${service.name} is ${service.state}`);
    case "not-told":
      return judgeUntold(evidence, proof);
    case "missing":
    case "inactive":
      return judgeIdle(evidence, proof, service);
  }
}

/** Where no systemd runs, the kubelet's own answer stands for its service. */
function judgeUntold(evidence: Evidence, proof: NodeProof): Judgement {
  return doubtOf(proof) === "" ? passAsNode(evidence, proof) : waiting("waiting-for-service");
}

/** The user data may still start it again: it runs, or what it has come to was taken away while it ran. */
function runsOrWill({ provisioning: { state } }: Evidence): boolean {
  return state === "running" || state === "pending";
}

/** The one that is furthest on its way; a machine has at most one of a distribution's services. */
function foremost(services: readonly ServiceView[]): ServiceView | undefined {
  const order = ["active", "starting", "restarting", "failed", "not-told", "inactive", "missing"];
  return services.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state))[0];
}

function judgeActive(seen: {
  readonly evidence: Evidence;
  readonly rules: ServiceRules;
  readonly proof: NodeProof;
  readonly service: ServiceView;
}): Judgement {
  const { evidence, rules, proof, service } = seen;
  const doubt = doubtOf(proof);
  if (doubt === "") return passAsNode(evidence, proof);
  const { sentinel } = evidence;
  if (sentinel.state === "counts" && evidence.controllerRuns) {
    return bootstrapped([sentinel.because, `${service.name} is active and runs kube-apiserver`]);
  }
  if (sentinel.state === "counts" && sentinel.ofThisBoot && proof.isElsewhere === true && proof.healthz === "ok") {
    const elsewhere = `its configuration names a data folder of its own, and its kubelet answers on port 10248`;
    return bootstrapped([sentinel.because, `${service.name} is active, ${elsewhere}`]);
  }
  return judgeUnproved(evidence, proof, rules) ?? waiting("joining", doubt);
}

/** The service runs, and the node will never be its own: the user data has ended, or there was none. */
function judgeUnproved(evidence: Evidence, proof: NodeProof, rules: ServiceRules): Judgement | undefined {
  const { provisioning } = evidence;
  const { state, userData, holdsCommands } = provisioning;
  // Whether it was to join another cluster stands in its script: without one nobody knows.
  const hasEnded = state === "finished" && userData === "this-boot" && holdsCommands === true;
  if (proof.lacks !== undefined && hasEnded && evidence.running.length === 0) {
    return failed("BootstrapServiceFailed", `${finishedWords(provisioning)}, and ${proof.lacks}.`);
  }
  return proof.identity.kind === "foreign" ? judgeForeign(evidence, proof, rules) : undefined;
}

/** Another machine's certificate that stays: the service had time to make one of its own, and no user data is left to help it. */
function judgeForeign(evidence: Evidence, proof: NodeProof, rules: ServiceRules): Judgement | undefined {
  const { finishedAgoMs, foundNoData, scriptError, userData, holdsCommands } = evidence.provisioning;
  if ((finishedAgoMs ?? 0) <= renewalMs) return undefined;
  if (foundNoData === true && scriptError !== undefined) return failProvisioning(evidence, scriptError);
  const isOver = !rules.renewsAtStart && (userData === "earlier-boot" || keepsDonors(evidence, proof));
  return isOver || holdsCommands === false ? judgeUnhealthyNode(evidence, proof) : undefined;
}

/** The user data has ended and did not install the service: it is the donor's, as is all that it runs with. */
function keepsDonors({ provisioning, running, kubeadm }: Evidence, { unitAge }: NodeProof): boolean {
  return provisioning.state === "finished" && running.length === 0 && !kubeadm.runs && unitAge === "old";
}

/** RKE2 and k3s make their certificates anew at every start. */
const renewalMs = 120_000;

/** Units that come after cloud-final.service get their job only when it has ended: a moment after result.json was written. */
const settlingMs = 10_000;

function judgeIdle(evidence: Evidence, proof: NodeProof, service: ServiceView): Judgement {
  const { provisioning } = evidence;
  const names = proof.services.map(({ name }) => name).join(" ");
  const idle = waiting("waiting-for-service", `none of these services runs yet: ${names}`);
  if (provisioning.state !== "finished" || (provisioning.finishedAgoMs ?? 0) < settlingMs) return idle;
  if (evidence.running.length > 0) return idle;
  // It has joined: an upgrade, a restore or a person stopped it, or its service has a name of its own.
  if (isOwnByAge(proof)) return idle;
  if (provisioning.userData === "earlier-boot")
    return service.state === "missing" ? interrupted(evidence, names) : idle;
  const error = provisioning.scriptError ?? provisioning.otherError;
  if (error !== undefined) return failProvisioning(evidence, error);
  if (provisioning.restartWanted !== undefined) return waiting("waiting-for-restart", provisioning.restartWanted);
  return failed(
    "BootstrapServiceNotStarted",
    `${finishedWords(provisioning)}, but none of these services was started: ${names}.`,
  );
}

function isOwnByAge({ kubeconfigIsThere, identity, lacks }: NodeProof): boolean {
  return kubeconfigIsThere && identity.kind === "own" && identity.by === "age" && lacks === undefined;
}

function interrupted(evidence: Evidence, names: string): Judgement {
  return (
    waitForImage(evidence) ??
    failed(
      "BootstrapInterrupted",
      `The machine restarted in mid-bootstrap: ${evidence.provisioning.agent} ran the user data in an earlier boot and does not run it again, and none of these services exists: ${names}.`,
    )
  );
}
