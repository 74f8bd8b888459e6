import { readdir } from "node:fs/promises";
import path from "node:path";
import { requiredLiterals } from "./literals.ts";
import { ruleLimits } from "../../handler/diagnosis/rule.ts";
import type { AuthoredPattern, PatternText, Rule, ShippedPattern, ShippedRule } from "../../handler/diagnosis/rule.ts";

export const rulesFolder = path.resolve(import.meta.dirname, "../rules");

/** All authored rules, sorted by file name. Each file exports one rule under the camel-case form of its id. */
export async function readRules(folder: string): Promise<readonly Rule[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".ts")).sort();
  return Promise.all(files.map(async (file) => readRule(folder, file)));
}

async function readRule(folder: string, file: string): Promise<Rule> {
  const id = path.basename(file, ".ts");
  const module: unknown = await import(path.join(folder, file));
  const exported = Object.entries(module as Record<string, unknown>);
  const [entry] = exported;
  if (exported.length !== 1 || entry === undefined) {
    throw new Error(`scripts/rules/${file} exports ${exported.length} values; export exactly one rule`);
  }
  const [name, value] = entry;
  if (name !== camelCase(id)) {
    throw new Error(`scripts/rules/${file} exports ${name}; name the export ${camelCase(id)}`);
  }
  if (!isRule(value) || value.id !== id) throw new Error(`scripts/rules/${file} must hold the rule with id "${id}"`);
  return value;
}

/** The compiler has seen the file through `satisfies Rule`; this only tells a rule from something else. */
function isRule(value: unknown): value is Rule {
  return typeof value === "object" && value !== null && "id" in value && "kind" in value && "any" in value;
}

export function camelCase(id: string): string {
  return id.replace(/-([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase());
}

export function shipRule(rule: Rule): ShippedRule {
  if (rule.kind === "success") {
    const { any, all, except, ...rest } = rule;
    return { ...rest, ...shipCommon({ any, all, except }) };
  }
  const { any, all, except, none, recoveredBy, ...rest } = rule;
  return {
    ...rest,
    ...shipCommon({ any, all, except }),
    ...(none && { none: none.map(shipSearched) }),
    ...(recoveredBy && { recoveredBy: recoveredBy.map(shipSearched) }),
  };
}

interface CommonPatterns<Pattern> {
  readonly any: readonly Pattern[];
  readonly all?: readonly Pattern[];
  readonly except?: readonly Pattern[];
}

function shipCommon({ any, all, except }: Patterns): CommonPatterns<ShippedPattern> {
  return {
    any: any.map(shipSearched),
    ...(all && { all: all.map(shipSearched) }),
    ...(except && { except: except.map(shipTested) }),
  };
}

interface Patterns {
  readonly any: readonly AuthoredPattern[];
  readonly all: readonly AuthoredPattern[] | undefined;
  readonly except: readonly AuthoredPattern[] | undefined;
}

/** Its lines are found by the texts of its most telling expression. */
export function shipSearched(pattern: AuthoredPattern): ShippedPattern {
  const terms = shipTested(pattern);
  const found = terms.map(({ source, flags }) => requiredLiterals(source, flags));
  const lengths = found.map((texts) => (texts.length === 0 ? 0 : Math.min(...texts.map(({ length }) => length))));
  const longest = Math.max(...lengths);
  if (longest < ruleLimits.literalLength) return terms;
  const telling = lengths.indexOf(longest);
  return terms.map((term, index) => (index === telling ? { ...term, texts: found[index] ?? [] } : term));
}

/** Only run on lines that something else has found. */
function shipTested(pattern: AuthoredPattern): ShippedPattern {
  return pattern instanceof RegExp ? [ship(pattern)] : pattern.map(ship);
}

function ship(expression: RegExp): PatternText {
  return { source: expression.source, flags: expression.flags };
}
