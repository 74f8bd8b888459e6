import {
  decideHealing,
  type HealingMachine,
  type HealingOwner,
  type HealingPolicy,
} from "../../../cluster/healing/decide.ts";
import type { HealingDecision } from "../../../cluster/healing/decision.ts";
import { isLive } from "../../../cluster/healing/healing-machine.ts";
import type { Account } from "../../../cluster/verdict/account.ts";
import { isFailure } from "../../../cluster/verdict/next-verdict.ts";
import { account, at } from "./accounts.ts";

/** How machine number `index` of the owner fares; `made` counts all that were ever made. */
export type Fate = (made: number) => {
  readonly outcome: "bootstrapped" | "failed" | "deadline" | "waiting" | "unknown";
  readonly reason?: string;
  readonly retryable?: boolean;
  /** Seconds after its creation at which that is known. */
  readonly after: number;
  /** Seconds by which the clock of the node is wrong. */
  readonly skew?: number | undefined;
  /** Seconds after the failure at which the extension reports success after all. */
  readonly recovers?: number | undefined;
};

function told(outcome: ReturnType<Fate>["outcome"], rest: Partial<Account>): Partial<Account> {
  return { outcome, reason: outcome === "unknown" ? "AgentSilent" : "Bootstrapped", ...rest };
}

function wordOf(decision: HealingDecision | undefined): string {
  if (decision === undefined) return "gone";
  return decision.kind === "hold" ? decision.reason : decision.kind;
}

export interface Played {
  /** Marks in the order in which they were made. */
  readonly marks: readonly { readonly uid: string; readonly second: number }[];
  /** Most machines that were marked and alive at one time. */
  readonly mostMarkedAtOnce: number;
  readonly decisions: ReadonlyMap<string, number>;
  readonly machines: readonly HealingMachine[];
}

/**
 * A stand-in for a health check and an owner by their documented rules: what is marked is remediated (CAPI: machinehealthcheck_targets.go,
 * machineset and KubeadmControlPlane remediation): deleted, gone after 120 s, replaced by a new machine. `lazy` never remediates.
 */
export function playOwner(
  {
    kind,
    initialized,
    replicas,
  }: Pick<HealingOwner, "kind"> & { readonly initialized: (second: number) => boolean; readonly replicas: number },
  fate: Fate,
  { policy, hours, lazy = false }: { readonly policy: HealingPolicy; readonly hours: number; readonly lazy?: boolean },
): Played {
  interface Living extends HealingMachine {
    readonly made: number;
    readonly born: number;
    readonly deletedAt?: number;
  }
  let made = 0;
  const heard = (second: number, fields: Partial<Account>, skew = 0): Account =>
    account({ ...fields, time: at(second + skew), heard: at(second), seen: at(second) });
  const create = (second: number): Living => ({
    uid: `m${String(++made)}`,
    made,
    born: second,
    verdict: heard(second, { outcome: "waiting", reason: "BootstrapInProgress" }),
    gone: false,
    deleting: false,
    paused: false,
    hasNode: false,
  });
  let machines: readonly Living[] = Array.from({ length: replicas }, () => create(0));
  const marks: { uid: string; second: number }[] = [];
  const decisions = new Map<string, number>();
  let mostMarkedAtOnce = 0;
  for (let second = 0; second < hours * 3600; second += 15) {
    machines = machines.map((machine) => {
      if (machine.gone) return machine;
      if (machine.deletedAt !== undefined)
        return second - machine.deletedAt >= 120 ? { ...machine, gone: true } : machine;
      const fated = fate(machine.made);
      // Most have told all that they ever will.
      const mayRecover = fated.recovers !== undefined && isFailure(machine.verdict);
      if (machine.verdict.outcome !== "waiting" && !mayRecover) return machine;
      const { outcome, after, skew, recovers, ...rest } = fated;
      const age = second - machine.born;
      if (recovers !== undefined && isFailure(machine.verdict) && age >= after + recovers) {
        const good = heard(second, { outcome: "bootstrapped", reason: "Bootstrapped" }, skew);
        return { ...machine, hasNode: true, verdict: good };
      }
      if (age < after || machine.verdict.outcome !== "waiting") return machine;
      return { ...machine, hasNode: outcome === "bootstrapped", verdict: heard(second, told(outcome, rest), skew) };
    });
    const decided = decideHealing({ kind, initialized: initialized(second), machines }, policy, at(second));
    machines = machines.map((machine) => {
      const decision = decided.get(machine.uid);
      const key = wordOf(decision);
      decisions.set(key, (decisions.get(key) ?? 0) + 1);
      if (decision?.kind === "none" && decision.recovered && isLive(machine.mark))
        return { ...machine, mark: { ...machine.mark, withdrawn: at(second) } };
      if (decision?.kind !== "mark") return machine;
      if (decision.fresh) marks.push({ uid: machine.uid, second });
      const mark = { at: decision.since, reason: machine.verdict.reason };
      return { ...machine, mark, ...(lazy || machine.deleting ? {} : { deleting: true, deletedAt: second }) };
    });
    mostMarkedAtOnce = Math.max(mostMarkedAtOnce, machines.filter(({ mark, gone }) => isLive(mark) && !gone).length);
    const missing = replicas - machines.filter(({ gone }) => !gone).length;
    machines = [...machines, ...Array.from({ length: missing }, () => create(second))];
  }
  return { marks, mostMarkedAtOnce, decisions, machines };
}
