import { extname } from "node:path";

const textExtensions: ReadonlySet<string> = new Set([".sh", ".txt", ".py", ".pl"]);

/**
 * What Custom Script does to a script edited on Windows: UTF-16 with a byte order mark becomes UTF-8, the mark goes,
 * CRLF becomes LF. Undefined when the file is no script or needs nothing.
 */
export function cleanScript(path: string, bytes: Buffer): Buffer | undefined {
  const decoded = decodeUtf16(bytes);
  const plain = startsWith(decoded, [0xef, 0xbb, 0xbf]) ? decoded.subarray(3) : decoded;
  if (!textExtensions.has(extname(path).toLowerCase()) && !startsWith(plain, [0x23, 0x21])) return undefined;
  const cleaned = plain.includes("\r\n") ? withLineFeeds(plain) : plain;
  return cleaned.length === bytes.length && cleaned.equals(bytes) ? undefined : cleaned;
}

function startsWith(bytes: Buffer, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

function decodeUtf16(bytes: Buffer): Buffer {
  if (startsWith(bytes, [0xff, 0xfe])) return Buffer.from(new TextDecoder("utf-16le").decode(bytes));
  if (startsWith(bytes, [0xfe, 0xff])) return Buffer.from(new TextDecoder("utf-16be").decode(bytes));
  return bytes;
}

/** On bytes, not on text: a script may hold bytes that are not UTF-8. */
function withLineFeeds(bytes: Buffer): Buffer {
  return Buffer.from(bytes.filter((byte, index) => byte !== 0x0d || bytes[index + 1] !== 0x0a));
}
