import { existsSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { readTotals, type SoakTotals } from "../../test/model/soak-totals.ts";

const totalsPath = join(import.meta.dirname, "../../test/model/soak-totals.json");

/** docs/histories.md: what the kept run of `npm run soak` played, and what came of it. */
export async function outputs(): Promise<readonly { readonly path: string; readonly content: string }[]> {
  const totals = existsSync(totalsPath) ? readTotals(totalsPath) : undefined;
  if (totals === undefined) return [];
  const content = await format(pageOf(totals), { parser: "markdown", printWidth: 120 });
  return [{ path: "docs/histories.md", content }];
}

function pageOf(totals: SoakTotals): string {
  return `# Histories that were played

<!-- Generated from test/model/soak-totals.json: npm run generate -->

One run of the model of machines ([verification](verification.md#the-model-of-machines)) against the check:
**${number(totals.histories)} histories, ${number(totals.looks)} looks, ${number(totals.wrong)} wrong.**

- Command: \`npm run soak -- ${String(totals.histories)} ${String(totals.seed)} --totals test/model/soak-totals.json\`. It begins anew where the sources or the seed are others.
- Sources of the check and of the model: SHA-256 \`${totals.sources}\`. What was changed after the run has another one, which \`npm run soak -- 0\` prints.

${wrongOf(totals)}

## By user data and provider

${kindsOf(totals)}

## How many reached each truth

${list(totals.reached, "What was true at a look", "Histories")}

## What the check said

${list(totals.reasons.linux, "Reason, Linux", "Histories")}

${list(totals.reasons.windows, "Reason, Windows", "Histories")}

${list(totals.stages.linux, "Stage, Linux", "Histories")}

${list(totals.stages.windows, "Stage, Windows", "Histories")}
`;
}

function wrongOf(totals: SoakTotals): string {
  if (totals.wrong === 0) return "";
  return `${list(totals.wrongKinds, "Wrong by kind", "Histories")}\n\nThey are not mended yet. The same command with \`--keep FOLDER\` tells each as a story; those that were mended are kept in \`test/model/counterexamples\`.`;
}

function kindsOf({ kinds }: SoakTotals): string {
  const parsed = Object.entries(kinds).map(([name, times]) => {
    const [system = "", provider = "", userData = ""] = name.split(", ");
    return { column: system === "windows" ? `${provider} (Windows)` : provider, userData, times };
  });
  const columns = [...new Set(parsed.map(({ column }) => column))].sort();
  const rows = [...new Set(parsed.map(({ userData }) => userData))].sort();
  const cell = (userData: string, column: string): string =>
    number(parsed.find((one) => one.userData === userData && one.column === column)?.times ?? 0);
  const head = `| User data | ${columns.join(" | ")} |\n| --- |${" --: |".repeat(columns.length)}\n`;
  return head + rows.map((row) => `| ${row} | ${columns.map((column) => cell(row, column)).join(" | ")} |`).join("\n");
}

function list(counts: Readonly<Record<string, number>>, what: string, how: string): string {
  const rows = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return `| ${what} | ${how} |\n| --- | --: |\n${rows.map(([name, times]) => `| ${name} | ${number(times)} |`).join("\n")}`;
}

function number(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/gu, ",");
}
