import { createMatcher } from "../../../../handler/diagnosis/match.ts";
import { rankFindings } from "../../../../handler/diagnosis/rank.ts";
import { noRules } from "../../../support/no-rules.ts";

/** What a log is read as where no rule knows a sentence of it. */
export function causeOf(...lines: readonly string[]): string {
  return causeIn("a.log", ...lines);
}

/** The same of a log of this name. */
export function causeIn(origin: string, ...lines: readonly string[]): string {
  const matcher = createMatcher(noRules, { platform: "linux" });
  matcher.feed({ source: "system", origin }, Buffer.from(`${lines.join("\n")}\n`));
  const diagnosis = rankFindings(matcher.finish());
  return diagnosis.kind === "classified" ? diagnosis.primary.cause : diagnosis.kind;
}

/** Lines in which nothing fails. */
export const quiet = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `Apr 02 08:15:${10 + index} node-1 chronyd[5]: Selected source PHC0`);
