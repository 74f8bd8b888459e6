import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** The paths of the files below this folder that this process holds open, one for each descriptor. */
export function openFilesBelow(folder: string): readonly string[] {
  return readdirSync("/proc/self/fd")
    .map((name) => {
      try {
        return readlinkSync(join("/proc/self/fd", name));
      } catch {
        // It was that of this listing.
        return "";
      }
    })
    .filter((path) => path.startsWith(folder));
}
