import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listOf, member, readText } from "./json-value.ts";
import { projectFolder } from "./project.ts";

export const pinsFile = join(projectFolder, "publish/runtime-pins.json");

/** One Node program that a package carries, by the digests that a reviewer has seen. */
export interface RuntimePin {
  /** Folder below runtime/ in the package: system and architecture. */
  readonly name: string;
  readonly npmPackage: string;
  readonly version: string;
  /** The program inside the npm package. */
  readonly file: string;
  /** sha512 of the npm package, in npm's form. */
  readonly integrity: string;
  /** sha256 of the program as the npm package holds it. */
  readonly sha256: string;
  /** sha256 of the program as our package carries it: stripped on Linux, byte for byte the same on Windows. */
  readonly packagedSha256: string;
  readonly strip: boolean;
}

export async function readRuntimePins(file = pinsFile): Promise<readonly RuntimePin[]> {
  const content: unknown = JSON.parse(await readFile(file, "utf8"));
  const version = readText(content, "version", file);
  return listOf(member(content, "runtimes")).map((row) => ({
    name: readText(row, "name", file),
    npmPackage: readText(row, "npmPackage", file),
    version,
    file: readText(row, "file", file),
    integrity: readText(row, "integrity", file),
    sha256: readText(row, "sha256", file),
    packagedSha256: readText(row, "packagedSha256", file),
    strip: member(row, "strip") === true,
  }));
}

/** Path of the program in the package. */
export function runtimePath(pin: RuntimePin): string {
  return `runtime/${pin.name}/${pin.file.replace("bin/", "")}`;
}
