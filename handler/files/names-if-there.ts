import { readdirSync } from "node:fs";

/** The names in a folder; none where there is no folder, or none that may be read. */
export function namesIfThere(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
