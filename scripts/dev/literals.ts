import { RegExpParser, type AST } from "@eslint-community/regexpp";

/**
 * Finds texts of which at least one stands in every line that an expression matches. They travel with the rule: the matcher looks
 * for them first (handler/text/automaton.ts) and runs the expression on the lines that hold one.
 * Conservative: a construct it does not know adds nothing. Texts are lower case, because the search folds case.
 */
export function requiredLiterals(source: string, flags = "u"): readonly string[] {
  const pattern = new RegExpParser().parsePattern(source, undefined, undefined, { unicode: flags.includes("u") });
  return shortest(shortest(ofAlternatives(pattern.alternatives) ?? []).map(rarestWindow));
}

/** Where one text stands within another, the search finds it there as well. */
function shortest(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text, _, all) => !all.some((other) => other !== text && text.includes(other)));
}

const longestLiteral = 14;
const mostBranches = 24;

/** What a part of an expression matches: nothing but one of these texts, something that holds one of them, or unknown. */
type Item =
  | { readonly kind: "exact"; readonly texts: readonly string[] }
  | { readonly kind: "holds"; readonly texts: readonly string[] }
  | { readonly kind: "unknown" };

const unknown: Item = { kind: "unknown" };
const nothing: Item = { kind: "exact", texts: [""] };

function ofAlternatives(alternatives: readonly AST.Alternative[]): readonly string[] | undefined {
  const texts: string[] = [];
  for (const { elements } of alternatives) {
    const found = ofSequence(elements.map(itemOf));
    if (found === undefined) return undefined;
    texts.push(...found);
  }
  return texts.length > mostBranches ? undefined : [...new Set(texts)];
}

/** The most telling texts of a sequence: what stands side by side is one text. */
function ofSequence(items: readonly Item[]): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  let run = [""];
  const offer = (texts: readonly string[]): void => {
    if (worth(texts) > worth(best ?? [])) best = texts;
  };
  for (const item of items) {
    const joined = item.kind === "exact" ? join(run, item.texts) : undefined;
    if (joined !== undefined) {
      run = joined;
      continue;
    }
    offer(run);
    run = item.kind === "exact" ? [...item.texts] : [""];
    if (item.kind === "holds") offer(item.texts);
  }
  offer(run);
  return best;
}

/** A log in a literal writes them with a backslash before them, which would part what stands side by side. */
const escaped = /["'`\\]/u;

/** Undefined where a text would have an escape in it, or there would be too many. */
function join(firsts: readonly string[], seconds: readonly string[]): string[] | undefined {
  if (firsts.some((first) => first !== "") && seconds.some((second) => escaped.test(second))) return undefined;
  const joined = new Set(firsts.flatMap((first) => seconds.map((second) => first + second)));
  return joined.size > mostBranches ? undefined : [...joined];
}

/** Many short texts are still worth more than none. */
const least = 0.1;

/** The shortest text decides how often the search stops; many texts are worth a little less than one. */
function worth(texts: readonly string[]): number {
  if (texts.length === 0 || texts.includes("")) return 0;
  return Math.max(least, Math.min(...texts.map((text) => Math.min(text.length, longestLiteral))) - texts.length * 0.2);
}

function itemOf(element: AST.Element): Item {
  switch (element.type) {
    case "Character":
      return textItem(element.value);
    case "CharacterClass":
      return classItem(element);
    case "Group":
    case "CapturingGroup":
      return groupItem(element.alternatives);
    case "Quantifier":
      return quantified(element);
    case "Assertion":
      return nothing;
    case "Backreference":
    case "CharacterSet":
    case "ExpressionCharacterClass":
      return unknown;
  }
}

/** The search folds the case of ASCII alone. */
function textItem(codePoint: number): Item {
  return codePoint < 128 ? { kind: "exact", texts: [String.fromCodePoint(codePoint).toLowerCase()] } : unknown;
}

const mostOfClass = 4;

/** A class of few characters is one of them: `[Tt]`, `["']`. */
function classItem({ negate, elements }: AST.CharacterClass): Item {
  if (negate) return unknown;
  const items = elements.map((member) => (member.type === "Character" ? textItem(member.value) : unknown));
  const texts = new Set(items.flatMap((item) => (item.kind === "exact" ? item.texts : [])));
  const isKnown = items.every(({ kind }) => kind === "exact") && texts.size <= mostOfClass;
  return isKnown ? { kind: "exact", texts: [...texts] } : unknown;
}

function groupItem(alternatives: readonly AST.Alternative[]): Item {
  const exact = exactTexts(alternatives);
  if (exact !== undefined) return { kind: "exact", texts: exact };
  const texts = ofAlternatives(alternatives);
  return texts === undefined ? unknown : { kind: "holds", texts };
}

/** Undefined where a branch may match anything else. */
function exactTexts(alternatives: readonly AST.Alternative[]): readonly string[] | undefined {
  const texts = new Set<string>();
  for (const { elements } of alternatives) {
    let branch: readonly string[] | undefined = [""];
    for (const element of elements) {
      const item = itemOf(element);
      branch = item.kind === "exact" && branch !== undefined ? join(branch, item.texts) : undefined;
    }
    if (branch === undefined) return undefined;
    for (const text of branch) texts.add(text);
  }
  return texts.size > mostBranches ? undefined : [...texts];
}

function quantified({ min, max, element }: AST.Quantifier): Item {
  const item = itemOf(element);
  if (item.kind === "unknown") return unknown;
  if (max === 1 && min === 1) return item;
  if (max === 1) return item.kind === "exact" ? { kind: "exact", texts: ["", ...item.texts] } : unknown;
  // More than once: it holds one of them, and what follows does not stand beside the first.
  return min === 0 || item.texts.includes("") ? unknown : { kind: "holds", texts: item.texts };
}

/** Letters of log text from common to rare: a text of rare letters stops the search less often. */
const common = " etainorsldcuhm/p-g:.f0=1";

/** The part of a long text, at most 14 characters, that occurs least often in logs. */
function rarestWindow(text: string): string {
  let best = text.slice(0, longestLiteral);
  let bestRarity = -1;
  for (let from = 0; from + longestLiteral <= text.length; from++) {
    const window = text.slice(from, from + longestLiteral);
    const rarity = Array.from(window).reduce((sum, char) => sum + rank(char), 0);
    if (rarity > bestRarity) [best, bestRarity] = [window, rarity];
  }
  return best;
}

function rank(char: string): number {
  const at = common.indexOf(char);
  return at === -1 ? common.length : at;
}
