import { writeFile } from "node:fs/promises";
import path from "node:path";
import { loadRules, patternProblem } from "../../handler/diagnosis/load-rules.ts";
import { readRules, rulesFolder, shipRule } from "./read-rules.ts";

export const rulesFile = path.resolve(import.meta.dirname, "../rules.json");

/** The text of rules.json for the authored rules: sorted, one rule per line so that a diff shows rules. */
export async function buildRules(folder: string = rulesFolder): Promise<string> {
  const rules = (await readRules(folder)).map(shipRule);
  for (const rule of rules) {
    const problem = patternProblem(rule);
    if (problem !== undefined) throw new Error(`scripts/rules/${rule.id}.ts: ${problem}`);
  }
  const lines = rules.map((rule) => JSON.stringify(rule));
  const text = `{"version":2,"rules":[\n${lines.join(",\n")}\n]}\n`;
  loadRules(text);
  return text;
}

if (import.meta.main) await writeFile(rulesFile, await buildRules());
