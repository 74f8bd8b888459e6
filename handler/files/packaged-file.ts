import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Set by the build of the client, which is one file: what a package holds in its folder bundle/. */
declare const CAPZ_BOOTSTRAP_BUNDLE: Readonly<Record<string, string>> | undefined;

/** Text of a file of the packaged check bundle, such as "rules.json". Throws as readFile does. */
export async function readPackagedFile(programFolder: string, name: string): Promise<string> {
  const inside = typeof CAPZ_BOOTSTRAP_BUNDLE === "object" ? CAPZ_BOOTSTRAP_BUNDLE[name] : undefined;
  return inside ?? (await readFile(join(programFolder, "bundle", name), "utf8"));
}
