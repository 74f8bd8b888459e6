import { lstatSync, rmSync } from "node:fs";

/** Removes a symbolic or hard link that stands in the place of a file of ours: what is written must not reach its target. */
export function removeLink(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true || (found?.isFile() === true && found.nlink > 1)) rmSync(path);
}
