import { RegExpParser, type AST } from "@eslint-community/regexpp";

/**
 * Finds texts of which at least one stands in every line that an expression matches. They travel with the rule: the matcher looks
 * for them first (handler/diagnosis/automaton.ts) and runs the expression on the lines that hold one.
 * Conservative: a construct it does not know adds nothing. Texts are lower case, because the search folds case.
 */
export function requiredLiterals(source: string, flags = "u"): readonly string[] {
  const pattern = new RegExpParser().parsePattern(source, undefined, undefined, { unicode: flags.includes("u") });
  return (ofAlternatives(pattern.alternatives) ?? []).map(rarestWindow);
}

const longestLiteral = 14;
const mostBranches = 24;

/** One element of a sequence: a fixed character, a set of texts of which one must occur, or unknown. */
type Item =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "oneOf"; readonly texts: readonly string[] }
  | { readonly kind: "unknown" }
  | { readonly kind: "empty" };

function ofAlternatives(alternatives: readonly AST.Alternative[]): readonly string[] | undefined {
  const texts: string[] = [];
  for (const { elements } of alternatives) {
    const found = ofSequence(elements);
    if (found === undefined) return undefined;
    texts.push(...found);
  }
  return texts.length > mostBranches ? undefined : [...new Set(texts)];
}

function ofSequence(elements: readonly AST.Element[]): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  let run = "";
  const offer = (texts: readonly string[]): void => {
    if (worth(texts) > worth(best ?? [])) best = texts;
  };
  for (const item of elements.map(itemOf)) {
    if (item.kind === "empty") continue;
    if (item.kind === "text") {
      run += item.text;
      continue;
    }
    if (run !== "") offer([run]);
    run = "";
    if (item.kind === "oneOf") offer(item.texts);
  }
  if (run !== "") offer([run]);
  return best;
}

/** The shortest text decides how often the search stops; many texts are worth a little less than one. */
function worth(texts: readonly string[]): number {
  if (texts.length === 0) return 0;
  return Math.min(...texts.map((text) => Math.min(text.length, longestLiteral))) - texts.length * 0.2;
}

function itemOf(element: AST.Element): Item {
  switch (element.type) {
    case "Character":
      return textItem(element.value);
    case "CharacterClass":
      return classItem(element);
    case "Group":
    case "CapturingGroup":
      return oneOf(ofAlternatives(element.alternatives));
    case "Quantifier":
      return quantified(element);
    case "Assertion":
      return { kind: "empty" };
    case "Backreference":
    case "CharacterSet":
    case "ExpressionCharacterClass":
      return { kind: "unknown" };
  }
}

/** The search folds the case of ASCII alone. */
function textItem(codePoint: number): Item {
  return codePoint < 128 ? { kind: "text", text: String.fromCodePoint(codePoint).toLowerCase() } : { kind: "unknown" };
}

/** A class is a character only when all its members fold to the same one: `[Tt]`. */
function classItem({ negate, elements }: AST.CharacterClass): Item {
  if (negate) return { kind: "unknown" };
  const folded = new Set(
    elements.map((member) => (member.type === "Character" ? String.fromCodePoint(member.value).toLowerCase() : "")),
  );
  const [only = ""] = folded;
  return folded.size === 1 && /^[a-z]$/u.test(only) ? { kind: "text", text: only } : { kind: "unknown" };
}

function oneOf(texts: readonly string[] | undefined): Item {
  return texts === undefined || texts.length === 0 ? { kind: "unknown" } : { kind: "oneOf", texts };
}

function quantified({ min, element }: AST.Quantifier): Item {
  if (min === 0) return { kind: "unknown" };
  const item = itemOf(element);
  return item.kind === "text" ? { kind: "oneOf", texts: [item.text] } : item;
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
