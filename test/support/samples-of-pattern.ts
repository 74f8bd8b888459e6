import { RegExpParser, type AST } from "@eslint-community/regexpp";

const most = 60;

/** Texts of which an expression matches each, one or more for every branch of it; what stands in a look-around is not looked at. */
export function samplesOf({ source, flags }: RegExp): readonly string[] {
  const unicode = flags.includes("u");
  return ofAlternatives(new RegExpParser().parsePattern(source, undefined, undefined, { unicode }).alternatives);
}

function ofAlternatives(alternatives: readonly AST.Alternative[]): readonly string[] {
  return alternatives.flatMap(({ elements }) => elements.reduce<readonly string[]>(withElement, [""]));
}

function withElement(starts: readonly string[], element: AST.Element): readonly string[] {
  const ends = ofElement(element);
  return starts.flatMap((start) => ends.map((end) => start + end)).slice(0, most);
}

function ofElement(element: AST.Element): readonly string[] {
  switch (element.type) {
    case "Character":
      return [String.fromCodePoint(element.value)];
    case "CharacterClass":
      return [ofClass(element)];
    case "CharacterSet":
      return [ofSet(element)];
    case "Group":
    case "CapturingGroup":
      return ofAlternatives(element.alternatives);
    case "Quantifier":
      return ofQuantifier(element);
    case "Assertion":
    case "Backreference":
    case "ExpressionCharacterClass":
      return [""];
  }
}

/** As often as it must stand there, and once where it may be left out. */
function ofQuantifier({ element, min }: AST.Quantifier): readonly string[] {
  const once = ofElement(element);
  const repeated = once.map((text) => text.repeat(Math.max(min, 1)));
  return min === 0 ? ["", ...repeated] : repeated;
}

function ofClass({ negate, elements }: AST.CharacterClass): string {
  if (negate) return "q";
  const [first] = elements;
  if (first?.type === "CharacterClassRange") return String.fromCodePoint(first.min.value);
  if (first?.type === "Character") return String.fromCodePoint(first.value);
  return first?.type === "CharacterSet" ? ofSet(first) : "q";
}

function ofSet({ kind, negate }: { readonly kind: string; readonly negate?: boolean }): string {
  if (negate === true) return kind === "space" ? "q" : " ";
  if (kind === "digit") return "1";
  return kind === "space" ? " " : "q";
}
