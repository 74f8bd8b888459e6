import { cleanTextWithSeams, seam, withoutSeams } from "./clean-text.ts";
import { hide, withHiddenTexts } from "./hidden-texts.ts";
import { withoutLookAlikes } from "./look-alikes.ts";
import { readingsOf, typedPipes, wrappedLines } from "./redact-readings.ts";
import { looksUnique } from "./looks-made.ts";
import { createStepper, hideAcrossLines, redactLines } from "./redact.ts";
import { expectText } from "./redact-shapes.ts";
import { holdsEscapes, unescapeText } from "./unescape-text.ts";

/** A shorter text is a word that may stand anywhere, and no secret by itself. */
const shortestPiece = 4;
/** A line with more different secrets is hidden whole, so that no line costs the product of its length and its secrets. */
const mostSecrets = 200;

/**
 * Hides every secret in a text with seams (cleanTextWithSeams) and names its kind (`<redacted:join-token>`); idempotent, and
 * linear in the length. Each line is read in all the ways in which a reader, or a reader's tools, may read it: as it is; with
 * a terminal sequence as the end of a word; and as what the literals in it stand for, where a secret stands behind a written
 * \n, \t or colour. What one reading hides, no other may show. A line stays as it was written where that is possible; else
 * the lines stand there that its literals mean.
 */
export function redact(text: string): string {
  expectText(text.length);
  const step = createStepper();
  const lines = text.split("\n");
  const told = toldByOthers(lines);
  const redacted = withHiddenTexts(() =>
    hideAcrossLines(lines)
      .map((line, at) => mask(redactReadings(asRead(line), step), told.get(at) ?? []))
      .join("\n"),
  );
  return hideAgain(redacted.text, redacted.hidden);
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
    if (secrets.length > 0) told.set(at, [...(told.get(at) ?? []), ...secrets]);
  };
  for (const [at, typed] of typedPipes(lines)) add(at, hiddenIn(typed));
  for (const { first, width, count, text } of wrappedLines(lines)) {
    const ends = Array.from({ length: count }, (_, index) => (index + 1) * width);
    for (const secret of hiddenIn(text)) {
      const start = text.indexOf(secret);
      const end = start + secret.length;
      if (Math.floor(start / width) === Math.floor((end - 1) / width)) continue;
      for (const [index, lineEnd] of ends.entries())
        if (start < lineEnd && end > lineEnd - width)
          add(first + index, [text.slice(Math.max(start, lineEnd - width), Math.min(end, lineEnd))]);
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
  const seams = [...seamsOf(line), ...readingsOf(plain).flatMap(hiddenIn)];
  const opened = openLiterals(plain);
  if (opened === plain && !holdsEscapes(plain)) return mask(written.text, seams);
  const meaning = asRead(cleanTextWithSeams(unescapeText(opened)));
  const meant = withoutSeams(meaning);
  if (meant === plain) return mask(written.text, seams);
  const read = withHiddenTexts(() => redactLines(meant));
  const unseen = [...read.hidden.keys(), ...seamsOf(meaning), ...readingsOf(meant).flatMap(hiddenIn)];
  const asWritten = mask(written.text, seams);
  if (unseen.length === 0) return asWritten;
  if (unseen.length + written.hidden.size + seams.length > mostSecrets) return hide("line", plain);
  const shown = withoutLookAlikes(withoutSeams(cleanTextWithSeams(unescapeText(asWritten))));
  return seesNothingOf(shown, unseen) ? asWritten : mask(read.text, [...unseen, ...seams, ...written.hidden.keys()]);
}

/** What begins a literal of Python's bytes begins a line, and what ends it ends one: many secrets are told by standing first or last. */
function openLiterals(line: string): string {
  if (!line.includes("b'") && !line.includes('b"')) return line;
  return line.replaceAll(/\bb(?:'|")/g, "$&\n").replace(/(?<!\\)['"][)\]]$/, "\n$&");
}

/** What is hidden where each seam is the end of a word. */
function seamsOf(line: string): readonly string[] {
  return line.includes(seam) ? hiddenIn(line) : [];
}

/** Hides texts that another reading of the line has found to be secret; the whole line where they overlap with what it hides. */
function mask(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  if (secrets.length > mostSecrets) return hide("line", text);
  const pieces = [...new Set(secrets.flatMap(piecesOf))].toSorted((a, b) => b.length - a.length);
  const masked = pieces.reduce(
    (line, piece) => (line.includes(piece) ? line.replaceAll(piece, hide("secret", piece)) : line),
    text,
  );
  return seesNothingOf(masked, secrets) ? masked : hide("line", text);
}

/** A hidden text in the parts that another reading may show of it: without seams, by its lines, and what its escapes mean. */
function piecesOf(secret: string): readonly string[] {
  return [secret, unescapeText(secret)]
    .flatMap((text) => [withoutSeams(text), ...text.split(seam)])
    .flatMap((text) => text.split("\n"))
    .flatMap((text) => text.split(/<redacted:[a-z0-9-]+>/))
    .map((text) => text.trim())
    .filter((text) => text.length >= shortestPiece);
}

const chunkLength = 8;
const mostChunks = 24;

/** No word and no part of a long word of the secrets stands in the text. */
function seesNothingOf(text: string, secrets: readonly string[]): boolean {
  return secrets
    .flatMap(piecesOf)
    .flatMap(chunksOf)
    .every((chunk) => !text.includes(chunk));
}

/** Parts of which a rest of the secret would hold one: its words that are no plain words, long ones in chunks, evenly spread. */
function chunksOf(piece: string): readonly string[] {
  const words = piece.split(/[\s"'`\\]+/).filter((word) => word.length >= 6 && /[^a-z]/.test(word));
  return words.slice(0, mostChunks).flatMap((word) => {
    const count = Math.min(mostChunks, Math.floor(word.length / chunkLength));
    if (count < 2) return [word];
    const last = word.length - chunkLength;
    return Array.from({ length: count }, (_, index) => {
      const start = Math.round((last * index) / (count - 1));
      return word.slice(start, start + chunkLength);
    });
  });
}
