import { cleanTextWithSeams, seam, withoutSeams } from "./clean-text.ts";
import { hide, withHiddenTexts } from "./hidden-texts.ts";
import { withoutLookAlikes } from "./look-alikes.ts";
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
  return hideAcrossLines(text.split("\n"))
    .map((line) => redactLine(line, step))
    .join("\n");
}

function redactLine(written: string, step: (line: string) => string): string {
  return redactReadings(asRead(written), step);
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
  const seams = [...seamsOf(line), ...secretsOfList(plain)];
  const opened = openLiterals(plain);
  if (opened === plain && !holdsEscapes(plain)) return mask(written.text, seams);
  const meaning = asRead(cleanTextWithSeams(unescapeText(opened)));
  const meant = withoutSeams(meaning);
  if (meant === plain) return mask(written.text, seams);
  const read = withHiddenTexts(() => redactLines(meant));
  const unseen = [...read.hidden, ...seamsOf(meaning), ...secretsOfList(meant)];
  const asWritten = mask(written.text, seams);
  if (unseen.length === 0) return asWritten;
  if (unseen.length + written.hidden.size + seams.length > mostSecrets) return hide("line", plain);
  const shown = withoutLookAlikes(withoutSeams(cleanTextWithSeams(unescapeText(asWritten))));
  return seesNothingOf(shown, unseen) ? asWritten : mask(read.text, [...unseen, ...seams, ...written.hidden]);
}

/** What begins a literal of Python's bytes begins a line, and what ends it ends one: many secrets are told by standing first or last. */
function openLiterals(line: string): string {
  if (!line.includes("b'") && !line.includes('b"')) return line;
  return line.replaceAll(/\bb(?:'|")/g, "$&\n").replace(/(?<!\\)['"][)\]]$/, "\n$&");
}

/** What is hidden where a list of words (["curl", "-u", "name:…"], a0="curl" a1="-u") is written as a command. */
function secretsOfList(line: string): readonly string[] {
  if (!listWithFlag.test(line)) return [];
  const command = line.replaceAll(/["']?,\s{0,4}["']?|["']\s{1,4}a\d{1,3}=["']|[[\]"']/g, " ");
  return [...withHiddenTexts(() => redactLines(command)).hidden];
}

const listWithFlag = /[\w./-]["']?,\s{0,4}["']?-\w|\ba\d{1,3}="-/;

/** What is hidden where each seam is the end of a word. */
function seamsOf(line: string): readonly string[] {
  return line.includes(seam) ? [...withHiddenTexts(() => redactLines(line)).hidden] : [];
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
