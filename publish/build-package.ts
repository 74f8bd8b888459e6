import { join } from "node:path";
import { sha256 } from "./digest.ts";
import type { OperatingSystem } from "./extension-definition.ts";
import { collectPackage } from "./package-files.ts";
import { packZip } from "./package-zip.ts";
import { projectFolder } from "./project.ts";
import { writeAtomic } from "./write-atomic.ts";

const outputFolder = join(projectFolder, "dist");

export interface BuiltPackage {
  readonly os: OperatingSystem;
  readonly type: string;
  readonly version: string;
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface PackageOptions {
  /** Folder of the zip; default: dist/. */
  readonly folder?: string | undefined;
  /** File with the keys whose signed check bundles the package accepts; default: manifests/trusted-keys.json. */
  readonly trustedKeys?: string | undefined;
}

/** Builds one system's package from the present sources. */
export async function buildPackage(os: OperatingSystem, options: PackageOptions = {}): Promise<BuiltPackage> {
  const { folder = outputFolder, trustedKeys } = options;
  const { type, version, files } = await collectPackage(os, trustedKeys);
  const zip = await packZip(files);
  const path = join(folder, `${type}-${version}.zip`);
  await writeAtomic(path, zip);
  return { os, type, version, path, sha256: sha256(zip), bytes: zip.length };
}
