import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { systemErrorCode } from "../errors/handler-error.ts";
import { cleanText } from "../text/clean-text.ts";

/** The last `maxBytes` of an output file as clean text; empty when there is no such file. */
export async function readTail(path: string, maxBytes: number): Promise<string> {
  // Without O_NONBLOCK a pipe in its place would hold us until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return "";
  try {
    const found = await file.stat();
    if (!found.isFile()) return "";
    const { size } = found;
    const start = Math.max(0, size - maxBytes);
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    return cleanTail(buffer.subarray(0, bytesRead), start);
  } finally {
    await file.close();
  }
}

/** Text of the bytes that follow `cutBytes` others: valid UTF-8, begun at a whole character, marked as cut. */
export function cleanTail(bytes: Uint8Array, cutBytes: number): string {
  const text = cleanText(new TextDecoder("utf-8").decode(cutBytes > 0 ? fromWholeCharacter(bytes) : bytes));
  return cutBytes > 0 ? `[… ${String(cutBytes)} bytes cut …]\n${text}` : text;
}

function fromWholeCharacter(bytes: Uint8Array): Uint8Array {
  let start = 0;
  // Continuation bytes are 10xxxxxx; a character has at most three.
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
