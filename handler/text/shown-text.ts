import { cleanText } from "./clean-text.ts";
import { cutAtWord, cutMiddle, cutText, cutToJsonBytes, headOf, oneLine, tailOf, tailOfBytes } from "./cut-text.ts";
import { decodeText } from "./decode-text.ts";
import { readableText, type CutEdges } from "./outside-text.ts";

export type { CutEdges } from "./outside-text.ts";

declare const brand: unique symbol;

/**
 * Text that may leave the program: decoded, cleaned, redacted and only then cut, in this order. Status, report, log, console,
 * telemetry and terminal take nothing else, and only this file makes it (scripts/dev/check-boundaries.ts refuses a cast to it
 * elsewhere), so no other order can be written.
 */
export type ShownText = string & { readonly [brand]: "shown" };

/** A value all of whose texts may leave the program; texts of a fixed choice stay what they are. */
export type Shown<Value> = Value extends string
  ? string extends Value
    ? ShownText
    : Value
  : Value extends readonly (infer Item)[]
    ? readonly Shown<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Shown<Value[Key]> }
      : Value;

/**
 * A time, a clock, a version or a machine's id and nothing beside: text of which cleaning and redaction leave every character. `enable` shows
 * nothing else, and what cleans and redacts takes it a third of its time to load.
 */
const plainMark =
  /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|\d\d:\d\d:\d\d|\d{1,3}\.\d{1,3}\.\d{1,3}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** Text from outside, of one or more lines. */
export function show(text: string, edges: CutEdges = {}): ShownText {
  const isWhole = edges.start !== true && edges.end !== true;
  if (!isWhole) return asShown(readableText(text, edges));
  return asShown(plainMark.test(text) ? text : readableAgain(text));
}

const longestKept = 256;
const mostKept = 8;
const kept = new Map<string, string>();

/** The status of a wait shows the same few words each half minute, and to redact them runs a hundred expressions. */
function readableAgain(text: string): string {
  const before = kept.get(text);
  if (before !== undefined) return before;
  const readable = readableText(text, {});
  if (kept.size >= mostKept) kept.clear();
  if (text.length <= longestKept) kept.set(text, readable);
  return readable;
}

/** The same for bytes whose encoding is not known. */
export function showBytes(bytes: Uint8Array, edges: CutEdges = {}): ShownText {
  return show(decodeText(bytes), edges);
}

/** Text from outside as a single line: every run of blanks and line ends is one blank. */
export function showLine(text: string, edges: CutEdges = {}): ShownText {
  return asShown(oneLine(show(text, edges)));
}

/** Every text of a value, its keys too. */
export function showAll<Value>(value: Value): Shown<Value>;
export function showAll(value: unknown): unknown {
  if (typeof value === "string") return show(value);
  if (Array.isArray(value)) return value.map((item: unknown) => showAll(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]: [string, unknown]) => [show(key), showAll(item)]));
}

/** A constant of the rule catalogue: of our own writing, so it is not redacted ("Delete the Node and its Secret: …"). */
export function showCatalogueText(text: string): ShownText {
  return asShown(cleanText(text));
}

/** Our own words with values that may be shown in between: ours`Full report on the machine: ${path}`. */
export function ours(words: TemplateStringsArray, ...values: readonly (ShownText | number)[]): ShownText {
  return asShown(words.reduce((text, part, index) => `${text}${String(values[index - 1] ?? "")}${part}`));
}

export function joinShown(
  parts: readonly ShownText[],
  separator: "" | "\n" | "\n\n" | " " | "; " | ", " | " → " | " · ",
): ShownText {
  return asShown(parts.join(separator));
}

/** JSON of a value that may be shown; escaping a shown text reveals nothing. */
export function shownJson<Value extends object>(value: Shown<Value>, indent?: number): ShownText {
  return asShown(JSON.stringify(value, undefined, indent));
}

/** The text as content or attribute of an HTML or SVG element. */
export function shownHtml(text: ShownText): ShownText {
  return asShown(text.replace(/[&<>"']/g, (character) => htmlEntities[character] ?? ""));
}

const htmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A JSON text that was written before, value by value, so that no quote or brace is taken for part of a secret; else plain text. */
export function showAgain(text: string, indent?: number): ShownText {
  if (!text.startsWith("{")) return show(text);
  try {
    const value: unknown = JSON.parse(text);
    return asShown(JSON.stringify(showAll(value), undefined, indent));
  } catch {
    return show(text);
  }
}

/** The cuts of cut-text.ts; what is cut from a shown text may be shown. */
export const cutShown = {
  text: (text: ShownText, maximum: number, mark?: string): ShownText => asShown(cutText(text, maximum, mark)),
  from: (text: ShownText, start: number): ShownText => asShown(text.slice(start)),
  head: (text: ShownText, length: number): ShownText => asShown(headOf(text, length)),
  tail: (text: ShownText, length: number): ShownText => asShown(tailOf(text, length)),
  tailBytes: (text: ShownText, maximum: number): ShownText => asShown(tailOfBytes(text, maximum)),
  atWord: (text: ShownText, maximum: number): ShownText => asShown(cutAtWord(text, maximum)),
  middle: (text: ShownText, maximum: number): ShownText => asShown(cutMiddle(text, maximum)),
  toJsonBytes: (text: ShownText, maximum: number): ShownText => asShown(cutToJsonBytes(text, maximum)),
  oneLine: (text: ShownText): ShownText => asShown(oneLine(text)),
  /** Line ends become blanks; other blanks stay, as a log aligns its columns with them. */
  joinLines: (text: ShownText): ShownText => asShown(joinedLines(text)),
  trim: (text: ShownText): ShownText => asShown(text.trim()),
  lines: (text: ShownText): readonly ShownText[] => text.split("\n").map(asShown),
} as const;

/** A text whose every character is shown already, such as the value that a pattern found in a shown line; else nothing of it. */
export function showPartOf(whole: ShownText, part: string): ShownText {
  return whole.includes(part) ? asShown(part) : asShown("<redacted:part>");
}

function joinedLines(text: string): string {
  const [first = "", ...others] = text.trimEnd().split("\n");
  return [first.trimEnd(), ...others.map((line) => line.trim()).filter((line) => line !== "")].join(" ");
}

function asShown(text: string): ShownText {
  return text as ShownText;
}
