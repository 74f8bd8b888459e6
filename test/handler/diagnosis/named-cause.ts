import { readFileSync } from "node:fs";
import { loadRules } from "../../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";

export const rules = loadRules(readFileSync("scripts/rules.json", "utf8"));

/** With all rules, what a log of a Linux machine is named, or that nothing is. */
export function named(...lines: readonly string[]): string {
  return namedOn("linux", lines);
}

export function namedOnWindows(...lines: readonly string[]): string {
  return namedOn("windows", lines);
}

function namedOn(platform: "linux" | "windows", lines: readonly string[]): string {
  const matcher = createMatcher(rules, { platform });
  matcher.feed({ source: "system", origin: "a.log" }, Buffer.from(`${lines.join("\n")}\n`));
  const diagnosis = rankFindings(matcher.finish());
  return diagnosis.kind === "classified" ? diagnosis.primary.cause : diagnosis.kind;
}
