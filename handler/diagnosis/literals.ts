/**
 * Finds texts of which at least one stands in every line that an expression matches.
 * The matcher looks for these texts first (automaton.ts) and runs the expression on the lines that hold one.
 * Conservative: a construct it does not know adds nothing. Texts are lower case, because the search folds case.
 */
export function requiredLiterals(source: string): readonly string[] {
  const reader: Reader = { source, at: 0 };
  const found = readAlternatives(reader);
  return found === undefined ? [] : found.map(rarestWindow);
}

const longestLiteral = 14;
const mostBranches = 24;

interface Reader {
  readonly source: string;
  at: number;
}

/** One element of a sequence: a fixed character, a set of texts of which one must occur, or unknown. */
type Item =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "oneOf"; readonly texts: readonly string[] }
  | { readonly kind: "unknown" }
  | { readonly kind: "empty" };

function readAlternatives(reader: Reader): readonly string[] | undefined {
  const branches: (readonly string[] | undefined)[] = [readSequence(reader)];
  while (reader.source[reader.at] === "|") {
    reader.at += 1;
    branches.push(readSequence(reader));
  }
  const texts: string[] = [];
  for (const branch of branches) {
    if (branch === undefined) return undefined;
    texts.push(...branch);
  }
  return texts.length > mostBranches ? undefined : [...new Set(texts)];
}

function readSequence(reader: Reader): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  let run = "";
  const offer = (texts: readonly string[]): void => {
    if (worth(texts) > worth(best ?? [])) best = texts;
  };
  while (reader.at < reader.source.length && !"|)".includes(reader.source.charAt(reader.at))) {
    const item = quantified(reader, readItem(reader));
    if (item.kind === "text") {
      run += item.text;
      continue;
    }
    if (item.kind === "empty") continue;
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

/** What a quantifier leaves of the item before it. */
function quantified(reader: Reader, item: Item): Item {
  const match = /^(?:[?*+]|\{(?<least>\d+)(?:,\d*)?\})\??/u.exec(reader.source.slice(reader.at, reader.at + 16));
  if (match === null) return item;
  reader.at += match[0].length;
  const sign = match[0].charAt(0);
  const optional = sign === "?" || sign === "*" || match.groups?.["least"] === "0";
  if (optional) return { kind: "unknown" };
  return item.kind === "text" ? { kind: "oneOf", texts: [item.text] } : item;
}

function readItem(reader: Reader): Item {
  const char = reader.source.charAt(reader.at);
  reader.at += 1;
  switch (char) {
    case "(":
      return readGroup(reader);
    case "[":
      return readClass(reader);
    case "\\":
      return readEscape(reader);
    case "^":
    case "$":
      return { kind: "empty" };
    case ".":
      return { kind: "unknown" };
    default:
      return { kind: "text", text: char.toLowerCase() };
  }
}

function readGroup(reader: Reader): Item {
  const head = /^\?(?:[:=!]|<[=!]|<[A-Za-z]\w*>)/u.exec(reader.source.slice(reader.at, reader.at + 64));
  if (head !== null) reader.at += head[0].length;
  const inner = readAlternatives(reader);
  reader.at += 1;
  const lookaround = head !== null && /^\?<?[=!]$/u.test(head[0]);
  if (lookaround) return { kind: "empty" };
  return inner === undefined || inner.length === 0 ? { kind: "unknown" } : { kind: "oneOf", texts: inner };
}

/** A class is a character only when all its members fold to the same one: `[Tt]`. */
function readClass(reader: Reader): Item {
  const from = reader.at;
  while (reader.at < reader.source.length && reader.source[reader.at] !== "]") {
    reader.at += reader.source[reader.at] === "\\" ? 2 : 1;
  }
  const body = reader.source.slice(from, reader.at);
  reader.at += 1;
  const folded = new Set(body.toLowerCase());
  const [only] = folded;
  return /^[A-Za-z]+$/u.test(body) && folded.size === 1 && only !== undefined
    ? { kind: "text", text: only }
    : { kind: "unknown" };
}

function readEscape(reader: Reader): Item {
  const char = reader.source.charAt(reader.at);
  reader.at += 1;
  if (char === "b" || char === "B") return { kind: "empty" };
  if (char === "t") return { kind: "text", text: "\t" };
  if (/[A-Za-z0-9]/u.test(char)) {
    skipEscapeBody(reader, char);
    return { kind: "unknown" };
  }
  return { kind: "text", text: char };
}

function skipEscapeBody(reader: Reader, char: string): void {
  const rest = reader.source.slice(reader.at, reader.at + 40);
  const body = /^(?:\{[^}]*\}|[\da-f]{4})/iu.exec(char === "x" ? rest.slice(0, 2).padEnd(4, "0") : rest);
  if (char === "x") reader.at += 2;
  else if ((char === "u" || char === "p" || char === "P") && body !== null) reader.at += body[0].length;
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
