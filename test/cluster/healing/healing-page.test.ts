import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { holdReasons } from "../../../cluster/healing/decision.ts";
import { defaultPolicy } from "../../../cluster/healing/decide.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/healing.md"), "utf8");

/** First and second cell of each row of "Why a machine is held back". */
const rows = new Map(
  [...page.matchAll(/^\| `(?<reason>[A-Z]\w+)` +\| (?<why>[^|]+)\|/gmu)].map(({ groups }) => [
    groups?.["reason"] ?? "",
    (groups?.["why"] ?? "").trim(),
  ]),
);

test("docs/healing.md names every reason for which a machine is held back, and no other", () => {
  expect([...rows.keys()].toSorted()).toEqual(Object.keys(holdReasons).toSorted());
});

test("the numbers on the page are those of the program", () => {
  const { maxMarked, sameReasonLimit, windowMs, coolDownMs } = defaultPolicy;
  const words = ["no", "One", "Two", "Three"];
  expect(rows.get("SameReasonAgain")).toContain(`${words[sameReasonLimit] ?? ""} machines of this owner`);
  expect(rows.get("BudgetSpent")).toContain(`(${String(maxMarked)}) were marked`);
  expect(rows.get("BudgetSpent")).toContain(`(${String(windowMs / 3_600_000)} h)`);
  expect(rows.get("CoolingDown")).toContain(`(${String(coolDownMs / 60_000)} min)`);
});
