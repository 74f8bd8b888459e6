import { cleanTextWithSeams, seam, withoutSeams } from "./clean-text.ts";
import { hide, withHiddenTexts } from "./hidden-texts.ts";
import { withoutLookAlikes, withPlainQuotes } from "./look-alikes.ts";
import { insidesOf, readingsOf, typedPipes, wrappedLines } from "./redact-readings.ts";
import { logPrefixOf } from "./log-prefix.ts";
import { looksUnique } from "./looks-made.ts";
import { mask, mostSecrets, seesNothingOf } from "./mask-secrets.ts";
import { createStepper, hideAcrossLines, redactLines } from "./redact.ts";
import { expectText } from "./redact-shapes.ts";
import { holdsEscapes, meaningsOf } from "./unescape-text.ts";

/**
 * Hides every secret in a text with seams (cleanTextWithSeams) and names its kind (`<redacted:join-token>`); idempotent, and
 * linear in the length. Each line is read in all the ways in which a reader, or a reader's tools, may read it: as it is; with
 * a terminal sequence as the end of a word; and as what the literals in it stand for, where a secret stands behind a written
 * \n, \t or colour. What one reading hides, no other may show. A line stays as it was written where that is possible; else
 * the lines stand there that its literals mean.
 */
export function redact(text: string): string {
  const { text: written, hidden } = redactAsWritten(text);
  const typed = withPlainQuotes(text);
  if (typed === text) return written;
  // Where quotes were made of those that were typed, as editors and pages make them, a reader takes them for what they were.
  const plain = redactAsWritten(typed);
  const all = [...hidden.keys()].map(withPlainQuotes);
  return [...plain.hidden.keys()].some((secret) => !all.includes(secret)) ? mask(plain.text, all) : written;
}

function redactAsWritten(text: string): ReturnType<typeof withHiddenTexts> {
  expectText(text.length);
  const step = createStepper();
  const lines = text.split("\n");
  const told = toldByOthers(lines);
  const redacted = withHiddenTexts(() =>
    hideAcrossLines(lines)
      .map((line, at) => mask(redactReadings(asRead(line), step), told.get(at) ?? []))
      .join("\n"),
  );
  return { text: hideAgain(redacted.text, redacted.hidden), hidden: redacted.hidden };
}

/** What a line tells to be secret stands in others without a name: in the command into which a shell puts its variable. */
function hideAgain(text: string, found: ReadonlyMap<string, string>): string {
  return [...found]
    .filter(([secret, kind]) => !inLines.has(kind) && looksUnique(secret))
    .slice(0, mostSecrets)
    .reduce((all, [secret, kind]) => (all.includes(secret) ? all.replaceAll(secret, hide(kind, secret)) : all), text);
}

/** Of many lines, each of which is told by those around it. */
const inLines = new Set(["private-key", "base64", "user-data", "line"]);

/** What only a line's neighbours tell to be secret in it: the other end of a traced pipe, the rest of a line that was wrapped. */
function toldByOthers(lines: readonly string[]): ReadonlyMap<number, readonly string[]> {
  const told = new Map<number, readonly string[]>();
  const add = (at: number, secrets: readonly string[]): void => {
    told.set(at, [...(told.get(at) ?? []), ...secrets]);
  };
  const said = lines.map((line) => line.slice(logPrefixOf(line).length));
  for (const [at, typed] of typedPipes(said)) add(at, hiddenIn(typed));
  for (const { first, width, count, text } of [...wrappedLines(lines), ...wrappedLines(said)]) {
    const starts = Array.from({ length: count }, (_, index) => index * width);
    for (const secret of hiddenIn(text)) {
      const start = text.indexOf(secret);
      const end = start + secret.length;
      const parts = starts
        .map((from, index) => ({
          at: first + index,
          part: text.slice(Math.max(start, from), Math.min(end, from + width)),
        }))
        .filter(({ part }) => part !== "");
      // What stands in one line alone is told by it.
      if (parts.length > 1) for (const { at, part } of parts) add(at, [part]);
    }
  }
  return told;
}

/** What a line's redaction hides. */
function hiddenIn(text: string): readonly string[] {
  return [...withHiddenTexts(() => redactLines(text)).hidden.keys()];
}

/** A secret's name in letters that look like those of the name; such a line is shown in plain letters, which look the same. */
function asRead(line: string): string {
  const plain = withoutLookAlikes(line);
  if (plain === line) return line;
  return countHidden(plain) > countHidden(line) ? plain : line;
}

function countHidden(line: string): number {
  const views = line.includes(seam) ? [line, withoutSeams(line)] : [line];
  return views.reduce((sum, view) => sum + withHiddenTexts(() => redactLines(view)).hidden.size, 0);
}

function redactReadings(line: string, step: (line: string) => string): string {
  const plain = withoutSeams(line);
  const written = withHiddenTexts(() => step(plain));
  const seams = [...seamsOf(line), ...[...readingsOf(plain), ...insidesOf(plain)].flatMap(hiddenIn)];
  const read = readAs(plain).map(readMeaning);
  const asWritten = mask(written.text, seams);
  const unseen = [...new Set(read.flatMap(({ hidden }) => hidden))];
  if (unseen.length === 0) return asWritten;
  if (unseen.length + written.hidden.size + seams.length > mostSecrets) return hide("line", plain);
  const ends = unseen.filter((secret) => isHalfEscaped(secret, plain)).map((secret) => secret.slice(2));
  const none = [...unseen, ...ends];
  if (meansNothingOf(asWritten, none)) return asWritten;
  const all = [...none, ...seams, ...written.hidden.keys()];
  return read.map(({ text }) => mask(text, all)).find((text) => meansNothingOf(text, all)) ?? hide("line", plain);
}

/** What the literals of a line may stand for. */
function readAs(plain: string): readonly string[] {
  const opened = openLiterals(plain);
  if (opened === plain && !holdsEscapes(plain)) return [];
  const meanings = meaningsOf(opened);
  // A literal that only shows behind the escapes of another one: Python's bytes in XML or in a URL.
  const within = opened === plain ? meanings.filter((text) => openLiterals(text) !== text) : [];
  return [...new Set([...meanings, ...within.flatMap((text) => meaningsOf(openLiterals(text)))])]
    .map((text) => asRead(cleanTextWithSeams(text)))
    .filter((text) => withoutSeams(text) !== plain);
}

interface Meaning {
  readonly text: string;
  readonly hidden: readonly string[];
}

function readMeaning(meaning: string): Meaning {
  const meant = withoutSeams(meaning);
  const { text, hidden } = withHiddenTexts(() => redactLines(meant));
  return { text, hidden: [...hidden.keys(), ...seamsOf(meaning), ...readingsOf(meant).flatMap(hiddenIn)] };
}

/** name%4fx: the secret of one reading begins within an escape of another one. */
function isHalfEscaped(secret: string, line: string): boolean {
  return /^[0-9a-f]{2}/i.test(secret) && line.includes(`%${secret.slice(0, 2)}`);
}

/** The same of what a text means to a reader who takes its escapes off. */
function meansNothingOf(text: string, secrets: readonly string[]): boolean {
  return meaningsOf(text).every((meant) =>
    seesNothingOf(withoutLookAlikes(withoutSeams(cleanTextWithSeams(meant))), secrets),
  );
}

/** Behind a written line end as well: \nb'… */
const opening = /(?:\b|(?<=\\[nrt]))b\\{0,3}['"]/g;
const closing = /(?<!\\)['"][)\]]?$/;
/** What begins a literal of Python's bytes begins a line, and what ends it ends one: many secrets are told by standing first or last. */
function openLiterals(line: string): string {
  if (line.search(opening) === -1) return line;
  const opened = line.replaceAll(opening, "$&\n").replace(closing, "\n$&");
  const slashes = inner.exec(line)?.[1]?.length;
  return slashes === undefined ? opened : opened.replaceAll(closingOf(slashes), "\n");
}

/** A literal within a literal. */
const inner = /(?:\b|(?<=\\[nrt]))b(\\{1,3})['"]/;

/** What ends it has as many backslashes in front of it as what begins it. */
function closingOf(slashes: number): RegExp {
  return new RegExp(String.raw`(?<!\\)(?=\\{${String(slashes)}}['"](?:\\{1,4}[rn]|['"]|$))`, "g");
}

/** What is hidden where each seam is the end of a word. */
function seamsOf(line: string): readonly string[] {
  return line.includes(seam) ? hiddenIn(line) : [];
}
