import fc from "fast-check";
import type { Account } from "../../../cluster/verdict/account.ts";
import type { Observation } from "../../../cluster/verdict/next-verdict.ts";
import { account, at } from "./accounts.ts";

/** How one run of the extension really went; the runs of a Machine follow each other. */
export interface TrueRun {
  readonly vm: number;
  readonly sequence: number;
  readonly end: "none" | "failed" | "deadline" | "bootstrapped";
  /** The handler is of a version whose wait says which settings it is about. */
  readonly tells: boolean;
  /** Seconds by which the clock of the node is wrong. */
  readonly skew: number;
  /** Aftercare: a failure that turned into a success. */
  readonly late: boolean;
}

/** A life of a Machine: sequences grow within a VM, VMs follow each other. */
export const lives: fc.Arbitrary<readonly TrueRun[]> = fc
  .array(
    fc.record({
      newVm: fc.boolean(),
      end: fc.constantFrom("none" as const, "failed" as const, "deadline" as const, "bootstrapped" as const),
      late: fc.boolean(),
      tells: fc.boolean(),
      skew: fc.constantFrom(0, 0, -50 * 365 * 86_400, 3600, 70 * 365 * 86_400),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((runs) => {
    let vm = 0;
    let sequence = -1;
    return runs.map(({ newVm, end, late, tells, skew }, index) => {
      if (newVm && index > 0) {
        vm += 1;
        sequence = 0;
      } else sequence += 1;
      return { vm, sequence, end, tells, skew, late: late && (end === "failed" || end === "deadline") };
    });
  });

/** Everything that could be observed of a life, in the order in which it happens. */
export function observationsOf(life: readonly TrueRun[]): readonly Observation[] {
  return life.flatMap((run, index) => observationsOfRun(run, index * 1000));
}

function observationsOfRun(run: TrueRun, start: number): readonly Observation[] {
  const view = (seconds: number, fields: Partial<Account>): Observation =>
    observed(seconds, {
      source: "instanceView",
      vmId: `vm-${String(run.vm)}`,
      vmCreated: at(run.vm * 100_000),
      // The clock of a node that boots is wrong, and is set some time later.
      time: at(start + seconds + (seconds < 50 ? run.skew : 0)),
      ...fields,
    });
  const told = (seconds: number, fields: Partial<Account>): Observation =>
    observed(seconds, { source: "capzCondition", time: at(start + seconds), ...fields });
  const observed = (seconds: number, fields: Partial<Account>): Observation => ({
    account: account(fields),
    observedAt: at(start + seconds + 1),
  });
  const waiting = { outcome: "waiting", reason: "BootstrapInProgress" } as const;
  const nothing = { outcome: "unknown", reason: "NoAnswer" } as const;
  const { sequence } = run;
  const wait = (elapsedSeconds: number) => (run.tells ? { sequence, elapsedSeconds } : {});
  const failed = { outcome: run.end === "deadline" ? "deadline" : "failed" } as const;
  const good = { outcome: "bootstrapped", reason: "Bootstrapped" } as const;
  return [
    view(1, nothing),
    view(2, { outcome: "unknown", reason: "AccessDenied" }),
    view(10, { ...waiting, ...wait(3) }),
    told(11, waiting),
    view(20, { ...waiting, ...wait(13) }),
    ...(run.end === "failed" || run.end === "deadline"
      ? [view(100, { ...failed, sequence }), told(101, { outcome: failed.outcome }), told(116, good)]
      : []),
    ...(run.end === "bootstrapped" || run.late ? [view(300, { ...good, sequence }), told(301, good)] : []),
    view(400, { outcome: "unknown", reason: "AgentSilent" }),
  ];
}

/** The observations repeated, lost and in any order; `whole` says that none is lost. */
export function disturbed(
  observations: readonly Observation[],
  { whole }: { readonly whole: boolean },
): fc.Arbitrary<readonly Observation[]> {
  const copies = fc.array(fc.nat({ max: observations.length - 1 }), { maxLength: observations.length });
  const kept = whole
    ? fc.constant(observations)
    : fc.subarray([...observations], { minLength: 1 }).map((some): readonly Observation[] => some);
  return fc.tuple(kept, copies).chain(([some, again]) => {
    const all = [...some, ...(whole ? again.flatMap((index) => observations[index] ?? []) : [])];
    return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
  });
}
