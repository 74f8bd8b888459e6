import { appendFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { stages, type Stage } from "../../handler/diagnosis/diagnosis.ts";
import { emptyRuleLogs, ruleLogsFolder } from "./read-rule-logs.ts";
import { camelCase, rulesFolder } from "./read-rules.ts";

function ruleText(id: string, stage: Stage): string {
  const name = camelCase(id);
  const reason = name.charAt(0).toUpperCase() + name.slice(1);
  return `import type { Rule } from "../../handler/diagnosis/rule.ts";

export const ${name} = {
  kind: "failure",
  id: "${id}",
  cause: "label-of-the-taxonomy",
  reason: "${reason}",
  platforms: ["linux"],
  stage: "${stage}",
  sources: "any",
  any: [/text that (?<name>\\S+) every matching line holds/u],
  specificity: 60,
  confidence: "medium",
  retryable: false,
  blame: "configuration",
  title: "",
  summary: "{name|Something} is wrong",
  explanation: "",
  nextStep: "",
  references: [],
} as const satisfies Rule;
`;
}

/** `npm run new-rule -- <id> <stage>`: one file to edit, two logs to fill. Overwrites nothing. */
async function main([id = "", stage = "any"]: readonly string[]): Promise<void> {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(id) || !isStage(stage)) {
    process.stderr.write(
      "Give the new rule an id of lower-case words joined by dashes and a stage: npm run new-rule -- apt-lock-held packages\n" +
        `Stages: ${stages.join(", ")}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const rule = path.join(rulesFolder, `${id}.ts`);
  const logs = path.join(ruleLogsFolder, `${stage}.md`);
  await writeFile(rule, ruleText(id, stage), { flag: "wx" });
  await appendFile(logs, emptyRuleLogs(id));
  process.stdout.write(
    `Edit ${rule}\nFill the two logs at the end of ${logs}: match (a whole log, this rule first) and near-miss (looks alike, must not match)\n` +
      "Then: npm run generate && UPDATE_GOLDEN=1 npm test -- test/rules.test.ts\n",
  );
}

function isStage(name: string): name is Stage {
  return stages.some((stage) => stage === name);
}

if (import.meta.main) await main(process.argv.slice(2));
