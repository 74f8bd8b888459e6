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
  const compiler = new Compiler();
  const rules = ruleSet.rules
    .filter((rule) => rule.platforms.includes(platform))
    .map((rule) => {
      const { any, all, except = [] } = rule;
      const failure = rule.kind === "failure" ? rule : undefined;
      return {
        rule,
        any: compiler.add(rule, any, except),
        all: compiler.add(rule, all, except),
        none: compiler.add(rule, failure?.none, []),
        recoveredBy: compiler.add(rule, failure?.recoveredBy, []),
      };
    });
  return { rules, ...compiler.compiled() };
}

/** Numbers the patterns: one that several rules share, as signs of a recovery, is searched and run once. */
class Compiler {
  readonly #patterns: CompiledPattern[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #byText = new Map<string, number[]>();
  readonly #expressions = new Map<string, RegExp>();

  add(
    { sources }: ShippedRule,
    patterns: readonly ShippedPattern[] | undefined,
    except: readonly ShippedPattern[],
  ): number[] {
    return (patterns ?? []).map((terms) => {
      const key = JSON.stringify([terms, except, sources]);
      const number = this.#numbers.get(key) ?? this.#patterns.length;
      if (number < this.#patterns.length) return number;
      this.#numbers.set(key, number);
      this.#patterns.push({
        terms: this.#toExpressions(terms),
        except: except.map((others) => this.#toExpressions(others)),
        sources: sources === "any" ? "any" : new Set(sources),
      });
      for (const text of textsOf(terms)) this.#byText.set(text, [...(this.#byText.get(text) ?? []), number]);
      return number;
    });
  }

  compiled(): Omit<CompiledRules, "rules"> {
    return { patterns: this.#patterns, texts: [...this.#byText.keys()], patternsOfText: [...this.#byText.values()] };
  }

  #toExpressions(terms: ShippedPattern): readonly RegExp[] {
    return terms.map(({ source, flags }) => {
      const key = `${flags}/${source}`;
      const known = this.#expressions.get(key) ?? new RegExp(source, flags);
      this.#expressions.set(key, known);
      return known;
    });
  }
}

function textsOf(terms: ShippedPattern): readonly string[] {
  return terms.flatMap(({ texts }) => texts ?? []);
}

/** The named groups of all terms where every term matches the line, else undefined. */
export function matchPattern(pattern: CompiledPattern, text: string): Readonly<Record<string, string>> | undefined {
  const { terms, except } = pattern;
  // Most lines that hold a pattern's text lack what another of its terms asks for.
  for (const term of terms) if (!term.test(text)) return undefined;
  if (except.some((others) => others.every((term) => term.test(text)))) return undefined;
  return groupsOf(terms, text);
}

/** Where a line begins to say what the pattern is about: ahead of as many of its terms' finds as fit into so many characters, the last ones first. */
export function placeOfMatch({ terms }: CompiledPattern, text: string, length: number): number | undefined {
  const found = terms.map((term) => term.exec(text)).filter((one) => one !== null);
  const end = Math.max(...found.map((one) => one.index + one[0].length));
  const places = found.map(({ index }) => index);
  const fitting = places.filter((at) => end - at <= length);
  if (found.length === 0) return undefined;
  return fitting.length > 0 ? Math.min(...fitting) : Math.max(...places);
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
