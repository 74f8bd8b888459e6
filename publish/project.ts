import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readText } from "./json-value.ts";

export const projectFolder = join(import.meta.dirname, "..");
export const cacheFolder = join(projectFolder, ".cache");

/** Version of everything that this project publishes: package.json is its only source. */
export async function projectVersion(): Promise<string> {
  const content: unknown = JSON.parse(await readFile(join(projectFolder, "package.json"), "utf8"));
  return readText(content, "version", "package.json");
}
