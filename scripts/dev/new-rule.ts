import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { camelCase, rulesFolder } from "./read-rules.ts";

const fixturesFolder = path.resolve(import.meta.dirname, "../../test/fixtures/rules");

function ruleText(id: string): string {
  const name = camelCase(id);
  const reason = name.charAt(0).toUpperCase() + name.slice(1);
  return `import type { Rule } from "../../handler/diagnosis/rule.ts";

export const ${name} = {
  kind: "failure",
  id: "${id}",
  cause: "label-of-the-taxonomy",
  reason: "${reason}",
  platforms: ["linux"],
  stage: "any",
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

/** `npm run new-rule -- <id>`: one file to edit, two logs to fill. Overwrites nothing. */
async function main([id]: readonly string[]): Promise<void> {
  if (id === undefined || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(id)) {
    process.stderr.write(
      "Give the new rule an id of lower-case words joined by dashes: npm run new-rule -- apt-lock-held\n",
    );
    process.exitCode = 2;
    return;
  }
  const rule = path.join(rulesFolder, `${id}.ts`);
  const folder = path.join(fixturesFolder, id);
  await mkdir(folder, { recursive: true });
  await writeFile(rule, ruleText(id), { flag: "wx" });
  await writeFile(path.join(folder, "match.log"), "", { flag: "wx" });
  await writeFile(path.join(folder, "near-miss.log"), "", { flag: "wx" });
  process.stdout.write(
    `Edit ${rule}\nFill ${folder}/match.log (whole log, this rule first) and near-miss.log (looks alike, must not match)\n` +
      "Then: npm run generate && UPDATE_GOLDEN=1 npm test -- test/rules.test.ts\n",
  );
}

if (import.meta.main) await main(process.argv.slice(2));
