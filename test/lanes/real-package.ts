import AdmZip from "adm-zip";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { keptInRun } from "../../scripts/dev/start/kept-in-run.ts";
import { projectFolder } from "../support/node-root.ts";

/** A package as a registry would hold it. */
export interface HandlerPackage {
  readonly version: string;
  readonly zip: string;
}

/**
 * Builds the real package from the present sources (`npm run package`), once in a run, and gives the zip of one system.
 * CAPZ_LANE_PACKAGES names a folder of packages that are already built.
 */
export async function buildPackage(system: "Linux" | "Windows"): Promise<HandlerPackage> {
  const { version } = parseVersion(await readFile(join(projectFolder, "package.json"), "utf8"));
  const folder = process.env["CAPZ_LANE_PACKAGES"] ?? builtPackages();
  return { version, zip: join(folder, `CAPZ.${system}.Bootstrapping-${version}.zip`) };
}

function builtPackages(): string {
  const built = join(projectFolder, "dist");
  const build = () =>
    execFileSync(process.execPath, ["--no-warnings", "publish/main.ts", "package"], { cwd: projectFolder });
  const kept = keptInRun("lane-packages", (folder) => {
    build();
    mkdirSync(folder);
    for (const name of readdirSync(built))
      if (name.endsWith(".zip")) copyFileSync(join(built, name), join(folder, name));
  });
  if (kept === undefined) build();
  return kept ?? built;
}

/** The same package under another version number, in a folder of the test's: what another release is to the guest agent. */
export function withVersion(original: HandlerPackage, version: string, folder: string): HandlerPackage {
  const zip = new AdmZip(original.zip);
  const changed: string[] = [];
  for (const entry of zip.getEntries()) {
    if (!/(?:\.cjs|^HandlerManifest\.json|^manifest\.xml)$/u.test(entry.entryName)) continue;
    const text = entry.getData().toString("utf8");
    const other = text
      .replaceAll(`"${original.version}"`, `"${version}"`)
      .replaceAll(`>${original.version}<`, `>${version}<`);
    if (other === text) continue;
    changed.push(entry.entryName);
    zip.updateFile(entry, Buffer.from(other));
  }
  if (!changed.includes("HandlerManifest.json") || !changed.some((name) => name.endsWith(".cjs"))) {
    throw new Error(
      `The version ${original.version} was found only in these parts of ${original.zip}: ${changed.join(", ")}`,
    );
  }
  const file = join(folder, `${basename(original.zip, ".zip")}-as-${version}.zip`);
  zip.writeZip(file);
  return { version, zip: file };
}

function parseVersion(packageJson: string): { readonly version: string } {
  const value: unknown = JSON.parse(packageJson);
  if (typeof value === "object" && value !== null && "version" in value && typeof value.version === "string") {
    return { version: value.version };
  }
  throw new Error("package.json has no version");
}
