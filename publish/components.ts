import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "./package-of-input.ts";
import { member, readText, textOr } from "./json-value.ts";

/** A package from npm whose code lies in the bundle. */
export interface Component {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly licenceText: string;
  readonly homepage: string;
}

/** The packages behind esbuild's inputs: exactly what the bundle holds, not what the lock file allows. */
export async function readComponents(inputs: readonly string[], projectFolder: string): Promise<readonly Component[]> {
  const folders = [...new Set(inputs.flatMap((input) => packageFolder(input) ?? []))].sort();
  return Promise.all(folders.map((folder) => readComponent(join(projectFolder, folder))));
}

async function readComponent(folder: string): Promise<Component> {
  const file = join(folder, "package.json");
  const content: unknown = JSON.parse(await readFile(file, "utf8"));
  return {
    name: readText(content, "name", file),
    version: readText(content, "version", file),
    licence: textOr(member(content, "license"), "see the licence text"),
    licenceText: await readLicenceText(folder),
    homepage: textOr(member(content, "homepage"), ""),
  };
}

async function readLicenceText(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => /^(?:licen[cs]e|copying|notice)\b/i.test(name)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts.map((text) => text.replaceAll("\r\n", "\n").trim()).join("\n\n");
}
