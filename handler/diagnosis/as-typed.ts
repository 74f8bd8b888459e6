import { withPlainBlanks } from "../text/clean-text.ts";
import { withPlainQuotes } from "../text/look-alikes.ts";
import { joinBlocks } from "./pasted-text.ts";
import { joinWrapped, type JoinedLine } from "./unwrap.ts";

/** How a page writes signs; its codes of control characters stay, as each of them would make another line. */
const entities: Readonly<Record<string, string>> = {
  "&quot;": '"',
  "&#34;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
  "&nbsp;": " ",
  "&#160;": " ",
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
};
const entity = /&(?:quot|#34|apos|#39|#x27|nbsp|#160|lt|gt|amp);/gu;

/** A numbered text, a quote, a block set in, a list: the mark counts where it stands before each line. */
const markOfAll = [
  /^\s{0,6}\d{1,5}(?:: |\t|\| )(?=\S)/u,
  /^(?:> ?){1,4}/u,
  /^(?: {4}|\t)(?![a-z][\w-]{1,40}: )/u,
] as const;
/** A line that stands alone may begin so itself. */
const bullet = /^\s{0,8}[-*•] (?=\S)/u;

/** Signs of Markdown around a whole line. */
const around = /^\s{0,4}(?<mark>`{1,2}|\*{2,3})(?<line>[^`*].{2,4000})\k<mark>\s{0,4}$/u;

/** Colours whose escape character was lost on the way: only where the one that ends them stands there as well. */
const lostColour = /(?<!\u001B)\[(?:0|[01];\d{1,2}(?:;\d{1,3}){0,3}|[39]\d)m/gu;

function withoutLostColours(text: string): string {
  return /(?<!\u001B)\[0m/u.test(text) ? text.replaceAll(lostColour, "") : text;
}

/** The lines of a text as their programs wrote them, as many as before: without what whoever showed it made of them. */
export function asTyped(text: string): string {
  const quoted = withPlainBlanks(withPlainQuotes(text)).replaceAll(entity, (sign) => entities[sign] ?? sign);
  const plain = withoutLostColours(quoted);
  const lines = plain.split("\n");
  const said = lines.filter((line) => line.trim() !== "");
  const marks = said.length > 1 ? [...markOfAll, bullet] : markOfAll;
  const mark = marks.find((one) => said.every((line) => one.test(line)));
  return lines.map((line) => withoutMarks(mark === undefined ? line : line.replace(mark, ""))).join("\n");
}

function withoutMarks(line: string): string {
  return around.exec(line)?.groups?.["line"] ?? line;
}

/** Lines to read again: those that are joined of several, and the others that were typed otherwise than they stand there. */
export function linesToReadAgain(pasted: string, typed: string): readonly JoinedLine[] {
  const joined = [...joinWrapped(typed), ...joinBlocks(typed)];
  if (pasted === typed) return joined;
  const before = pasted.split("\n");
  const changed = typed
    .split("\n")
    .map((text, at): JoinedLine => ({ from: at + 1, to: at + 1, text, certain: true }))
    .filter(({ from, text }) => text !== before[from - 1] && !joined.some((one) => from >= one.from && from <= one.to));
  return [...joined, ...changed];
}
