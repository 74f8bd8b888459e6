import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { format } from "prettier";
import { readBicepParameters, translateBicep, type Json } from "./bicep/translate-bicep.ts";

const folder = join(import.meta.dirname, "../../manifests/bicep");

/** manifests/arm: what manifests/bicep says, for those who deploy with templates. A template and its parameters of each file. */
export async function outputs(): Promise<readonly { readonly path: string; readonly content: string }[]> {
  const files = (await readdir(folder)).sort();
  return Promise.all(files.map(async (file) => armFileOf(file, await readFile(join(folder, file), "utf8"))));
}

async function armFileOf(file: string, source: string): Promise<{ readonly path: string; readonly content: string }> {
  if (file.endsWith(".bicep"))
    return { path: `manifests/arm/${basename(file, ".bicep")}.json`, content: await text(translateBicep(source)) };
  const { values } = readBicepParameters(source);
  const parameters = {
    $schema: "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#",
    contentVersion: "1.0.0.0",
    parameters: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])),
  };
  return { path: `manifests/arm/${basename(file, ".bicepparam")}.parameters.json`, content: await text(parameters) };
}

function text(value: Json): Promise<string> {
  return format(JSON.stringify(value, undefined, 2), { parser: "json", printWidth: 120 });
}
