import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Diagnosis, EvidenceLine } from "../../../handler/diagnosis/diagnosis.ts";
import type { RuleSet } from "../../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import type { Shown } from "../../../handler/text/shown-text.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { linesShown } from "../../../handler/diagnosis/render.ts";
import type { ShippedRule } from "../../../handler/diagnosis/rule.ts";

const fixtures = path.resolve(import.meta.dirname, "../../../test/fixtures/rules");

export interface Ablation {
  readonly id: string;
  readonly cause: string;
  /** What is named without the rule: a cause, "unclassified" or "healthy". */
  readonly answer: string;
  readonly right: boolean;
  readonly evidence: boolean;
}

/** Each failure rule taken out in turn, its own match log judged by the rules and the reading that are left. */
export async function ablate(ruleSet: RuleSet): Promise<readonly Ablation[]> {
  return Promise.all(
    ruleSet.rules.flatMap((rule) => {
      if (rule.kind !== "failure" || rule.id.startsWith("probe-")) return [];
      return [ablateRule(rule, ruleSet)];
    }),
  );
}

async function ablateRule(rule: Extract<ShippedRule, { kind: "failure" }>, ruleSet: RuleSet): Promise<Ablation> {
  const log = await readFile(path.join(fixtures, rule.id, "match.log"));
  const whole = diagnose(log, rule, ruleSet);
  const rest = diagnose(log, rule, { rules: ruleSet.rules.filter((other) => other.id !== rule.id) });
  const answer = rest.kind === "classified" ? rest.primary.cause : rest.kind;
  const decisive = whole.kind === "classified" ? whole.primary.evidence : [];
  return {
    id: rule.id,
    cause: rule.cause,
    answer,
    right: answer === rule.cause,
    evidence: decisive.some((line) => linesShown(rest).some((shown) => isSame(line, shown))),
  };
}

function isSame(a: EvidenceLine, b: EvidenceLine): boolean {
  return a.line === b.line || a.text === b.text;
}

function diagnose(log: Buffer, rule: ShippedRule, ruleSet: RuleSet): Shown<Diagnosis> {
  const matcher = createMatcher(ruleSet, { platform: rule.platforms[0] ?? "linux" });
  const [source = "cloud-init-output", ...also] = rule.sources === "any" ? [] : rule.sources;
  matcher.feed({ source, also, origin: "match.log" }, log);
  return rankFindings(matcher.finish());
}

export function ablationLine(results: readonly Ablation[]): string {
  const share = (count: number): string => (count / Math.max(1, results.length)).toFixed(3);
  const right = results.filter((one) => one.right).length;
  const quoted = results.filter((one) => one.evidence).length;
  const healthy = results.filter((one) => one.answer === "healthy").length;
  return `ablation ${results.length} rules: right ${share(right)} evidence ${share(quoted)} healthy ${healthy}`;
}
