import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The originals of the schemas, where a developer has them: CAPZ_REFERENCE_FOLDER, or a folder beside the repository that holds `crds`
 * and `arm-examples`. They are not committed, because they belong to others; undefined leaves our own subsets in test/schemas.
 */
export function referenceFolder(): string | undefined {
  const named = process.env["CAPZ_REFERENCE_FOLDER"];
  if (named !== undefined) return named;
  const beside = join(import.meta.dirname, "..", "..", "..");
  return readdirSync(beside, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(beside, entry.name))
    .find((folder) => existsSync(join(folder, "crds", "capz")) && existsSync(join(folder, "arm-examples", "schema")));
}
