import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildRules } from "./build-rules.ts";
import { settingsFiles } from "./generate-settings-schema.ts";

const repository = join(import.meta.dirname, "..", "..");

interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly content: string;
}
type Generator = () => Promise<readonly GeneratedFile[]>;

/** In this order: pages are made from rules.json. */
async function generators(): Promise<readonly Generator[]> {
  return [
    async () => [{ path: "scripts/rules.json", content: await buildRules() }],
    async () => (await settingsFiles()).map(({ path, text }) => ({ path, content: text })),
    ...(await discoverGenerators()),
  ];
}

/** Every scripts/dev/generate-*.ts that exports `outputs`. */
async function discoverGenerators(): Promise<readonly Generator[]> {
  const names = (await readdir(import.meta.dirname)).filter((name) => /^generate-[\w-]+\.ts$/.test(name)).toSorted();
  const found = await Promise.all(names.map((name) => importOutputs(join(import.meta.dirname, name))));
  return found.filter((generator) => generator !== undefined);
}

async function importOutputs(file: string): Promise<Generator | undefined> {
  const loaded: unknown = await import(pathToFileURL(file).href);
  if (typeof loaded !== "object" || loaded === null || !("outputs" in loaded)) return undefined;
  const { outputs } = loaded;
  return isCallable(outputs) ? async () => readFiles(await outputs(), file) : undefined;
}

function isCallable(value: unknown): value is () => unknown {
  return typeof value === "function";
}

function readFiles(value: unknown, file: string): readonly GeneratedFile[] {
  if (!Array.isArray(value) || !value.every(isGeneratedFile)) {
    throw new Error(`outputs() of ${file} gives something else than [{ path, content }]`);
  }
  return value;
}

function isGeneratedFile(value: unknown): value is GeneratedFile {
  if (typeof value !== "object" || value === null || !("path" in value) || !("content" in value)) return false;
  return typeof value.path === "string" && typeof value.content === "string";
}

/** Names of files that are not what the sources make of them; with `write` they are written instead of only named. */
export async function staleFiles({ write }: { readonly write: boolean }): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const generate of await generators()) {
    for (const { path, content } of await generate()) {
      const file = join(repository, path);
      if (existsSync(file) && (await readFile(file, "utf8")) === content) continue;
      stale.push(path);
      if (write) await writeFile(file, content);
    }
  }
  return stale;
}

async function main(): Promise<number> {
  const check = process.argv.includes("--check");
  const stale = await staleFiles({ write: !check });
  for (const path of stale) process.stdout.write(`${path} ${check ? "is stale: run npm run generate" : "written"}\n`);
  return check && stale.length > 0 ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main();
