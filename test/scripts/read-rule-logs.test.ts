import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyRuleLogs, readRuleLogs, ruleLog } from "../../scripts/dev/read-rule-logs.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rule-logs-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const fence = "```";

function section(id: string, match: string, nearMiss: string): string {
  return `## ${id}\n\n### match\n\n${fence}text\n${match}${fence}\n\n### near-miss\n\n${fence}text\n${nearMiss}${fence}\n\n`;
}

test("the logs of a stage and those of a rule's own folder are read byte for byte", () => {
  const log = "# a comment\n\n## no heading\n### match\n\ta tab, two spaces  \r\nlast\n";
  writeFileSync(join(folder, "kubelet.md"), `# Logs\n\n${section("one", log, "x\n")}${section("two", "y\n", log)}`);
  mkdirSync(join(folder, "three"));
  for (const name of ["match", "near-miss"]) writeFileSync(join(folder, "three", `${name}.log`), `${name}${log}`);
  const logs = readRuleLogs(folder);
  expect([...logs.values()].map(({ id, from }) => [id, from])).toEqual([
    ["one", "kubelet.md"],
    ["two", "kubelet.md"],
    ["three", "three"],
  ]);
  expect(ruleLog(logs, "one", "match").toString()).toBe(log);
  expect(ruleLog(logs, "two", "near-miss").toString()).toBe(log);
  expect(ruleLog(logs, "three", "match").toString()).toBe(`match${log}`);
});

test("the place that npm run new-rule makes is read as two empty logs", () => {
  writeFileSync(join(folder, "any.md"), `# Logs\n\n${section("one", "x\n", "y\n")}${emptyRuleLogs("two")}`);
  expect(ruleLog(readRuleLogs(folder), "two", "match").length).toBe(0);
});

test.each([
  ["without a near miss", `## one\n\n### match\n\n${fence}text\nx\n${fence}\n`],
  ["with an open block", `## one\n\n### match\n\n${fence}text\nx\n`],
  ["of another form", `## one\n\nx\n\n### match\n\n${fence}text\nx\n${fence}\n`],
])("a section %s is refused", (_, text) => {
  writeFileSync(join(folder, "any.md"), text);
  expect(() => readRuleLogs(folder)).toThrow(/any\.md has a section of another form near "## one"/u);
});

test("logs that a rule has twice are refused", () => {
  for (const name of ["any.md", "azure.md"]) writeFileSync(join(folder, name), section("one", "x\n", "y\n"));
  expect(() => readRuleLogs(folder)).toThrow("The logs of one stand in any.md and in azure.md; remove one of them");
});
