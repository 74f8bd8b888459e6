import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * What one run of the tests needs often and makes once, in the folder that CAPZ_RUN_FOLDER names and the end of the run removes. `make`
 * is given the path to fill; another worker may be making the same. Undefined where there is no such folder.
 */
export function keptInRun(name: string, make: (path: string) => void): string | undefined {
  const folder = process.env["CAPZ_RUN_FOLDER"];
  if (folder === undefined) return undefined;
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const own = `${path}.${String(process.pid)}`;
  make(own);
  try {
    renameSync(own, path);
  } catch {
    // A folder is not renamed onto another one: the other worker was first.
    rmSync(own, { recursive: true, force: true });
  }
  return path;
}
