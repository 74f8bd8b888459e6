import type { LookResult } from "../../scripts/check/look.ts";
import { kubeletState } from "./kubelet.ts";
import type { Machine } from "./machine.ts";
import type { Membership } from "./membership.ts";
import { sentinelPath } from "./user-data.ts";
import { canRunAgain } from "./again.ts";
import { isDated, isDecidable, ownBootstrapEnded } from "./decidable.ts";
import {
  hasOwnBootstrap,
  isControlPlane,
  isJoinedByHand,
  isLogLost,
  joinedBeforeItsData,
  lost,
  mayBeWaitedFor,
  ranAnew,
  seemsOlder,
  wasKilled,
} from "./what-shows.ts";

export type Verdict = LookResult["verdict"];

/** What is true of a machine at a moment, and which verdicts are then no lie. */
export interface Truth {
  readonly kind: "working" | "can-still" | "never" | "was-working" | "unknowable";
  readonly why: string;
  readonly allowed: readonly Verdict[];
  /** What must be said in the end, if the machine stays as it is; nothing where no reader of it could know. */
  readonly final?: Verdict;
}

const anything: readonly Verdict[] = ["bootstrapped", "not-yet", "failed"];

export function truthOf(machine: Machine): Truth {
  const truth = plainTruth(machine);
  if (machine.blurred.has("an administrator wrote the sentinel") && truth.kind !== "working") {
    return { kind: "unknowable", why: "an administrator wrote the sentinel", allowed: anything };
  }
  return truth;
}

function plainTruth(machine: Machine): Truth {
  const { membership } = machine;
  if (membership === undefined) return openTruth(machine) ?? neverJoined(machine);
  if (isWorking(machine, membership)) return working(machine, membership);
  const isMember = isOwn(machine, membership) && isComplete(machine, membership) && membership.byBootstrap;
  if (isMember && membership.bootId === machine.bootId) return notRunning(machine, membership);
  return openTruth(machine) ?? closedTruth(machine, membership);
}

/** The truth as long as something that runs, or a restart that is to come, may make it a node. */
function openTruth(machine: Machine): Truth | undefined {
  const mayStill = machine.activities.filter((activity) => activity.mayBecomeNode);
  if (mayStill.some(({ name }) => name === "join by hand")) {
    const bootstrapped = machine.files.has(sentinelPath(machine)) ? (["bootstrapped"] as const) : [];
    // Whoever is about to begin shows nothing yet; a kubeadm that runs is to be seen.
    const failed = machine.processes.some(({ name, stray }) => name === "kubeadm" && stray !== true)
      ? []
      : (["failed"] as const);
    return unknowable("an administrator joins it by hand", [...bootstrapped, "not-yet", ...failed]);
  }
  const [open] = mayStill;
  const restarts = machine.restartAtMs !== undefined && machine.restartByBootstrap && canRunAgain(machine);
  if (open === undefined && !restarts) return undefined;
  return (
    oddTruth(machine, open === undefined) ??
    canStill(open === undefined ? "it restarts, and its bootstrap runs again" : `${open.name} may still make it a node`)
  );
}

/** What somebody did makes the machine show what is not so, while something still runs on it or `onlyRestarts`. */
function oddTruth(machine: Machine, onlyRestarts: boolean): Truth | undefined {
  const { membership, blurred } = machine;
  if (machine.joinedAlone) return joinedAlone;
  // Wiped while cloud-init ran: what it then marks as done is not found again after the restart.
  if (onlyRestarts && blurred.has("cloud-init's records are gone")) return recordsGone;
  if (saysSo(machine)) return forgedByUser;
  const isForeign = membership !== undefined && !isOwn(machine, membership);
  if (isForeign && blurred.has("an administrator touched the certificate")) return certificateTouched;
  return wasTakenApart(machine) ? takenApart : undefined;
}

function closedTruth(machine: Machine, membership: Membership): Truth {
  if (!isOwn(machine, membership)) return foreign(machine, membership);
  if (isJoinedByHand(machine, membership)) return joinedByHand;
  return isComplete(machine, membership) ? notRunning(machine, membership) : incomplete(machine, membership);
}

const joinedAlone: Truth = {
  kind: "unknowable",
  why: "kubeadm was interrupted, and the kubelet joined by itself",
  allowed: ["bootstrapped", "not-yet", "failed"],
};

const joinedByHand: Truth = {
  kind: "unknowable",
  why: "it was joined by hand, whatever its own bootstrap came to",
  allowed: ["bootstrapped", "not-yet", "failed"],
};

/** A node by its own kubelet; what the machine shows may still say otherwise, and then nobody can be blamed. */
function working(machine: Machine, membership: Membership): Truth {
  const { setting, metadata } = machine.life;
  const isOtherwise = hasOwnBootstrap(machine) || setting === "named" || metadata === "missing";
  if (membership.shared && isOtherwise) {
    return unknowable("it is a node like all its clones, and is said to be something else as well");
  }
  if (isJoinedByHand(machine, membership)) return joinedByHand;
  const untold = untoldOf(machine, membership);
  if (untold !== undefined) return untold;
  const allowed: readonly Verdict[] = ["bootstrapped", "not-yet"];
  const why = "its kubelet runs under an identity of its own";
  return mayBeWaitedFor(machine, membership)
    ? { kind: "working", why, allowed }
    : { kind: "working", why, allowed, final: "bootstrapped" };
}

const setBack: Truth = {
  kind: "unknowable",
  why: "it seems older than its instance and is named otherwise than its host: so a clone looks, too",
  allowed: ["bootstrapped", "not-yet", "failed"],
};

const recordsGone: Truth = {
  kind: "unknowable",
  why: "its records were wiped on a good node, and cloud-init has made new ones",
  allowed: ["bootstrapped", "not-yet", "failed"],
};

const canStill = (why: string): Truth => ({ kind: "can-still", why, allowed: ["not-yet"] });

const never = (why: string, decidable: boolean): Truth => ({
  kind: "never",
  why,
  allowed: ["failed", "not-yet"],
  ...(decidable ? { final: "failed" } : {}),
});

const unknowable = (why: string, allowed: readonly Verdict[] = anything): Truth => ({
  kind: "unknowable",
  why,
  allowed,
});

export function isOwn(machine: Machine, membership: Membership): boolean {
  return membership.shared || membership.vmId === machine.vmId;
}

/** A worker needs nothing of kubeadm once its kubelet has a certificate: all that comes after is a note for later upgrades. */
function isComplete(machine: Machine, { complete, runsIn }: Membership): boolean {
  const isHalf = machine.files.has("/etc/kubernetes/manifests/kube-apiserver.yaml") || isControlPlane(machine);
  return complete || (machine.life.role === "join-worker" && runsIn === "kubelet.service" && !isHalf);
}

function isWorking(machine: Machine, membership: Membership): boolean {
  return isComplete(machine, membership) && isOwn(machine, membership) && runs(machine, membership);
}

function runs(machine: Machine, membership: Membership): boolean {
  if (membership.runsIn === "kubelet.service") {
    const validNow = machine.certificateEndsMs() > machine.trueMs;
    return kubeletState(machine) === "running" && validNow;
  }
  return machine.units.get(membership.runsIn)?.active === "active" && machine.certificateEndsMs() > machine.trueMs;
}

/** A member whose records say otherwise, or no more. */
function untoldOf(machine: Machine, membership: Membership): Truth | undefined {
  if (ranAnew(machine) || isLogLost(machine, membership)) return recordsGone;
  if (seemsOlder(machine, membership)) return setBack;
  if (wasTouchedByWrongClock(machine, membership)) return touchedByWrongClock;
  return joinedBeforeItsData(machine) ? joinedAlone : undefined;
}

/** Its own certificate has a time that may lie before all that dates the instance, and another name than the host's: so a donor's looks. */
function wasTouchedByWrongClock(machine: Machine, { nodeName }: Membership): boolean {
  const wasTouched = machine.blurred.has("an administrator touched the certificate");
  return wasTouched && machine.clockWasWrong && nodeName !== machine.hostName;
}

/** A member of the cluster by its own bootstrap, whose kubelet does not run at present. */
function notRunning(machine: Machine, membership: Membership): Truth {
  if (machine.blurred.has("an administrator joined it by hand")) return joinedByHand;
  if (membership.shared) return unknowable("only a kubelet that runs would tell that it is a node like all its clones");
  const untold = untoldOf(machine, membership);
  if (untold !== undefined) return untold;
  const expired = machine.certificateEndsMs() <= Math.max(machine.trueMs, machine.wallMs);
  if (expired) return { ...never("it was a node, but its certificate has expired", false), kind: "was-working" };
  if (kubeletState(machine) === "starting") {
    return { kind: "was-working", why: "its kubelet starts", allowed: ["bootstrapped", "not-yet"] };
  }
  const sameBoot = membership.bootId === machine.bootId || machine.clockWasWrong;
  if (machine.units.get(membership.runsIn)?.active === "failed") {
    return { ...never("it was a member, and its service has failed for good", false), kind: "was-working" };
  }
  return {
    kind: "was-working",
    why: "it is a member, but its kubelet does not run",
    allowed: sameBoot ? ["bootstrapped", "not-yet"] : ["not-yet"],
  };
}

function incomplete(machine: Machine, membership: Membership): Truth {
  if (machine.blurred.has("an administrator joined it by hand")) return joinedByHand;
  const sameBoot = membership.bootId === machine.bootId;
  if (machine.blurred.has("cloud-init's records are gone")) return recordsGone;
  if (!sameBoot && beginsMicrok8s(machine))
    return unknowable("its MicroK8s looks after a restart as if it had been given the keys of its cluster");
  return incompleteByKubeadm(machine, { membership, sameBoot });
}

function beginsMicrok8s({ life: { provider, role } }: Machine): boolean {
  return provider === "microk8s" && role === "init";
}

function incompleteByKubeadm(
  machine: Machine,
  { membership, sameBoot }: { readonly membership: Membership; readonly sameBoot: boolean },
): Truth {
  const isPlain = machine.blurred.size === 0 && !machine.clockWasWrong;
  if (wasKilled(machine)) return never("its bootstrap was killed with cloud-init, and the kubelet had joined", false);
  if (membership.failureOnDisk)
    return never("its bootstrap failed after the kubelet ran, and the disk shows it", sameBoot && isPlain);
  if (!isControlPlane(machine)) return joinedAlone;
  const keepsLog = !machine.blurred.has("the logs are gone") && !machine.blurred.has(lost);
  if (!sameBoot && !keepsLog) return unknowable("a late failure of an earlier boot left no trace on the disk");
  if (!sameBoot) return never("its bootstrap failed after the kubelet had joined, in an earlier boot", false);
  return never("its bootstrap failed after the kubelet had joined", isPlain);
}

/** The disk holds the identity of another virtual machine. */
function foreign(machine: Machine, membership: Membership): Truth {
  const { provider } = machine.life;
  const named = membership.nodeName === machine.hostName;
  if (saysSo(machine)) return forgedByUser;
  if (machine.blurred.has("an administrator touched the certificate")) return certificateTouched;
  const certificate = machine.files.get(membership.certificate);
  if (machine.clockWasWrong && (certificate?.changedMs ?? 0) > machine.firstBootMs + machine.clockErrorMs)
    return fromFuture;
  const why = "it carries the identity of another machine";
  if (!named)
    return never(why, provider !== "kubeadm-ignition" && isDecidable(machine) && isDated(machine, membership));
  return ownBootstrapEnded(machine)
    ? never(why, false)
    : unknowable("it came back under the name of the machine it was captured from");
}

const fromFuture: Truth = unknowable("the donor's clock was ahead, so that its certificate looks newer than the clone");

const touchedByWrongClock: Truth = unknowable("an administrator gave its certificate a time by a wrong clock");

const certificateTouched: Truth = unknowable("an administrator gave a donor's certificate a new time");

/** The user's own script says by the sentinel that it is through, whatever it did. */
function saysSo(machine: Machine): boolean {
  return machine.life.userData === "own-writes-sentinel" && machine.files.has(sentinelPath(machine));
}

const forgedByUser: Truth = unknowable("a script of the user wrote the sentinel without making a node");

function neverJoined(machine: Machine): Truth {
  if (saysSo(machine)) return forgedByUser;
  if (machine.blurred.has(lost) && machine.sentinelBootId !== "") {
    return unknowable("it had bootstrapped, and its identity was lost with the power");
  }
  if (wasTakenApart(machine)) return takenApart;
  return never("nothing that runs on it can make it a node", isDecidable(machine));
}

const takenApart: Truth = unknowable("an administrator took a node apart that its own bootstrap had made");

const wasTakenApart = (machine: Machine): boolean =>
  machine.blurred.has("an administrator took the node apart") && machine.files.has(sentinelPath(machine));
