import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { defaultPolicy } from "../../../cluster/healing/decide.ts";
import { playOwner, type Fate } from "../support/played-owner.ts";

const eager = { ...defaultPolicy, coolDownMs: 0, windowMs: 60_000, maxMarked: 100, sameReasonLimit: 1000 };
const fates = fc.record({
  outcome: fc.constantFrom("bootstrapped" as const, "failed" as const, "deadline" as const, "waiting" as const),
  reason: fc.constantFrom("DnsResolutionFailed", "KubeletNotRunning", "ImagePullTimeout"),
  retryable: fc.constantFrom(true, true, false),
  after: fc.integer({ min: 15, max: 900 }),
});

/** The same fate for the same machine, whenever it is asked. */
function drawn(list: readonly ReturnType<Fate>[]): Fate {
  return (made) => {
    const fate = list[made % list.length];
    if (fate === undefined) throw new Error("no fates");
    return fate.outcome === "bootstrapped" ? { outcome: fate.outcome, after: fate.after } : fate;
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
