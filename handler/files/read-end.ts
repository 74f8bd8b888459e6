import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { resolveBelow } from "./resolve-below.ts";

const mostBytes = 1024 * 1024;

/** The last mebibyte of a file as text; empty where there is none. */
export async function readEnd(root: string, path: string): Promise<string> {
  try {
    const place = resolveBelow(root, join(root, path));
    if (place === undefined) return "";
    // Without O_NONBLOCK a pipe in its place would hold us until somebody writes to it.
    const handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile()) return "";
      // Files of /proc say that they are empty.
      if (found.size === 0) return (await handle.readFile()).toString("utf8");
      const length = Math.min(found.size, mostBytes);
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, found.size - length);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return "";
  }
}
