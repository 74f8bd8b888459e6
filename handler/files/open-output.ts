import { closeSync, fstatSync, openSync } from "node:fs";
import { removeLink } from "./remove-link.ts";

/**
 * Opens a log of ours for appending; undefined where it cannot be written, because no log is worth a lost verdict (full or
 * read-only disk, access denied). A link in its place, symbolic or hard, leads to a file of somebody else and is removed.
 */
export function openOutput(path: string): number | undefined {
  try {
    removeLink(path);
    const descriptor = openSync(path, "a", 0o600);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
    return undefined;
  } catch {
    return undefined;
  }
}
