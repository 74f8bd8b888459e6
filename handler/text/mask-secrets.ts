import { seam, withoutSeams } from "./clean-text.ts";
import { hide } from "./hidden-texts.ts";
import { unescapeText } from "./unescape-text.ts";

/** A line with more different secrets is hidden whole, so that no line costs the product of its length and its secrets. */
export const mostSecrets = 200;
/** A shorter text is a word that may stand anywhere, and no secret by itself. */
const shortestPiece = 4;

/** Hides texts that another reading of the line has found to be secret; the whole line where they overlap with what it hides. */
export function mask(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  if (secrets.length > mostSecrets) return hide("line", text);
  const pieces = [...new Set(secrets.flatMap(piecesOf))].toSorted((a, b) => b.length - a.length);
  const masked = pieces.reduce((line, piece) => {
    if (!line.includes(piece)) return line;
    const alone = plainWord.test(piece) ? standing(piece) : piece;
    return line.replaceAll(alone, () => hide("secret", piece));
  }, text);
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
export function seesNothingOf(text: string, secrets: readonly string[]): boolean {
  const chunks = secrets.flatMap(piecesOf).flatMap(chunksOf);
  return chunks.every((chunk) => !text.includes(chunk)) && secrets.every((secret) => !standsIn(text, secret.trim()));
}

/** A password as most people choose it: it may be a part of another word, and is told only where it stands as one. */
const plainWord = /^[a-z]{4,40}$/;

function standsIn(text: string, secret: string): boolean {
  return plainWord.test(secret) && text.includes(secret) && standing(secret).test(text);
}

function standing(word: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])${word}(?![A-Za-z0-9])`, "g");
}

/** Parts of which a rest of the secret would hold one: its words that are no plain words, long ones in chunks, evenly spread. */
function chunksOf(piece: string): readonly string[] {
  const words = piece.split(/[\s"'`\\]+/).filter((word) => word.length >= 6 && /[^a-z]/.test(word));
  if (words.length === 0) return phrasesOf(piece);
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

/** Of a phrase of plain words, its words by twos. */
function phrasesOf(piece: string): readonly string[] {
  const words = piece.split(" ");
  const pairs = words.slice(1, mostChunks).map((word, at) => `${words[at] ?? ""} ${word}`);
  return pairs.filter((pair) => pair.length >= shortestPhrase);
}

const shortestPhrase = 9;
