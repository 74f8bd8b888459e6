import { describe, expect, test } from "@jest/globals";
import {
  decideHealing,
  defaultPolicy,
  type HealingMachine,
  type HealingOwner,
  type HealingPolicy,
} from "../../../cluster/healing/decide.ts";
import type { HealingDecision } from "../../../cluster/healing/decision.ts";
import { account, at } from "../support/accounts.ts";

function machine(fields: Partial<HealingMachine> & { readonly uid: string }): HealingMachine {
  return {
    verdict: account({ retryable: true }),
    gone: false,
    deleting: false,
    paused: false,
    hasNode: false,
    ...fields,
  };
}

const good = account({ outcome: "bootstrapped", reason: "Bootstrapped" });

function workers(...machines: readonly HealingMachine[]): HealingOwner {
  return { kind: "workers", initialized: true, machines };
}

function controlPlane(initialized: boolean, ...machines: readonly HealingMachine[]): HealingOwner {
  return { kind: "control-plane", initialized, machines };
}

function decide(owner: HealingOwner, uid = "a", policy: Partial<HealingPolicy> = {}): HealingDecision | undefined {
  return decideHealing(owner, { ...defaultPolicy, ...policy }, at(3600)).get(uid);
}

function mark(seconds: number, reason = "DnsResolutionFailed") {
  return { at: at(seconds), reason };
}

describe("decideHealing", () => {
  test("marks a worker whose failure a new machine can pass", () => {
    expect(decide(workers(machine({ uid: "a" })))).toEqual({ kind: "mark", since: at(3600), fresh: true });
  });

  test.each<[string, HealingOwner, string]>([
    ["paused", workers(machine({ uid: "a", paused: true })), "Paused"],
    [
      "mode observe",
      workers(machine({ uid: "a", verdict: account({ retryable: true, mode: "observe" }) })),
      "ObserveOnly",
    ],
    ["a machine that has joined", workers(machine({ uid: "a", hasNode: true })), "JoinedBefore"],
    [
      "a failure that would come again",
      workers(machine({ uid: "a", verdict: account({ retryable: false }) })),
      "NotRetryable",
    ],
    ["an unknown retryability", workers(machine({ uid: "a", verdict: account() })), "RetryabilityUnknown"],
    [
      "a scale set's machine",
      { kind: "other", initialized: true, machines: [machine({ uid: "a" })] },
      "OwnerDoesNotHeal",
    ],
    [
      "the first control plane at the deadline",
      controlPlane(false, machine({ uid: "a", verdict: account({ outcome: "deadline", retryable: true }) })),
      "FirstControlPlaneNotCertain",
    ],
    ["the only control plane of a running cluster", controlPlane(true, machine({ uid: "a" })), "SingleControlPlane"],
    [
      "a second control plane beside a marked one",
      controlPlane(true, machine({ uid: "a" }), machine({ uid: "b", mark: mark(0) })),
      "ControlPlaneBusy",
    ],
    [
      "a control plane while another is being deleted",
      controlPlane(true, machine({ uid: "a" }), machine({ uid: "b", verdict: good, deleting: true })),
      "ControlPlaneBusy",
    ],
    [
      "a control plane while the replacement of another bootstraps",
      controlPlane(
        true,
        machine({ uid: "a" }),
        machine({ uid: "b", verdict: account({ outcome: "waiting", reason: "BootstrapInProgress" }) }),
      ),
      "ControlPlaneBusy",
    ],
    [
      "a control plane beside a replacement of which nothing is known yet",
      controlPlane(
        true,
        machine({ uid: "a" }),
        machine({ uid: "b", verdict: account({ outcome: "unknown", reason: "NoAnswer" }) }),
      ),
      "ControlPlaneBusy",
    ],
    [
      "the same reason for the fourth time",
      workers(
        machine({ uid: "a" }),
        ...[1, 2, 3].map((n) => machine({ uid: `gone${String(n)}`, gone: true, mark: mark(n) })),
      ),
      "SameReasonAgain",
    ],
    [
      "a spent budget",
      workers(
        machine({ uid: "a" }),
        ...["A", "B", "C"].map((reason, n) => machine({ uid: reason, gone: true, mark: mark(600 + n, reason) })),
      ),
      "BudgetSpent",
    ],
    [
      "a mark a moment ago",
      workers(machine({ uid: "a" }), machine({ uid: "b", gone: true, mark: mark(3500, "Other") })),
      "CoolingDown",
    ],
  ])("holds %s back and says why", (_, owner, reason) => {
    expect(decide(owner)).toMatchObject({ kind: "hold", reason, why: expect.stringMatching(/\.$/) });
  });

  test("marks the first control plane after a certain failure", () => {
    expect(decide(controlPlane(false, machine({ uid: "a" })))?.kind).toBe("mark");
  });

  test("marks with an unknown retryability where that is asked for", () => {
    expect(
      decide(workers(machine({ uid: "a", verdict: account() })), "a", { unknownRetryability: "retry" })?.kind,
    ).toBe("mark");
  });

  test("counts equal reasons anew after a machine has bootstrapped", () => {
    const gone = [1, 2, 3].map((n) => machine({ uid: `gone${String(n)}`, gone: true, mark: mark(-9000 + n) }));
    const passed = machine({ uid: "ok", verdict: account({ ...good, time: at(-100) }) });
    expect(decide(workers(machine({ uid: "a" }), ...gone, passed))?.kind).toBe("mark");
  });

  test("takes no success from the future, of a node with a wrong clock, for one that came after the marks", () => {
    const gone = [1, 2, 3].map((n) => machine({ uid: `gone${String(n)}`, gone: true, mark: mark(-9000 + n) }));
    const passed = machine({ uid: "ok", verdict: account({ ...good, time: "2099-01-01T00:00:00.000Z" }) });
    expect(decide(workers(machine({ uid: "a" }), ...gone, passed))).toMatchObject({ reason: "SameReasonAgain" });
  });

  test("marks a control plane beside one that was marked, bootstrapped after all and is not deleted", () => {
    const recovered = machine({ uid: "b", verdict: good, hasNode: true, mark: mark(-9000) });
    expect(decide(controlPlane(true, machine({ uid: "a" }), recovered))?.kind).toBe("mark");
  });

  test("keeps a mark until the machine itself says success, and then takes it away", () => {
    const marked = machine({ uid: "a", mark: mark(0), paused: true, verdict: account({ retryable: false }) });
    expect(decide(workers(marked))).toEqual({ kind: "mark", since: at(0), fresh: false });
    expect(decide(workers({ ...marked, verdict: good }))).toEqual({ kind: "none", recovered: true });
  });

  test("takes a mark away when newer settings or another VM begin anew, and marks again after their failure", () => {
    for (const outcome of ["waiting", "unknown"] as const) {
      const marked = machine({ uid: "a", mark: mark(0), verdict: account({ outcome }) });
      expect(decide(workers(marked))).toEqual({ kind: "none", recovered: true });
    }
    const withdrawn = machine({ uid: "a", mark: { ...mark(0), withdrawn: at(60) } });
    expect(decide(workers(withdrawn))).toEqual({ kind: "mark", since: at(3600), fresh: true });
    const lately = machine({ uid: "a", mark: { ...mark(3500), withdrawn: at(3510) } });
    expect(decide(workers(lately))).toMatchObject({ reason: "CoolingDown" });
  });

  test("marks first what was heard of first, whatever the clocks of the nodes say", () => {
    const one = machine({ uid: "a", verdict: account({ retryable: true, heard: at(20), time: at(-9e8) }) });
    const other = machine({ uid: "b", verdict: account({ retryable: true, heard: at(10), time: at(9e8) }) });
    expect(decide(workers(one, other), "b")?.kind).toBe("mark");
    expect(decide(workers(one, other), "a")).toMatchObject({ reason: "CoolingDown" });
  });

  test("lets a control plane be marked beside one whose mark was withdrawn", () => {
    const back = machine({ uid: "b", mark: { ...mark(-9000), withdrawn: at(-8000) }, hasNode: true });
    expect(decide(controlPlane(true, machine({ uid: "a" }), back))?.kind).toBe("mark");
  });

  test("does nothing about a wait, an unknown outcome or a machine that is being deleted", () => {
    for (const outcome of ["waiting", "unknown"] as const) {
      expect(decide(workers(machine({ uid: "a", verdict: account({ outcome }) })))).toEqual({
        kind: "none",
        recovered: false,
      });
    }
    expect(decide(workers(machine({ uid: "a", deleting: true })))).toEqual({ kind: "none", recovered: false });
  });

  test("decides alike whatever the order in which the machines are listed", () => {
    const machines = [1, 2, 3, 4].map((n) =>
      machine({ uid: String(n), verdict: account({ retryable: true, time: at(n) }) }),
    );
    const forwards = decideHealing(workers(...machines), defaultPolicy, at(3600));
    const backwards = decideHealing(workers(...machines.toReversed()), defaultPolicy, at(3600));
    expect(new Map([...backwards].toSorted())).toEqual(new Map([...forwards].toSorted()));
  });
});
