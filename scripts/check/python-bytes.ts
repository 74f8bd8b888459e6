export interface WantedLines {
  /** The next line is wanted whatever it says. */
  wantsNext(): boolean;
  /** Of a line in its escaped form. */
  isWanted(escaped: string): boolean;
  /** Of a line in its escaped form: the one right before it is wanted, and itself. */
  wantsBefore(escaped: string): boolean;
  /** Found in every line of which one of the two is true, in its escaped form, or from the `\n` before it on. With the flag g. */
  readonly marks: RegExp;
}

/**
 * The lines inside a Python bytes literal (`b'…\r\n\t[ERROR …'`), as cloudbase-init logs the output of user data: all of it on one line, which
 * can have megabytes. So what lies between two marks is passed over, and only the wanted lines are unescaped. Lazily, so that what was read of
 * one line may decide about the next.
 */
export function* linesOfBytesLiteral(literal: string, wanted: WantedLines): Generator<string> {
  const end = endOf(literal);
  let from = 2;
  let unread = "";
  while (from < end) {
    const start = wanted.wantsNext() ? from : nextMarkedLine(literal, from, wanted.marks);
    if (start === undefined) return;
    if (start > from) unread = lineBefore(literal, start, from);
    const next = lineEnd(literal, start, end);
    const escaped = literal.slice(start, next);
    from = next + 2;
    const isCauseBefore = wanted.wantsBefore(escaped);
    if (isCauseBefore && unread !== "") yield unescape(unread);
    const isRead = isCauseBefore || wanted.wantsNext() || wanted.isWanted(escaped);
    if (isRead) yield unescape(escaped);
    unread = isRead ? "" : escaped;
  }
}

/** Where its closing quote stands, if it was not cut off. */
function endOf(literal: string): number {
  return literal.endsWith(literal[1] ?? "'") ? literal.length - 1 : literal.length;
}

/** Where the next line with a mark begins, at `from` or behind it; the first line counts as one with a mark. */
function nextMarkedLine(literal: string, from: number, marks: RegExp): number | undefined {
  if (from === 2) return from;
  marks.lastIndex = from - 2;
  return marks.test(literal) ? lineStart(literal, marks.lastIndex - 1, from) : undefined;
}

function lineBefore(literal: string, start: number, from: number): string {
  return literal.slice(lineStart(literal, start - 2, from), start - 2);
}

/** Where the line with this position in it begins; `from` is the begin of a line before it, or its own. */
function lineStart(literal: string, position: number, from: number): number {
  let at = literal.lastIndexOf("\\n", position - 2);
  while (at >= from && isEscaped(literal, at, from)) at = literal.lastIndexOf("\\n", at - 1);
  return at < from ? from : at + 2;
}

/** An odd number of backslashes stands before it. */
function isEscaped(literal: string, at: number, from: number): boolean {
  let first = at;
  while (first > from && literal[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}

export function isBytesLiteral(line: string): boolean {
  return line.startsWith("b'") || line.startsWith('b"');
}

/** Where the next `\n` stands whose backslash is not itself escaped; else the end. */
function lineEnd(literal: string, from: number, end: number): number {
  let at = literal.indexOf("\\", from);
  while (at >= 0 && at < end) {
    if (literal[at + 1] === "n") return at;
    // A backslash and what it escapes are two characters; none of them begins another escape.
    at = literal.indexOf("\\", at + 2);
  }
  return end;
}

const named: Readonly<Record<string, string>> = { n: "\n", r: "", t: "\t", "\\": "\\", "'": "'", '"': '"' };

function unescape(escaped: string): string {
  const bytes = escaped.replaceAll(/\\(?:x(?<hex>[0-9a-f]{2})|(?<one>[^x]))/gu, (_, hex?: string, one?: string) =>
    hex === undefined ? (named[one ?? ""] ?? one ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decodeUtf8(bytes);
}

/** The escapes are bytes; outside ASCII they are UTF-8, or the console's code page, of which we keep what is readable. */
function decodeUtf8(bytes: string): string {
  if (!/[\x80-\xff]/u.test(bytes)) return bytes;
  try {
    return decodeURIComponent(bytes.replaceAll(/[%\x80-\xff]/gu, (byte) => `%${byte.charCodeAt(0).toString(16)}`));
  } catch {
    return bytes.replaceAll(/[\x80-\xff]/gu, "?");
  }
}
