import AdmZip from "adm-zip";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { keptInRun } from "./kept-in-run.ts";

export interface BuiltPackage {
  readonly zip: string;
  readonly version: string;
}

/**
 * Builds the Linux package with the publishing tool, once in a run of the tests.
 * CAPZ_BOOTSTRAP_PACKAGE names another zip to try instead, for example a released one.
 */
export function packageForHost(): BuiltPackage {
  const given = process.env["CAPZ_BOOTSTRAP_PACKAGE"];
  if (given !== undefined) return { zip: given, version: versionOf(given) };
  const kept = keptInRun("built-package", (folder) => {
    mkdirSync(folder);
    const built = build();
    copyFileSync(built.zip, join(folder, basename(built.zip)));
    writeFileSync(join(folder, "version"), built.version);
  });
  if (kept === undefined) return build();
  const zip = readdirSync(kept).find((name) => name.endsWith(".zip"));
  if (zip === undefined) throw new Error(`There is no package in ${kept}`);
  return { zip: join(kept, zip), version: readFileSync(join(kept, "version"), "utf8") };
}

function build(): BuiltPackage {
  const project = join(import.meta.dirname, "../../..");
  const tool = join(project, "publish/main.ts");
  const output = execFileSync(process.execPath, [tool, "package", "linux", "--json"], {
    cwd: project,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return readResult(JSON.parse(output), output);
}

function versionOf(zip: string): string {
  const manifest = new AdmZip(zip).readAsText("HandlerManifest.json");
  return /"signingInfo"[^}]*"version": "(?<version>[\d.]+)"/u.exec(manifest)?.groups?.["version"] ?? "1.0.0";
}

function readResult(value: unknown, output: string): BuiltPackage {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === "object" && first !== null && "path" in first && "version" in first) {
    return { zip: String(first.path), version: String(first.version) };
  }
  throw new Error(`The publishing tool did not name a package: ${output}`);
}
