import type { RuleSet } from "../../../handler/diagnosis/load-rules.ts";
import { diagnoseLog, isShown, type LoadedCase } from "./cases.ts";
import { disguises, type Disguise } from "./disguises.ts";

export interface Drift {
  readonly id: string;
  readonly disguise: string;
  readonly before: string;
  readonly after: string;
  readonly stays: boolean;
  /** No cause was named before, or none was right to name; now a wrong one is. */
  readonly misled: boolean;
}

/** Every case in every disguise. Where lines are gone, the answer may only stay if the decisive line is still there. */
export function drift(cases: readonly LoadedCase[], ruleSet: RuleSet): readonly Drift[] {
  return cases.flatMap((one) => {
    const text = one.log.toString("utf8");
    const before = answerOf(one, text, ruleSet);
    return disguises.flatMap((disguise) => {
      const changed = disguise.apply(text);
      if (disguise.removes === true && !keepsEvidence(one, changed)) return [];
      const after = answerOf(one, changed, ruleSet);
      return [toDrift(one, disguise, { before, after })];
    });
  });
}

function toDrift({ case: one }: LoadedCase, disguise: Disguise, answers: Pick<Drift, "before" | "after">): Drift {
  const { before, after } = answers;
  const accepted = [one.cause, ...one.also];
  const named = after !== "unclassified" && after !== "healthy";
  const silentBefore = before === "unclassified" || before === "healthy";
  return {
    id: one.id,
    disguise: disguise.name,
    before,
    after,
    stays: before === after,
    misled: silentBefore && named && !accepted.includes(after),
  };
}

function keepsEvidence({ case: one }: LoadedCase, text: string): boolean {
  if (one.evidence === "") return true;
  return isShown(one.evidence, [{ source: "system", origin: "", line: 1, text }]);
}

function answerOf({ case: one }: LoadedCase, text: string, ruleSet: RuleSet): string {
  const diagnosis = diagnoseLog(one, Buffer.from(text), ruleSet);
  return diagnosis.kind === "classified" ? diagnosis.primary.cause : diagnosis.kind;
}

export function driftLines(results: readonly Drift[]): readonly string[] {
  const byName = [...Map.groupBy(results, (one) => one.disguise)];
  return [
    ...byName.map(([name, of]) => `${name.padEnd(32)}${shareOf(of)} of ${of.length}`),
    `drift: stays ${shareOf(results)} misled ${results.filter((one) => one.misled).length} of ${results.length}`,
  ];
}

function shareOf(results: readonly Drift[]): string {
  return (results.filter((one) => one.stays).length / Math.max(1, results.length)).toFixed(3);
}
