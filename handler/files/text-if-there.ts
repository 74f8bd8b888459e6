import { readFileSync } from "node:fs";

/** The text of a file; undefined where there is none, or none that may be read. */
export function textIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
