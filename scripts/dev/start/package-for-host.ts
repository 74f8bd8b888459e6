import AdmZip from "adm-zip";
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export interface BuiltPackage {
  readonly zip: string;
  readonly version: string;
}

/**
 * Builds the Linux package with the publishing tool (or takes the one that is built from the same sources).
 * CAPZ_BOOTSTRAP_PACKAGE names another zip to try instead, for example a released one.
 */
export function packageForHost(): BuiltPackage {
  const given = process.env["CAPZ_BOOTSTRAP_PACKAGE"];
  if (given !== undefined) return { zip: given, version: versionOf(given) };
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
