/** U+001B, and the one-byte forms of "escape and a letter" (ISO 6429: C1) that some terminals obey too. */
const introducer = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/;
const introducers = /(?=[\u001b\u0090\u0098\u009b\u009d-\u009f])/;
/** C1 characters by the letter that follows the escape character in their other form. */
const letterOf: Readonly<Record<string, string>> = {
  "\u0090": "P",
  "\u0098": "X",
  "\u009b": "[",
  "\u009d": "]",
  "\u009e": "^",
  "\u009f": "_",
};
/**
 * What may follow the escape character: a control sequence (colours, cursor), a string (titles, clipboard, device control)
 * up to its end or the end of the line, so that an unclosed one hides no further lines, or a short sequence.
 */
const sequences = [
  /^\[[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]/,
  /^[\]PX^_][^\u0007\u009c\n]*[\u0007\u009c]?/,
  /^[\u0020-\u002f]*[\u0030-\u004f\u0051-\u0057\u0059\u005a\u005c\u0060-\u007e]/,
] as const;
/** How other programs write the escape character in front of a colour: JSON, shells, cat -v, rsyslog; or nothing, where it was taken out alone. */
const writtenColour =
  /(?:\\{1,8}(?:u001[bB]|x1[bB]|033|e)|\^\[|#033|\u241b)\[[\d;]{0,24}[A-Za-z]|\[\d{1,3}(?:;\d{1,3}){0,5}m(?!\])/g;
/** Line ends of Unicode and of IBM's hosts. */
const lineEnd = /\r\n?|[\u0085\u2028\u2029]/g;
/** Blanks of other widths, and those at which no line is broken: to a reader they are blanks. */
const otherBlank = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const controlCharacter = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/**
 * Characters without a shape: they reorder what is shown (bidirectional controls), hide in a word (zero width, soft hyphen,
 * variation selectors, tags), or mark bytes.
 */
const invisible =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/**
 * Text that any reader can take: no terminal sequences, no control characters but tab and line feed, nothing invisible, no
 * lone surrogates (WALinuxAgent decodes the status strictly; one lone surrogate loses the status of the whole machine).
 * Linear in the length.
 */
export function cleanText(text: string): string {
  return withoutSeams(cleanTextWithSeams(text));
}

/** Stands where a terminal sequence was: "a" + colour + "b" may be one word or two. A character of private use. */
export const seam = "\uf8fe";

/** In most lines there is nothing to clean, and one look says so: printable ASCII without the begin of a written colour. */
const mayNeedCleaning = /[^\t\n\u0020-\u007e]|\\[ux0e]|\^\[|#033|\[\d{1,3}[;m]/;

/** The same, with a seam for each terminal sequence. */
export function cleanTextWithSeams(text: string): string {
  if (!mayNeedCleaning.test(text)) return text;
  // Zeros first: a line of UTF-16 within UTF-8 has one behind each letter, also within a terminal sequence.
  const own = withoutSeams(text.includes("\0") ? text.replaceAll("\0", "") : text);
  const plain = introducer.test(own) ? withoutTerminalSequences(own) : own;
  return withoutOverstrikes(plain.replace(writtenColour, seam).replace(lineEnd, "\n"))
    .replace(controlCharacter, "")
    .replace(otherBlank, " ")
    .toWellFormed()
    .replace(invisible, "");
}

export function withoutSeams(text: string): string {
  return text.includes(seam) ? text.replaceAll(seam, "") : text;
}

function withoutTerminalSequences(text: string): string {
  return text.split(introducers).map(withoutLeadingSequence).join("");
}

function withoutLeadingSequence(part: string): string {
  const first = part[0] ?? "";
  if (!introducer.test(first)) return part;
  const letter = letterOf[first] ?? "";
  const body = letter + part.slice(1);
  for (const sequence of sequences) {
    const found = sequence.exec(body);
    if (found !== null) return seam + body.slice(found[0].length);
  }
  return part.slice(1);
}

/** "p\bp" and "_\bp": how a printer, and less, write a bold or underlined p. A backspace takes the character before it. */
function withoutOverstrikes(text: string): string {
  if (!text.includes("\b")) return text;
  const kept: string[] = [];
  for (const character of text) {
    if (character !== "\b") kept.push(character);
    else if (kept.length > 0 && kept.at(-1) !== "\n") kept.pop();
  }
  return kept.join("");
}

/** Each blank as the one that is typed. As long as before. */
export function withPlainBlanks(text: string): string {
  return text.replace(otherBlank, " ");
}
