import type { SourceId } from "./diagnosis.ts";
import type { RuleSet } from "./load-rules.ts";
import type { ShippedPattern, ShippedRule } from "./rule.ts";

/** One pattern of one rule, ready to run. */
export interface CompiledPattern {
  readonly terms: readonly RegExp[];
  readonly except: readonly (readonly RegExp[])[];
  readonly sources: "any" | ReadonlySet<SourceId>;
}

/** A rule whose patterns are numbers into CompiledRules.patterns. */
export interface CompiledRule {
  readonly rule: ShippedRule;
  readonly any: readonly number[];
  readonly all: readonly number[];
  readonly none: readonly number[];
  readonly recoveredBy: readonly number[];
}

export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  readonly patterns: readonly CompiledPattern[];
  /** Searched texts, lower case, each once. */
  readonly texts: readonly string[];
  /** Numbers of the patterns that a text may stand for; same order as `texts`. */
  readonly patternsOfText: readonly (readonly number[])[];
}

/** Keeps the rules of one platform. */
export function compileRules(ruleSet: RuleSet, platform: "linux" | "windows"): CompiledRules {
  const patterns: CompiledPattern[] = [];
  const byText = new Map<string, number[]>();
  const add = (rule: ShippedRule, shipped: readonly ShippedPattern[] | undefined, guarded: boolean): number[] =>
    (shipped ?? []).map((terms) => {
      const number = patterns.length;
      patterns.push({
        terms: toExpressions(terms),
        except: guarded ? (rule.except ?? []).map(toExpressions) : [],
        sources: rule.sources === "any" ? "any" : new Set(rule.sources),
      });
      for (const text of textsOf(terms)) byText.set(text, [...(byText.get(text) ?? []), number]);
      return number;
    });
  const rules = ruleSet.rules
    .filter((rule) => rule.platforms.includes(platform))
    .map((rule) => ({
      rule,
      any: add(rule, rule.any, true),
      all: add(rule, rule.all, true),
      none: add(rule, rule.kind === "failure" ? rule.none : undefined, false),
      recoveredBy: add(rule, rule.kind === "failure" ? rule.recoveredBy : undefined, false),
    }));
  return { rules, patterns, texts: [...byText.keys()], patternsOfText: [...byText.values()] };
}

function textsOf(terms: ShippedPattern): readonly string[] {
  return terms.flatMap(({ texts }) => texts ?? []);
}

function toExpressions(terms: ShippedPattern): readonly RegExp[] {
  return terms.map(({ source, flags }) => new RegExp(source, flags));
}

/** The named groups of all terms where every term matches the line, else undefined. */
export function matchPattern(pattern: CompiledPattern, text: string): Readonly<Record<string, string>> | undefined {
  const { terms, except } = pattern;
  // Most lines that hold a pattern's text lack what another of its terms asks for.
  for (const term of terms) if (!term.test(text)) return undefined;
  if (except.some((others) => others.every((term) => term.test(text)))) return undefined;
  return groupsOf(terms, text);
}

function groupsOf(terms: readonly RegExp[], text: string): Readonly<Record<string, string>> {
  const groups: Record<string, string> = {};
  for (const term of terms) {
    for (const [name, value] of Object.entries(term.exec(text)?.groups ?? {})) {
      // A group that took no part is undefined, whatever its type says.
      if (typeof value === "string") groups[name] = value;
    }
  }
  return groups;
}
