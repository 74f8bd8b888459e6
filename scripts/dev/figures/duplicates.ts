import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Lines that must follow each other alike, without imports, comments and blank lines, to count as written twice. */
const runLength = 8;

/** Lines that stand in a run which occurs elsewhere in `files` too. */
export function countDuplicates(project: string, files: readonly string[]): number {
  const places = new Map<string, { readonly file: string; readonly from: number }[]>();
  for (const file of files) {
    const lines = tellingLines(readFileSync(join(project, file), "utf8"));
    for (let from = 0; from + runLength <= lines.length; from += 1) {
      const run = lines.slice(from, from + runLength).join("\n");
      const known = places.get(run) ?? [];
      known.push({ file, from });
      places.set(run, known);
    }
  }
  const doubled = new Set<string>();
  for (const found of places.values()) {
    if (found.length < 2) continue;
    for (const { file, from } of found) {
      for (let line = from; line < from + runLength; line += 1) doubled.add(`${file}:${String(line)}`);
    }
  }
  return doubled.size;
}

function tellingLines(text: string): readonly string[] {
  return text
    .replaceAll(/^import [^;]+;$/gmu, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:\/\/|\/\*|\*)/u.test(line));
}
