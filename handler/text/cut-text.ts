export const cutMark = " … [cut]";

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
