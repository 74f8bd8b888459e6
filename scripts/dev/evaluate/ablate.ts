import type { Diagnosis, EvidenceLine } from "../../../handler/diagnosis/diagnosis.ts";
import type { RuleSet } from "../../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import type { Shown } from "../../../handler/text/shown-text.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { linesShown } from "../../../handler/diagnosis/render.ts";
import type { ShippedRule } from "../../../handler/diagnosis/rule.ts";
import { readRuleLogs, ruleLog } from "../read-rule-logs.ts";

export interface Ablation {
  readonly id: string;
  readonly cause: string;
  /** What is named without the rule: a cause, "unclassified" or "healthy". */
  readonly answer: string;
  readonly right: boolean;
  readonly evidence: boolean;
}

/** Each failure rule taken out in turn, its own match log judged by the rules and the reading that are left. */
export function ablate(ruleSet: RuleSet): readonly Ablation[] {
  const logs = readRuleLogs();
  return ruleSet.rules.flatMap((rule) => {
    if (rule.kind !== "failure" || rule.id.startsWith("probe-")) return [];
    return [ablateRule(rule, ruleSet, ruleLog(logs, rule.id, "match"))];
  });
}

function ablateRule(rule: Extract<ShippedRule, { kind: "failure" }>, ruleSet: RuleSet, log: Buffer): Ablation {
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
