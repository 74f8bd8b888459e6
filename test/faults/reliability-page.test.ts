import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { faultPlan, type PlannedFault } from "./fault-plan.ts";
import { reliabilityRows } from "./reliability-page.ts";

const project = join(import.meta.dirname, "../..");

test("docs/reliability.md shows each planned fault with the number of trials that the tests make, and no other", () => {
  const page = readFileSync(join(project, "docs/reliability.md"), "utf8");
  const [, table = ""] = page.split("| Fault ");
  const shown = (table.split("\n\n")[0] ?? "")
    .split("\n")
    .slice(1)
    .filter((line) => line.startsWith("| ") && !line.startsWith("| -"))
    .map((line) => line.replaceAll(/\s+\|\s+/gu, " | ").replaceAll(/^\|\s+|\s+\|$/gu, ""));
  expect(shown).toEqual(reliabilityRows());
});

test("each planned fault is tried by the test file that it names", () => {
  const faults: readonly (readonly [string, PlannedFault])[] = Object.entries(faultPlan);
  for (const [name, { file, tries }] of faults) {
    const source = readFileSync(join(project, file), "utf8");
    const isTried = source.includes(`survives("${name}"`) || source.includes(`faultPlan.${name}.tries`);
    // Files of others carry their number themselves.
    const saysNumber = source.includes(`const trials = ${String(tries)};`) && source.includes(`${String(tries)} times`);
    expect(isTried || saysNumber ? name : `${name} is not tried in ${file}`).toBe(name);
  }
});

test("no file that tries a fault has a second try", () => {
  const files = new Set(Object.values(faultPlan).map(({ file }) => file));
  const withSecondTry = [...files].filter((file) => {
    const source = readFileSync(join(project, file), "utf8");
    return !source.includes("jest.retryTimes(0);") && !source.includes("/trials.ts");
  });
  expect(withSecondTry).toEqual([]);
});
