/** Layers of quoting that are taken off: a program's message, in klog's quotes, in JSON, in a Python literal. */
const mostLayers = 4;

const single: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  0: "\n",
  v: "\n",
  f: "\n",
  e: "\u001b",
  '"': '"',
  "'": "'",
  "`": "`",
  "/": "/",
  "\\": "\\",
};
const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };

/**
 * One escape of a literal: `\n`, `\"`, `\x1b`, `\u001b`, `\033` (JSON, C, Go, Python, shells), a run of `\xNN` for the bytes of
 * one character (Python), `` `n `` (PowerShell), `#012` (rsyslog), `%0A` (URL), `&#10;` and `&quot;` (XML).
 */
const escapes =
  /((?:\\x[0-9a-fA-F]{2}){1,64})|\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([0-3][0-7]{2})|\\([0nrtvfe"'`/\\])|`([nrte])|#(01[0-5]|033)|((?:%[0-9a-fA-F]{2}){1,64})|&#(\d{1,7});|&#x([0-9a-fA-F]{1,6});|&(quot|apos|lt|gt|amp);/g;
const mayEscape = /[\\`#%&]/;

/** True where unescapeText could change something. */
export function holdsEscapes(text: string): boolean {
  return mayEscape.test(text);
}

/**
 * The text that a literal stands for, whatever the language of the literal, also where the literal's begin or end is cut off;
 * for text that may hold one and is only searched or shown. Layer by layer, linear in the length.
 */
export function unescapeText(text: string): string {
  return unescapeLayers(text, mostLayers, unescapeOne);
}

/** The texts that a literal may stand for: with its outermost layers off, as the command was that it holds; with a percent sign that is none; with all. */
export function meaningsOf(text: string): readonly string[] {
  const outer = unescapeLayers(text, 1, unescapeOne);
  const second = unescapeLayers(outer, 1, unescapeOne);
  const percents = text.includes("%") ? [unescapeLayers(text, mostLayers, unescapeOther)] : [];
  return [...new Set([outer, second, ...percents, unescapeText(second)])];
}

function unescapeLayers(text: string, layers: number, unescape: typeof unescapeOne): string {
  let current = text;
  for (let layer = 0; layer < layers && holdsEscapes(current); layer++) {
    const next = current.replace(escapes, unescape);
    if (next === current) break;
    current = next;
  }
  return current;
}

type Captures = readonly (string | undefined)[];

/** `%4f` may as well be three characters of a password. */
function unescapeOther(whole: string, ...captures: (string | undefined)[]): string {
  return whole.startsWith("%") ? whole : unescapeOne(whole, ...captures);
}

function unescapeOne(whole: string, ...captures: (string | undefined)[]): string {
  const [bytes, braced, four, eight, octal, letter, powershell, rsyslog, percent, decimal, hex, entity]: Captures =
    captures;
  if (bytes !== undefined) return decodeBytes(bytes.slice(2).split("\\x"));
  if (percent !== undefined) return decodeBytes(percent.slice(1).split("%"));
  const character = letter ?? powershell;
  if (character !== undefined) return single[character] ?? whole;
  if (entity !== undefined) return entities[entity] ?? whole;
  return codePoint(
    numbered({ base8: octal ?? rsyslog, base10: decimal, base16: braced ?? four ?? eight ?? hex }),
    whole,
  );
}

interface Digits {
  readonly base8: string | undefined;
  readonly base10: string | undefined;
  readonly base16: string | undefined;
}

function numbered({ base8, base10, base16 = "" }: Digits): number {
  if (base8 !== undefined) return Number.parseInt(base8, 8);
  return base10 === undefined ? Number.parseInt(base16, 16) : Number(base10);
}

function decodeBytes(pairs: readonly string[]): string {
  return new TextDecoder("utf-8").decode(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
}

function codePoint(value: number, whole: string): string {
  return value <= 0x10ffff ? String.fromCodePoint(value) : whole;
}

const pythonBytes = /\bb(?:'|\\{0,4}")/;

/**
 * The lines inside a Python bytes literal (`b'first\nsecond'`, also a cut one) or a quoted message: cloudbase-init logs all
 * output of the user data as one. Empty where there is none.
 */
export function linesInLiteral(line: string): readonly string[] {
  if (!line.includes("\\n") && !line.includes("\\r")) return [];
  const start = pythonBytes.exec(line);
  const inner = start === null ? line : line.slice(start.index + start[0].length);
  return unescapeText(inner)
    .split(/\r\n?|\n/)
    .map((part) => part.trimEnd())
    .filter((part) => part !== "");
}
