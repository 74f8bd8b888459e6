import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { settingsJsonSchema } from "./settings-json-schema.ts";
import { settingsPage } from "./settings-page.ts";

export interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

/** The files that are made from handler/settings/schema.ts, formatted as they are committed. */
export async function settingsFiles(): Promise<readonly GeneratedFile[]> {
  const drafts = [
    { path: "manifests/settings.schema.json", text: JSON.stringify(settingsJsonSchema(), null, 2) },
    { path: "docs/settings.md", text: settingsPage() },
  ];
  const options = (await resolveConfig(join(import.meta.dirname, "generate-settings-schema.ts"))) ?? {};
  return Promise.all(
    drafts.map(async ({ path, text }) => ({ path, text: await format(text, { ...options, filepath: path }) })),
  );
}

if (import.meta.main) {
  for (const { path, text } of await settingsFiles()) {
    await writeFile(join(import.meta.dirname, "..", "..", path), text);
    process.stdout.write(`${path} written\n`);
  }
}
