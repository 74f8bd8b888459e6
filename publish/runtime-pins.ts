import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { projectFolder } from "./project.ts";
import { readShape, someText } from "./read-shape.ts";

const pinsFile = join(projectFolder, "publish/runtime-pins.json");

const runtime = v.object({
  /** Folder below runtime/ in the package: system and architecture. */
  name: someText,
  npmPackage: someText,
  /** The program inside the npm package. */
  file: someText,
  /** sha512 of the npm package, in npm's form. */
  integrity: someText,
  /** sha256 of the program as the npm package holds it. */
  sha256: someText,
  /** sha256 of the program as our package carries it: stripped on Linux, byte for byte the same on Windows. */
  packagedSha256: someText,
  strip: v.optional(v.boolean(), false),
});
const pins = v.object({ version: someText, runtimes: v.pipe(v.array(runtime), v.minLength(1)) });

/** One Node program that a package carries, by the digests that a reviewer has seen. */
export type RuntimePin = Readonly<v.InferOutput<typeof runtime>> & { readonly version: string };

export async function readRuntimePins(file = pinsFile): Promise<readonly RuntimePin[]> {
  const { version, runtimes } = readShape(pins, JSON.parse(await readFile(file, "utf8")), file);
  return runtimes.map((pin) => ({ ...pin, version }));
}

/** Path of the program in the package. */
export function runtimePath(pin: RuntimePin): string {
  return `runtime/${pin.name}/${pin.file.replace("bin/", "")}`;
}
