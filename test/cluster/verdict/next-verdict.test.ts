import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  isFailure,
  joinStates,
  nextVerdict,
  type Observation,
  type VerdictState,
} from "../../../cluster/verdict/next-verdict.ts";
import { account, at } from "../support/accounts.ts";
import { disturbed, lives, observationsOf, type TrueRun } from "../support/histories.ts";

const runs = { numRuns: 10_000 };

function fold(observations: readonly Observation[], before?: VerdictState): VerdictState | undefined {
  return observations.reduce<VerdictState | undefined>((state, next) => nextVerdict(state, next), before);
}

/** What an all-knowing reader would say at the end of a life. */
function truth(life: readonly TrueRun[]): string {
  const last = life.at(-1);
  if (last === undefined) throw new Error("a life has a run");
  if (last.late || last.end === "bootstrapped") return "bootstrapped";
  return last.end;
}

/** Histories of one Machine: a life, and its observations as they arrive. */
const wholeHistories = lives.chain((life) =>
  fc.tuple(fc.constant(life), disturbed(observationsOf(life), { whole: true })),
);
const histories = lives.chain((life) => fc.tuple(fc.constant(life), disturbed(observationsOf(life), { whole: false })));

describe("nextVerdict over 10,000 random histories", () => {
  test("ends the same whatever the order of the observations and however often they come", () => {
    fc.assert(
      fc.property(wholeHistories, ([life, arrived]) => {
        expect(fold(arrived)).toEqual(fold(observationsOf(life)));
      }),
      runs,
    );
  });

  test("ends in the truth of the last run, where the run has ended and nothing is lost", () => {
    fc.assert(
      fc.property(
        wholeHistories.filter(([life]) => life.at(-1)?.end !== "none"),
        ([life, arrived]) => {
          expect(fold(arrived)?.verdict.outcome).toBe(truth(life));
        },
      ),
      runs,
    );
  });

  test("begins anew with the first wait of newer settings or of another VM, where the wait says whose it is", () => {
    fc.assert(
      fc.property(
        wholeHistories.filter(([life]) => life.at(-1)?.end === "none" && life.at(-1)?.tells === true),
        ([, arrived]) => {
          expect(fold(arrived)?.verdict.outcome).toBe("waiting");
        },
      ),
      runs,
    );
  });

  test("says the same of a life whatever the clocks of its nodes say", () => {
    fc.assert(
      fc.property(lives, (life) => {
        const right = life.map((run) => ({ ...run, skew: 0 }));
        const states = [life, right].map((one) => fold(observationsOf(one)));
        const [wrong, known] = states.map((state) => ({ ...state?.verdict, time: "" }));
        expect(wrong).toEqual(known);
      }),
      runs,
    );
  });

  test("joins what was remembered and what was heard meanwhile as if one process had heard all", () => {
    fc.assert(
      fc.property(histories, fc.nat({ max: 100 }), ([, arrived], share) => {
        const cut = Math.floor((arrived.length * share) / 100);
        const [first, second] = [fold(arrived.slice(0, cut)), fold(arrived.slice(cut))];
        if (first === undefined || second === undefined) return;
        expect(joinStates(first, second)).toEqual(fold(arrived));
        expect(joinStates(second, first)).toEqual(fold(arrived));
      }),
      runs,
    );
  });

  test("never forgets a failure but for a success of the extension for the same VM and the same or a newer sequence, or a newer run's verdict", () => {
    fc.assert(
      fc.property(histories, ([, arrived]) => {
        let state: VerdictState | undefined;
        for (const observation of arrived) {
          const before = state;
          state = nextVerdict(state, observation);
          if (before === undefined || !isFailure(before.verdict) || state === undefined || isFailure(state.verdict))
            continue;
          const { account: by } = observation;
          expect(by.source).toBe("instanceView");
          const newerVm = (by.vmCreated ?? "") > (before.verdict.vmCreated ?? "");
          if (!newerVm) expect(by.sequence ?? -1).toBeGreaterThanOrEqual(before.verdict.sequence ?? -1);
          const newerSequence = (by.sequence ?? -1) > (before.verdict.sequence ?? -1);
          if (!newerVm && !newerSequence) expect(by.outcome).toBe("bootstrapped");
        }
      }),
      runs,
    );
  });

  test("says success only where the extension itself has said it, never from CAPZ's True", () => {
    fc.assert(
      fc.property(histories, ([, arrived]) => {
        const state = fold(arrived);
        if (state?.verdict.outcome !== "bootstrapped") return;
        expect(state.verdict.source).toBe("instanceView");
        const said = arrived.some(({ account: by }) => by.source === "instanceView" && by.outcome === "bootstrapped");
        expect(said).toBe(true);
      }),
      runs,
    );
  });

  test("comes to the same end after any loss, once the last status of the extension is read again", () => {
    fc.assert(
      fc.property(
        histories.filter(([life]) => life.at(-1)?.end !== "none"),
        ([life, arrived]) => {
          const final = observationsOf(life).findLast(
            ({ account: by }) => by.source === "instanceView" && by.sequence !== undefined,
          );
          if (final === undefined) throw new Error("a run that ended has a status");
          expect(fold([...arrived, final])?.verdict.outcome).toBe(truth(life));
        },
      ),
      runs,
    );
  });

  test("is idempotent: what was seen once changes nothing when it is seen again", () => {
    fc.assert(
      fc.property(histories, ([, arrived]) => {
        const state = fold(arrived);
        expect(fold(arrived, state)).toEqual(state);
      }),
      runs,
    );
  });

  test("keeps Machines of the same name apart, which are told apart by their uid", () => {
    fc.assert(
      fc.property(histories, histories, fc.infiniteStream(fc.boolean()), ([, first], [, second], turns) => {
        const states = new Map<string, VerdictState | undefined>();
        const queues = { first: [...first], second: [...second] };
        for (const turn of turns) {
          const uid = turn ? "first" : "second";
          const observation = queues[uid].shift() ?? queues[turn ? "second" : "first"].shift();
          if (observation === undefined) break;
          const of = first.includes(observation) ? "first" : "second";
          states.set(of, nextVerdict(states.get(of), observation));
        }
        expect(states.get("first")).toEqual(fold(first));
        expect(states.get("second")).toEqual(fold(second));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("nextVerdict", () => {
  test("begins anew with a newer VM, and does not go back for a late word of the older one", () => {
    const old = { account: account({ vmId: "a", vmCreated: at(0), sequence: 3 }), observedAt: at(1) };
    const fresh = {
      account: account({ vmId: "b", vmCreated: at(100), outcome: "waiting", reason: "BootstrapInProgress" }),
      observedAt: at(101),
    };
    expect(fold([old, fresh])?.verdict.outcome).toBe("waiting");
    expect(fold([fresh, old])?.verdict.outcome).toBe("waiting");
  });

  test("lets a failure of a newer sequence follow a success of an older one", () => {
    const good = {
      account: account({ outcome: "bootstrapped", reason: "Bootstrapped", sequence: 0 }),
      observedAt: at(1),
    };
    const bad = { account: account({ sequence: 1 }), observedAt: at(2) };
    expect(fold([bad, good])?.verdict.outcome).toBe("failed");
  });

  test("believes CAPZ's words of a failure where Azure cannot be asked, and the instance view once it is read", () => {
    const told = { account: account({ source: "capzCondition" }), observedAt: at(1) };
    const refused = { account: account({ outcome: "unknown", reason: "AccessDenied" }), observedAt: at(2) };
    const rich = { account: account({ retryable: true }), observedAt: at(3) };
    expect(fold([told, refused])?.verdict.source).toBe("capzCondition");
    expect(fold([told, refused, rich])?.verdict).toMatchObject({ source: "instanceView", retryable: true });
  });

  test("keeps a failure that CAPZ told while Azure still shows the wait", () => {
    const told = { account: account({ source: "capzCondition" }), observedAt: at(2) };
    const waiting = { account: account({ outcome: "waiting", reason: "BootstrapInProgress" }), observedAt: at(3) };
    expect(fold([told, waiting])?.verdict.outcome).toBe("failed");
    expect(fold([waiting, told])?.verdict.outcome).toBe("failed");
  });

  test("does not take what CAPZ told of an older VM for a word about the newer one, in either order", () => {
    const told = { account: account({ source: "capzCondition", time: at(50) }), observedAt: at(50) };
    for (const fields of [
      { outcome: "waiting", reason: "BootstrapInProgress" },
      { outcome: "unknown", reason: "ExtensionAbsent" },
    ] as const) {
      const fresh = { account: account({ vmId: "b", vmCreated: at(100), ...fields }), observedAt: at(101) };
      expect(fold([told, fresh])?.verdict.outcome).toBe(fields.outcome);
      expect(fold([fresh, told])?.verdict.outcome).toBe(fields.outcome);
    }
    const later = { account: account({ source: "capzCondition", time: at(150) }), observedAt: at(150) };
    const waiting = account({ vmId: "b", vmCreated: at(100), outcome: "waiting", reason: "BootstrapInProgress" });
    expect(fold([told, { account: waiting, observedAt: at(101) }, later])?.verdict.outcome).toBe("failed");
  });

  test("gives nothing for CAPZ's True alone", () => {
    const capzTrue = account({ source: "capzCondition", outcome: "bootstrapped", reason: "Bootstrapped" });
    expect(nextVerdict(undefined, { account: capzTrue, observedAt: at(1) })).toBeUndefined();
  });
});
