import { closedReason } from "../reasons/reasons.ts";
import type { RuleSet } from "./load-rules.ts";

/**
 * The package's own rules.json, whose every rule the build has validated (load-rules.ts): to do so again, with the library that it
 * takes, would cost each verdict a tenth of a second. Throws SyntaxError for a damaged file.
 */
export function readPackagedRules(content: string): RuleSet {
  const { rules } = JSON.parse(content) as RuleSet;
  const closed = rules.map((rule) => (rule.kind === "failure" ? { ...rule, reason: closedReason(rule.reason) } : rule));
  return { rules: closed.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}
