import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { format } from "prettier";
import { namedScenarios } from "../../test/scripts/check/named/all.ts";
import { readScenarios, type ExpectedVerdict } from "./read-scenarios.ts";

const repository = join(import.meta.dirname, "../..");
const path = "docs/truth-table.md";
const mark =
  "<!-- The rest is generated from test/fixtures/scenarios and test/scripts/check/named: npm run generate -->\n";

/** docs/truth-table.md with its tables made anew: what stands above the mark is written by hand and stays. */
export async function outputs(): Promise<readonly { readonly path: string; readonly content: string }[]> {
  const byHand = (await readFile(join(repository, path), "utf8")).split(mark, 1)[0] ?? "";
  const folders = await readScenarios(join(repository, "test/fixtures/scenarios"));
  const machines: readonly Machine[] = [
    ...folders,
    ...namedScenarios.map(({ looks, ...scenario }) => ({ ...scenario, expected: looks })),
  ];
  const providers = [...new Set(machines.map(({ provider }) => provider))].sort();
  const sections = providers.map((provider) => section(provider, machines));
  const content = await format(`${byHand}${mark}\n${machines.length} machines.\n\n${sections.join("\n")}`, {
    parser: "markdown",
    printWidth: 120,
  });
  return [{ path, content }];
}

/** One row: a folder of files, or a machine in memory. */
interface Machine {
  readonly name: string;
  readonly what: string;
  readonly provider: string;
  readonly state: string;
  readonly expected: readonly Pick<ExpectedVerdict, "verdict" | "reason" | "stage">[];
}

function section(provider: string, scenarios: readonly Machine[]): string {
  const rows = scenarios
    .filter((scenario) => scenario.provider === provider)
    .sort((one, other) => one.state.localeCompare(other.state, "en"))
    .map((scenario) => `| ${scenario.state} | ${scenario.what} | ${verdicts(scenario)} | \`${scenario.name}\` |`);
  return `## ${provider}\n\n| State | Machine | Verdict | Scenario |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}

function verdicts(scenario: Machine): string {
  return scenario.expected.map(verdict).join(", then ");
}

function verdict({ verdict: word, reason, stage }: Machine["expected"][number]): string {
  if (word === "success") return "**bootstrapped**";
  if (word === "failed") return `**failed**: ${reason ?? ""}`;
  return stage === undefined ? "waiting" : `waiting: ${stage}`;
}
