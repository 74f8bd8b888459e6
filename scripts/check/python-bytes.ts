/**
 * The lines inside a Python bytes literal (`b'…\r\n\t[ERROR …'`), as cloudbase-init logs the output of user data: all of it
 * on one line, which can have megabytes. Only the lines that `isWanted` accepts in their escaped form are unescaped, and those right before one
 * of which `wantsBefore` says so. Lazily, so that what was read of one line may decide about the next.
 */
export function* linesOfBytesLiteral(
  literal: string,
  isWanted: (escaped: string) => boolean,
  wantsBefore: (escaped: string) => boolean,
): Generator<string> {
  const end = literal.endsWith(literal[1] ?? "'") ? literal.length - 1 : literal.length;
  let from = 2;
  let unread = "";
  while (from < end) {
    const next = lineEnd(literal, from, end);
    const escaped = literal.slice(from, next);
    from = next + 2;
    const isCauseBefore = wantsBefore(escaped);
    if (isCauseBefore && unread !== "") yield unescape(unread);
    const isRead = isCauseBefore || isWanted(escaped);
    unread = isRead ? "" : escaped;
    if (isRead) yield unescape(escaped);
  }
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
