import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Host } from "../../host.ts";
import { systemErrorCode } from "../../errors/handler-error.ts";
import { decodeText } from "../../text/decode-text.ts";
import { cutShown, ours, showBytes, type ShownText } from "../../text/shown-text.ts";

/** Who knows in which code page programs print on this system. */
export type OutputHost = Pick<Host, "platform" | "run">;

/** Read in front of the tail: the line that it begins in, and most of a private key or a list of passwords. */
const marginBytes = 60 * 1024;

interface Writer {
  readonly host?: OutputHost;
  /** The file from which a shell read the command line. */
  readonly lineFile?: string | undefined;
}

/** The last `maxBytes` of an output file; empty when there is no such file. */
export async function readTail(path: string, maxBytes: number, { host, lineFile }: Writer = {}): Promise<ShownText> {
  // Without O_NONBLOCK a pipe in its place would hold us until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return ours``;
  try {
    const found = await file.stat();
    if (!found.isFile()) return ours``;
    const { size } = found;
    const unread = Math.max(0, size - maxBytes - marginBytes);
    const buffer = Buffer.alloc(size - unread);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, unread);
    const printed = buffer.subarray(0, bytesRead);
    const bytes = (await host?.platform.toUtf8?.(printed, host.run)) ?? printed;
    return showTail(lineFile === undefined ? bytes : withoutName(bytes, lineFile), { unread, maxBytes });
  } finally {
    await file.close();
  }
}

/**
 * The last `maxBytes` of bytes that follow `unread` others of the same output: decoded, cleaned, redacted as a whole, and only
 * then cut, because half a secret would not be recognised. Marked as cut.
 */
export function showTail(
  bytes: Uint8Array,
  { unread, maxBytes }: { readonly unread: number; readonly maxBytes: number },
): ShownText {
  const wordless = unread > 0 ? showInOneWord(bytes, maxBytes) : undefined;
  const isBegun = unread > 0 && wordless === undefined;
  // Of what is not read to its beginning the first word goes, and half a character with it.
  const whole = wordless ?? showBytes(bytes, { start: isBegun });
  const tail = cutShown.tailBytes(whole, maxBytes);
  const unshown = unread + (isBegun ? beforeWholeLine(bytes) : 0);
  const left = unshown + Math.max(0, Buffer.byteLength(whole) - Buffer.byteLength(tail));
  return left > 0 ? ours`[… ${left} bytes cut …]\n${tail}` : tail;
}

/**
 * Output without a single blank, such as JSON of a hundred kilobytes, is one word. It is shown where its end lies far behind the beginning of
 * what was read: whatever secret that cut in two is not near.
 */
function showInOneWord(bytes: Uint8Array, maxBytes: number): ShownText | undefined {
  if (/\s/.test(decodeText(bytes))) return undefined;
  const whole = showBytes(bytes);
  return Buffer.byteLength(whole) > maxBytes + marginBytes / 2 ? whole : undefined;
}

/** Bytes of the line that the output begins in, of which showBytes shows nothing; of an output in one line, of the word. */
function beforeWholeLine(bytes: Uint8Array): number {
  const text = decodeText(bytes);
  const end = text.search(/[\n\r\u0085\u2028\u2029]/);
  const at = end === -1 ? text.search(/\s/) : end + 1;
  return at === -1 ? bytes.length : Math.max(0, bytes.length - Buffer.byteLength(text.slice(at)));
}

/**
 * The shell names the file that it reads in front of what it complains of: dash behind its own name and the line, bash in the place of its
 * own name. The file is ours and means nothing to anybody; with `sh -c` the line reads as it does here without it.
 */
function withoutName(bytes: Uint8Array, lineFile: string): Uint8Array {
  const name = Buffer.from(lineFile).toString("latin1");
  const text = Buffer.from(bytes).toString("latin1");
  if (!text.includes(`${name}: `)) return bytes;
  return Buffer.from(text.replaceAll(`: ${name}: `, ": ").replaceAll(`${name}: `, "/bin/sh: "), "latin1");
}
