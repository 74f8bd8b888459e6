import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { format } from "prettier";
import { differenceRows } from "../../handler/settings/difference-rows.ts";

const path = "docs/custom-script.md";
const mark = "<!-- The table is generated from handler/settings/difference-rows.ts: npm run generate -->\n";

/** docs/custom-script.md with its table made anew: what stands above the mark is written by hand and stays. */
export async function outputs(): Promise<readonly { readonly path: string; readonly content: string }[]> {
  const byHand = (await readFile(join(import.meta.dirname, "../..", path), "utf8")).split(mark, 1)[0] ?? "";
  const rows = differenceRows.map(
    ({ topic, upstream, known = "sources", here, why }) => `| ${topic} | ${upstream} | ${known} | ${here} | ${why} |`,
  );
  const head = ["| What | Custom Script extension | Known from | Here | Why |", "| --- | --- | --- | --- | --- |"];
  const table = [...head, ...rows].join("\n");
  const content = await format(`${byHand}${mark}\n${table}\n`, { parser: "markdown", printWidth: 120 });
  return [{ path, content }];
}
