import { msBetween } from "../verdict/moment.ts";
import { compareHeard, compareTexts, isFailure } from "../verdict/next-verdict.ts";
import { hold, type HealingDecision } from "./decision.ts";
import { isLive, type HealingMachine } from "./healing-machine.ts";
import { sameReasonStreak } from "./streak.ts";

export type { HealingMachine, Mark } from "./healing-machine.ts";

export interface HealingPolicy {
  /** At most this many machines of one owner are marked in `windowMs`. */
  readonly maxMarked: number;
  readonly windowMs: number;
  /** Shortest time between two marks of one owner. */
  readonly coolDownMs: number;
  /** After so many machines that were marked for the same reason, without a success between, it stops. */
  readonly sameReasonLimit: number;
  /** What to do where it is not known whether a new machine can pass. */
  readonly unknownRetryability: "hold" | "retry";
}

export const defaultPolicy: HealingPolicy = {
  maxMarked: 3,
  windowMs: 3_600_000,
  coolDownMs: 300_000,
  sameReasonLimit: 3,
  unknownRetryability: "hold",
};

export interface HealingOwner {
  readonly kind: "control-plane" | "workers" | "other";
  /** Whether the cluster has had a working control plane. */
  readonly initialized: boolean;
  readonly machines: readonly HealingMachine[];
}

/**
 * What to do with every living machine of one owner, by uid. At most one machine is newly marked for each call that a control plane gets, and
 * as many as the budget leaves for workers; the order is that of the failures, so that any two callers decide alike.
 */
export function decideHealing(
  owner: HealingOwner,
  policy: HealingPolicy,
  now: string,
): ReadonlyMap<string, HealingDecision> {
  const decisions = new Map<string, HealingDecision>();
  let machines = owner.machines;
  for (const machine of machines.filter(({ gone }) => !gone).toSorted(byFailureTime)) {
    const decision = decideOne(machine, { ...owner, machines }, { policy, now });
    decisions.set(machine.uid, decision);
    if (decision.kind === "mark" && decision.fresh) {
      const mark = { at: now, reason: machine.verdict.reason };
      machines = machines.map((one) => (one.uid === machine.uid ? { ...one, mark } : one));
    }
  }
  return decisions;
}

function byFailureTime(a: HealingMachine, b: HealingMachine): number {
  return compareHeard(a.verdict, b.verdict) || compareTexts(a.uid, b.uid);
}

interface Moment {
  readonly policy: HealingPolicy;
  readonly now: string;
}

function decideOne(machine: HealingMachine, owner: HealingOwner, moment: Moment): HealingDecision {
  const { verdict, mark } = machine;
  // A failure ends in a success, or in a newer run of the extension: newer settings, another VM. Both take a mark away.
  if (!isFailure(verdict)) return { kind: "none", recovered: mark !== undefined };
  // Until then it stays, whatever the guards would say of a new one.
  if (isLive(mark)) return { kind: "mark", since: mark.at, fresh: false };
  if (machine.deleting) return { kind: "none", recovered: false };
  return (
    refusedByMachine(machine) ??
    refusedByCause(machine, owner, moment) ??
    (owner.kind === "control-plane" ? refusedByControlPlane(machine, owner) : undefined) ??
    refusedByBudget(owner, moment) ?? { kind: "mark", since: moment.now, fresh: true }
  );
}

function refusedByMachine({ paused, verdict, hasNode }: HealingMachine): HealingDecision | undefined {
  if (paused) return hold("Paused");
  if (verdict.mode !== undefined && verdict.mode !== "enforce") return hold("ObserveOnly");
  if (hasNode) return hold("JoinedBefore");
  return undefined;
}

function refusedByCause(
  { verdict }: HealingMachine,
  { kind, machines }: HealingOwner,
  { policy, now }: Moment,
): HealingDecision | undefined {
  if (kind === "other") return hold("OwnerDoesNotHeal");
  if (verdict.retryable === false) return hold("NotRetryable", verdict.nextStep ?? verdict.firstLine);
  const streak = sameReasonStreak(machines, verdict.reason, now);
  if (streak >= policy.sameReasonLimit) {
    return hold("SameReasonAgain", `${verdict.reason}, ${String(streak)} times`);
  }
  if (verdict.retryable === undefined && policy.unknownRetryability === "hold") return hold("RetryabilityUnknown");
  return undefined;
}

function refusedByControlPlane(machine: HealingMachine, owner: HealingOwner): HealingDecision | undefined {
  const others = owner.machines.filter(({ uid, gone }) => uid !== machine.uid && !gone);
  if (!owner.initialized && machine.verdict.outcome !== "failed") return hold("FirstControlPlaneNotCertain");
  if (owner.initialized && others.length === 0) return hold("SingleControlPlane");
  const busy = others.some(
    ({ mark, deleting, verdict, hasNode }) =>
      deleting ||
      (isLive(mark) && verdict.outcome !== "bootstrapped") ||
      (!hasNode && (verdict.outcome === "waiting" || verdict.outcome === "unknown")),
  );
  return busy ? hold("ControlPlaneBusy") : undefined;
}

function refusedByBudget({ machines }: HealingOwner, { policy, now }: Moment): HealingDecision | undefined {
  const ages = machines.flatMap(({ mark }) => (mark === undefined ? [] : [msBetween(mark.at, now)]));
  const marked = ages.filter((age) => age < policy.windowMs).length;
  if (marked >= policy.maxMarked) {
    return hold("BudgetSpent", `${String(marked)} of ${String(policy.maxMarked)} in ${minutes(policy.windowMs)}`);
  }
  return ages.some((age) => age < policy.coolDownMs)
    ? hold("CoolingDown", `at least ${minutes(policy.coolDownMs)} lie between two marks`)
    : undefined;
}

function minutes(ms: number): string {
  return ms % 60_000 === 0 ? `${String(ms / 60_000)} min` : `${String(ms / 1000)} s`;
}
