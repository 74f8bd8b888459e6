import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const ruleLogsFolder = path.resolve(import.meta.dirname, "../../test/fixtures/rules");

export type RuleLogName = "match" | "near-miss";

/** The two logs of a rule: one that it names the cause of, and one that looks alike and has another cause or none. */
export interface RuleLogs extends Readonly<Record<RuleLogName, Buffer>> {
  readonly id: string;
  /** The file or folder that holds them, by its name in test/fixtures/rules. */
  readonly from: string;
}

/**
 * The logs of every rule, by its id. A file STAGE.md holds those of the rules of one stage: under `## ID` a block of code under
 * `### match` and one under `### near-miss`. A folder with a rule's id may hold them as match.log and near-miss.log instead.
 */
export function readRuleLogs(folder = ruleLogsFolder): ReadonlyMap<string, RuleLogs> {
  const all = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return [logsOfFolder(folder, entry.name)];
    if (!entry.name.endsWith(".md")) return [];
    return logsOfText(entry.name, readFileSync(path.join(folder, entry.name), "utf8"));
  });
  const byId = new Map(all.map((logs) => [logs.id, logs]));
  const twice = all.find((logs) => byId.get(logs.id) !== logs);
  if (twice !== undefined)
    throw new Error(
      `The logs of ${twice.id} stand in ${twice.from} and in ${byId.get(twice.id)?.from ?? ""}; remove one of them`,
    );
  return byId;
}

/** One log of one rule. */
export function ruleLog(all: ReadonlyMap<string, RuleLogs>, id: string, name: RuleLogName): Buffer {
  const logs = all.get(id);
  if (logs === undefined) throw new Error(`test/fixtures/rules has no logs of ${id}; write them under "## ${id}"`);
  return logs[name];
}

/** The place of a new rule's logs, as the files hold it. */
export function emptyRuleLogs(id: string): string {
  return `\n## ${id}\n\n### match\n\n\`\`\`text\n\`\`\`\n\n### near-miss\n\n\`\`\`text\n\`\`\`\n`;
}

function logsOfFolder(folder: string, id: string): RuleLogs {
  const log = (name: RuleLogName): Buffer => readFileSync(path.join(folder, id, `${name}.log`));
  return { id, from: id, match: log("match"), "near-miss": log("near-miss") };
}

const section =
  /^## (?<id>\S+)\n\n### match\n\n```text\n(?<match>(?:(?!```)[^\n]*\n)*)```\n\n### near-miss\n\n```text\n(?<miss>(?:(?!```)[^\n]*\n)*)```\n/gmu;

/** Lines of a block are the log's own, whatever they begin with, except three backticks. */
function logsOfText(from: string, text: string): readonly RuleLogs[] {
  const other = text
    .replaceAll(section, "")
    .split("\n")
    .find((line) => /^(?:##|```)/u.test(line));
  if (other !== undefined)
    throw new Error(
      `${from} has a section of another form near "${other}"; write "## ID", "### match" and "### near-miss", each log as a block of text`,
    );
  return [...text.matchAll(section)].map(({ groups }) => ({
    id: groups?.["id"] ?? "",
    from,
    match: Buffer.from(groups?.["match"] ?? "", "utf8"),
    "near-miss": Buffer.from(groups?.["miss"] ?? "", "utf8"),
  }));
}
