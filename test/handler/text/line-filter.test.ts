import { expect, test } from "@jest/globals";
import { LineFilter, readNeed, type Need } from "../../../handler/text/line-filter.ts";
import { filtered } from "../../../handler/text/redact-shapes.ts";
import { secretNeeds } from "../../../handler/text/secret-needs.ts";
import { needOf } from "../../../scripts/dev/generate-secret-needs.ts";
import { readRuleLogs } from "../../../scripts/dev/read-rule-logs.ts";
import { literalDisguises } from "./disguises.ts";
import { generateSecrets } from "./generate-secrets.ts";

const planted = generateSecrets(7, 600);
const lines = [
  ...[...readRuleLogs().values()].flatMap(({ match }) => match.toString("utf8").split("\n")),
  ...planted.flatMap(({ text }) => text.split("\n")),
  ...planted.slice(0, 60).flatMap((one) => literalDisguises.flatMap((disguise) => disguise.wear(one).split("\n"))),
];

function matching(line: string): readonly number[] {
  return filtered.flatMap((expression, number) => (line.search(expression) === -1 ? [] : [number]));
}

test("no expression that matches a line of the rules' logs or a planted secret is left out for it", () => {
  const filter = new LineFilter(filtered, secretNeeds.map(readNeed));
  const found = lines.map((line) => ({ line, matching: matching(line), candidates: new Set(filter.candidates(line)) }));
  const missed = found.filter(({ matching: all, candidates }) => all.some((number) => !candidates.has(number)));
  expect(missed.map(({ line }) => line)).toEqual([]);
  // Or the test shows nothing: most expressions have their line, and few are run on one.
  expect(new Set(found.flatMap((one) => one.matching)).size).toBeGreaterThan(filtered.length / 3);
  const run = found.reduce((sum, { candidates }) => sum + candidates.size, 0);
  expect(run / lines.length).toBeLessThan(filtered.length / 4);
});

test("the texts of every expression are those that it has now", () => {
  expect(secretNeeds.map(readNeed)).toEqual(filtered.map(needOf));
});

const need = (change: Partial<Need>): Need => ({ of: 6, texts: [], run: 0, capitals: 0, ...change });

const lineOfNeed: readonly (readonly [
  string,
  { readonly need: Partial<Need>; readonly line: string; readonly runs: boolean },
])[] = [
  ["holds its text, in whatever case", { need: { texts: ["curl"] }, line: "CURL -u", runs: true }],
  ["lacks its text", { need: { texts: ["curl"] }, line: "wget", runs: false }],
  ["holds one of its texts", { need: { texts: ["curl", "wget"] }, line: "wget", runs: true }],
  [
    "holds its text behind a letter of another alphabet",
    { need: { texts: ["curl"] }, line: "ключ\u2028curl", runs: true },
  ],
  ["has a run that is long enough", { need: { run: 6 }, line: "ab+/cd", runs: true }],
  ["has runs that are too short", { need: { run: 6 }, line: "abc+/-abc+/", runs: false }],
  ["has capitals enough", { need: { capitals: 5 }, line: "AB-12", runs: true }],
  ["has small letters in between", { need: { capitals: 5 }, line: "AB-aB12", runs: false }],
  [
    "holds nothing, but the need is told of another expression",
    { need: { of: 5, texts: ["curl"] }, line: "wget", runs: true },
  ],
];

test.each(lineOfNeed)("whether an expression is run on a line that %s", (_, { need: change, line, runs }) => {
  expect(new LineFilter([/secret/], [need(change)]).candidates(line)).toEqual(runs ? [0] : []);
});

test("an expression without a need is run on every line", () => {
  expect(new LineFilter([/secret/, /other/], [need({ texts: ["curl"] })]).candidates("wget")).toEqual([1]);
});

test("a run may be told apart from what repeats within a group, and from what is optional", () => {
  expect(needOf(/(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}/)).toMatchObject({ capitals: 29, run: 5 });
  expect(needOf(/x(?:[A-Z]{5})?[a-f\d]{8,}(?:\.[a-z]{9}|[a-z]{12})/)).toMatchObject({ capitals: 0, run: 9 });
  expect(needOf(/[A-Z]{9}/i)).toMatchObject({ capitals: 0, run: 9 });
});
