import fc from "fast-check";
import type { Check } from "../support/drive-look.ts";
import { anyHistory } from "./arbitraries.ts";
import type { History } from "./history.ts";
import { play } from "./play.ts";
import type { Fault } from "./played.ts";
import { simplify } from "./simplify.ts";

export interface SoakCounts {
  histories: number;
  looks: number;
  wrong: number;
  /** How many histories reached each kind of state. */
  readonly reached: Map<string, number>;
  readonly kinds: Map<string, number>;
  readonly wrongKinds: Map<string, number>;
  readonly stages: Map<"linux" | "windows", Map<string, number>>;
  readonly reasons: Map<"linux" | "windows", Map<string, number>>;
  /** The first history of each kind of fault. */
  readonly faults: { readonly history: History; readonly fault: Fault }[];
}

const count = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

/** So many histories are drawn from one seed; the next part has the next one. */
export const historiesOfPart = 1_000;

/** Plays histories drawn from a seed, one after the other, and counts what they came to. */
export function soak(
  check: Check,
  parts: { readonly histories: number; readonly seed: number; readonly stopAfter?: number },
): SoakCounts {
  const counts: SoakCounts = {
    histories: 0,
    looks: 0,
    wrong: 0,
    reached: new Map(),
    kinds: new Map(),
    wrongKinds: new Map(),
    stages: new Map([
      ["linux", new Map<string, number>()],
      ["windows", new Map<string, number>()],
    ]),
    reasons: new Map([
      ["linux", new Map<string, number>()],
      ["windows", new Map<string, number>()],
    ]),
    faults: [],
  };
  for (let round = 0; counts.histories < parts.histories; round += 1) {
    const numRuns = Math.min(historiesOfPart, parts.histories - counts.histories);
    for (const history of fc.sample(anyHistory, { numRuns, seed: parts.seed + round })) {
      countOne(counts, history, check);
      if (counts.faults.length >= (parts.stopAfter ?? Infinity)) return counts;
    }
  }
  return counts;
}

function countOne(counts: SoakCounts, history: History, check: Check): void {
  const played = play(history, check);
  counts.histories += 1;
  counts.looks += played.looks;
  count(counts.kinds, `${history.system}, ${history.life.provider}, ${history.life.userData}`);
  for (const state of played.reached) count(counts.reached, state);
  for (const stage of played.stages) count(counts.stages.get(history.system) ?? new Map<string, number>(), stage);
  for (const reason of played.reasons) count(counts.reasons.get(history.system) ?? new Map<string, number>(), reason);
  if (played.fault === undefined) return;
  counts.wrong += 1;
  const kind = kindOfFault(history, played.fault);
  if (!counts.wrongKinds.has(kind)) counts.faults.push({ history, fault: played.fault });
  count(counts.wrongKinds, kind);
}

/** What kind of fault this is, in one line: faults of one kind are most often of one cause. */
export function kindOfFault(history: History, { rule, truth, result }: Fault): string {
  const said = result === undefined ? "" : `${result.stage} ${result.reason ?? ""}`.trim();
  return `${rule} (${history.system}): ${said}: ${truth.why}`;
}

/** The same kind of fault in as small a history as can be found. */
export function simplestOf(
  check: Check,
  history: History,
  fault: Fault,
): { readonly history: History; readonly fault: Fault } {
  const kind = kindOfFault(history, fault);
  const same = (candidate: History): Fault | undefined => {
    const found = play(candidate, check).fault;
    return found !== undefined && kindOfFault(candidate, found) === kind ? found : undefined;
  };
  const smallest = simplify(history, (candidate) => same(candidate) !== undefined);
  return { history: smallest, fault: same(smallest) ?? fault };
}
