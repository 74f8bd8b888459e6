export const cutMark = " … [cut]";
const middleMark = " … ";
const longestHalfWord = 20;

/** The first `maximum` UTF-16 units at most, mark included; never half a surrogate pair. */
export function cutText(text: string, maximum: number, mark: string = cutMark): string {
  if (text.length <= maximum) return text;
  return headOf(text, Math.max(0, maximum - mark.length)) + mark.slice(0, maximum);
}

/** The first `length` UTF-16 units, one less where the cut would split a surrogate pair. */
export function headOf(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  const splitsPair = length < text.length && last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? length - 1 : length);
}

/**
 * A log line of at most `maximum` UTF-16 units that keeps both ends: a line begins with who speaks and ends with why
 * (`…: dial tcp: lookup api.internal: no such host`); what can be missed lies between.
 */
export function cutMiddle(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  const kept = Math.max(0, maximum - middleMark.length);
  const head = headOf(text, Math.floor(kept / 2));
  return `${toWordEnd(head)}${middleMark}${fromWordStart(tailOf(text, kept - head.length))}`.slice(0, maximum);
}

/** The last `length` UTF-16 units, one less where the cut would split a surrogate pair. */
export function tailOf(text: string, length: number): string {
  const start = text.length - length;
  const first = text.charCodeAt(start);
  const splitsPair = start > 0 && first >= 0xdc00 && first <= 0xdfff;
  return text.slice(splitsPair ? start + 1 : start);
}

/** The last `maximum` bytes in UTF-8, begun at a whole character. */
export function tailOfBytes(text: string, maximum: number): string {
  const bytes = Buffer.from(text, "utf8");
  let start = Math.max(0, bytes.length - maximum);
  // A continuation byte is 10xxxxxx.
  while (start < bytes.length && start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start);
}

/** Half a word is dropped, but not more than a word: a long path or token is cut inside. */
function toWordEnd(head: string): string {
  const blank = head.lastIndexOf(" ");
  return blank >= head.length - longestHalfWord && blank > 0 ? head.slice(0, blank) : head;
}

function fromWordStart(tail: string): string {
  const blank = tail.indexOf(" ");
  return blank !== -1 && blank < longestHalfWord && blank < tail.length - 1 ? tail.slice(blank + 1) : tail;
}

/** The longest cut of `text` that takes at most `maximum` bytes as the inside of a JSON string in UTF-8. */
export function cutToJsonBytes(text: string, maximum: number): string {
  // One unit takes at least one byte, so a longer text can never fit; cutting first keeps a 1 MB text cheap.
  const candidate = cutText(text, maximum);
  if (jsonBytes(candidate) <= maximum) return candidate;
  let fits = 0;
  let tooLong = candidate.length;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (jsonBytes(cutText(candidate, middle)) <= maximum) fits = middle;
    else tooLong = middle;
  }
  return cutText(candidate, fits);
}

export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text), "utf8") - 2;
}

/** Cuts at the last word that fits and marks the cut, a long path or name inside it; never splits a surrogate pair. */
export function cutAtWord(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = headOf(text, Math.max(0, limit - 1));
  const blank = kept.lastIndexOf(" ");
  const isWord = blank > limit / 4 && kept.length - blank <= longestHalfWord;
  const body = isWord ? kept.slice(0, blank) : kept;
  return `${withoutEnd(body, " ,;:.")}…`;
}

/** Without the given characters at its end. Not a regular expression: those are not linear at the end of a text. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}
