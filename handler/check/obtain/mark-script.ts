import { isUtf8 } from "node:buffer";

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Windows PowerShell 5.1 takes a script without a byte order mark for ANSI and garbles every letter beyond ASCII: such a
 * script gets the mark if it is UTF-8. Undefined when it needs none.
 */
export function markScript(bytes: Buffer): Buffer | undefined {
  const isPlain = bytes.every((byte) => byte < 0x80);
  if (isPlain || bytes.subarray(0, mark.length).equals(mark) || !isUtf8(bytes)) return undefined;
  return Buffer.concat([mark, bytes]);
}
