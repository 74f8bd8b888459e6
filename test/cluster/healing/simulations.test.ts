import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { defaultPolicy } from "../../../cluster/healing/decide.ts";
import { isLive } from "../../../cluster/healing/healing-machine.ts";
import { playOwner, type Fate } from "../support/played-owner.ts";

const eager = { ...defaultPolicy, coolDownMs: 0, windowMs: 60_000, maxMarked: 100, sameReasonLimit: 1000 };
const year = 365 * 86_400;
const fates = fc.record({
  outcome: fc.constantFrom(
    "bootstrapped" as const,
    "failed" as const,
    "deadline" as const,
    "waiting" as const,
    "unknown" as const,
  ),
  reason: fc.constantFrom("DnsResolutionFailed", "KubeletNotRunning", "ImagePullTimeout"),
  retryable: fc.constantFrom(true, true, false),
  after: fc.integer({ min: 15, max: 900 }),
  skew: fc.constantFrom(0, 0, -50 * year, 50 * year, 7200, -7200),
  recovers: fc.option(fc.integer({ min: 15, max: 3600 }), { nil: undefined }),
});

/** The same fate for the same machine, whenever it is asked. */
function drawn(list: readonly ReturnType<Fate>[]): Fate {
  const known = list.map(({ outcome, after, skew, recovers, ...failure }): ReturnType<Fate> => {
    const late = recovers === undefined ? {} : { recovers };
    return outcome === "failed" || outcome === "deadline"
      ? { outcome, after, skew, ...late, ...failure }
      : { outcome, after, skew };
  });
  return (made) => {
    const fate = known[made % known.length];
    if (fate === undefined) throw new Error("no fates");
    return fate;
  };
}

describe("healing, played with the owner's rules", () => {
  test.each([3, 5])(
    "never has two of %d control planes marked at once, whatever fails and however generous the budget",
    (replicas) => {
      fc.assert(
        fc.property(
          fc.array(fates, { minLength: 1, maxLength: 12 }),
          fc.integer({ min: 0, max: 3000 }),
          fc.boolean(),
          (list, from, lazy) => {
            const owner = { kind: "control-plane", initialized: (second: number) => second >= from, replicas } as const;
            const played = playOwner(owner, drawn(list), { policy: eager, hours: 2, lazy });
            expect(played.mostMarkedAtOnce).toBeLessThanOrEqual(1);
          },
        ),
        { numRuns: 300 },
      );
    },
  );

  test.each([3, 5, 200])("decides the same for %d machines whatever the clocks of their nodes say", (replicas) => {
    const kind = replicas === 200 ? "workers" : "control-plane";
    fc.assert(
      fc.property(fc.array(fates, { minLength: 1, maxLength: 12 }), (list) => {
        const owner = { kind, initialized: () => true, replicas } as const;
        const right = list.map((fate) => ({ ...fate, skew: 0 }));
        const [wrong, known] = [list, right].map((one) =>
          playOwner(owner, drawn(one), { policy: defaultPolicy, hours: 1 }),
        );
        expect(wrong?.marks).toEqual(known?.marks);
        expect(wrong?.decisions).toEqual(known?.decisions);
      }),
      { numRuns: replicas === 200 ? 3 : 60 },
    );
  });

  test.each([3, 5])("marks no second of %d control planes beside one that has told nothing", (replicas) => {
    const owner = { kind: "control-plane", initialized: () => true, replicas } as const;
    const played = playOwner(
      owner,
      (made) =>
        made === 1
          ? { outcome: "unknown", after: 60 }
          : { outcome: "failed", reason: "DnsResolutionFailed", retryable: true, after: 60 },
      { policy: eager, hours: 3 },
    );
    expect(played.marks).toEqual([]);
    expect(played.decisions.get("ControlPlaneBusy")).toBeGreaterThan(0);
  });

  test("marks none of 200 workers of which nothing is known, and the failed ones among them within the budget", () => {
    const silent = playOwner(
      { kind: "workers", initialized: () => true, replicas: 200 },
      () => ({ outcome: "unknown", after: 60 }),
      { policy: eager, hours: 2 },
    );
    expect(silent.marks).toEqual([]);
    const mixed = playOwner(
      { kind: "workers", initialized: () => true, replicas: 200 },
      (made) =>
        made % 3 === 0
          ? { outcome: "failed", reason: made % 2 === 0 ? "DiskFull" : "ImagePullTimeout", retryable: true, after: 60 }
          : { outcome: "unknown", after: 60 },
      { policy: defaultPolicy, hours: 2 },
    );
    expect(mixed.marks.length).toBeGreaterThan(0);
    for (const { second } of mixed.marks)
      expect(
        mixed.marks.filter((other) => other.second <= second && second - other.second < 3600).length,
      ).toBeLessThanOrEqual(defaultPolicy.maxMarked);
  });

  test("a failure without a word on whether a new machine can pass is held for 200 workers, and marked within the budget with --unknown retry", () => {
    const owner = { kind: "workers", initialized: () => true, replicas: 200 } as const;
    const fate: Fate = (made) => ({ outcome: "failed", reason: `CustomCheck${String(made % 9)}`, after: 60 });
    expect(playOwner(owner, fate, { policy: defaultPolicy, hours: 2 }).marks).toEqual([]);
    const retried = playOwner(owner, fate, { policy: { ...defaultPolicy, unknownRetryability: "retry" }, hours: 1 });
    expect(retried.marks).toHaveLength(defaultPolicy.maxMarked);
  });

  test("a machine that recovers takes its own mark away, and its mark still counts in the budget", () => {
    const played = playOwner(
      { kind: "workers", initialized: () => true, replicas: 20 },
      (made) =>
        made <= 10
          ? { outcome: "failed", reason: `Reason${String(made)}`, retryable: true, after: 60, recovers: 600 }
          : { outcome: "bootstrapped", after: 60 },
      { policy: { ...defaultPolicy, coolDownMs: 0 }, hours: 1, lazy: true },
    );
    expect(played.marks).toHaveLength(defaultPolicy.maxMarked);
    expect(played.machines.filter(({ mark }) => isLive(mark))).toEqual([]);
    expect(played.machines.filter(({ mark }) => mark?.withdrawn !== undefined)).toHaveLength(3);
  });

  test("never marks the first control plane at the deadline, and marks it after a certain failure", () => {
    const first = { kind: "control-plane", initialized: () => false, replicas: 1 } as const;
    const late = playOwner(
      first,
      () => ({ outcome: "deadline", reason: "DeadlineExceeded", retryable: true, after: 900 }),
      { policy: eager, hours: 6 },
    );
    expect(late.marks).toEqual([]);
    const certain = playOwner(
      first,
      () => ({ outcome: "failed", reason: "DnsResolutionFailed", retryable: true, after: 100 }),
      { policy: eager, hours: 1 },
    );
    expect(certain.marks.length).toBeGreaterThan(0);
  });

  test("stops a mass failure of 200 workers at the budget", () => {
    const reasons = ["DnsResolutionFailed", "ImagePullTimeout", "DiskFull", "AptLockHeld"];
    const policy = { ...defaultPolicy, coolDownMs: 0 };
    const played = playOwner(
      { kind: "workers", initialized: () => true, replicas: 200 },
      (made) => ({ outcome: "failed", reason: reasons[made % reasons.length] ?? "", retryable: true, after: 60 }),
      { policy, hours: 4 },
    );
    for (const { second } of played.marks) {
      const inWindow = played.marks.filter(
        (other) => other.second <= second && second - other.second < policy.windowMs / 1000,
      );
      expect(inWindow.length).toBeLessThanOrEqual(policy.maxMarked);
    }
    expect(played.marks.length).toBeGreaterThan(0);
    expect(played.decisions.get("BudgetSpent")).toBeGreaterThan(0);
  });

  test("stops after three equal reasons for 200 workers that all fail alike", () => {
    const played = playOwner(
      { kind: "workers", initialized: () => true, replicas: 200 },
      () => ({ outcome: "failed", reason: "DnsResolutionFailed", retryable: true, after: 60 }),
      { policy: { ...defaultPolicy, maxMarked: 100 }, hours: 12 },
    );
    expect(played.marks).toHaveLength(3);
    expect(played.decisions.get("SameReasonAgain")).toBeGreaterThan(0);
  });

  test("stops at once where a new machine would fail in the same way", () => {
    const played = playOwner(
      { kind: "workers", initialized: () => true, replicas: 200 },
      () => ({ outcome: "failed", reason: "KubeadmConfigInvalid", retryable: false, after: 60 }),
      { policy: defaultPolicy, hours: 12 },
    );
    expect(played.marks).toEqual([]);
  });

  test("heals 200 workers of which a few fail by chance", () => {
    const played = playOwner(
      { kind: "workers", initialized: () => true, replicas: 200 },
      (made) =>
        made % 70 === 5
          ? { outcome: "failed", reason: "ImagePullTimeout", retryable: true, after: 60 }
          : { outcome: "bootstrapped", after: 120 },
      { policy: defaultPolicy, hours: 4 },
    );
    expect(played.machines.filter(({ gone, verdict }) => !gone && verdict.outcome !== "bootstrapped")).toEqual([]);
    expect(played.marks).toHaveLength(3);
  });
});
