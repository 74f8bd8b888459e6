import { expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { removals } from "./removals.ts";
import { wiringTable } from "./wiring-table.ts";

const project = join(import.meta.dirname, "../..");
const textOf = (file: string): string => readFileSync(join(project, file), "utf8");

test.each(removals)(
  "what npm run wiring takes out stands once in its file: $what",
  ({ file, code, instead, test: [testFile] }) => {
    expect(textOf(file).split(code)).toHaveLength(2);
    expect(code).not.toBe(instead);
    expect(existsSync(join(project, testFile))).toBe(true);
  },
);

test("each thing is taken out once, and the page shows them all", () => {
  expect(new Set(removals.map(({ what }) => what)).size).toBe(removals.length);
  expect(textOf("docs/reliability.md").replaceAll(/ {2,}/gu, " ").replaceAll(/-{4,}/gu, "---")).toContain(
    wiringTable(),
  );
});
