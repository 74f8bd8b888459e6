import AdmZip from "adm-zip";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { projectFolder } from "../support/node-root.ts";
import { runCommand } from "../support/run-command.ts";

/** A package as a registry would hold it. */
export interface HandlerPackage {
  readonly version: string;
  readonly zip: string;
}

/**
 * Builds the real package from the present sources (`npm run package`) and gives the zip of one system.
 * CAPZ_LANE_PACKAGES names a folder of packages that are already built, so that several lanes need only one build.
 */
export async function buildPackage(system: "Linux" | "Windows"): Promise<HandlerPackage> {
  const { version } = parseVersion(await readFile(join(projectFolder, "package.json"), "utf8"));
  const built = process.env["CAPZ_LANE_PACKAGES"];
  if (built === undefined) {
    await runCommand([process.execPath, "--no-warnings", "publish/main.ts", "package"], { cwd: projectFolder });
  }
  return { version, zip: join(built ?? join(projectFolder, "dist"), `CAPZ.${system}.Bootstrapping-${version}.zip`) };
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
