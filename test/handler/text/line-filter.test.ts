import { expect, test } from "@jest/globals";
import { AutomatonWalk, buildAutomaton } from "../../../handler/text/automaton.ts";
import { LineFilter, readNeed, type Need } from "../../../handler/text/line-filter.ts";
import { filtered } from "../../../handler/text/redact-shapes.ts";
import { secretNeeds } from "../../../handler/text/secret-needs.ts";
import { needOf } from "../../../scripts/dev/generate-secret-needs.ts";
import { readRuleLogs } from "../../../scripts/dev/read-rule-logs.ts";
import { randomFrom } from "../../model/random.ts";
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

/** What one walk tells of the bytes, given in chunks: the place, and which texts end there; -1 stands for a line's end. */
function walked(texts: readonly string[], bytes: Buffer, chunk: number): readonly (readonly number[])[] {
  const walk = new AutomatonWalk(buildAutomaton(texts));
  const told: (readonly number[])[] = [];
  for (let from = 0; from < bytes.length; from += chunk) {
    const part = bytes.subarray(from, from + chunk);
    for (let at = walk.next(part, 0); at < part.length; at = walk.next(part, at + 1))
      told.push([from + at, ...(walk.isLineEnd ? [-1] : walk.texts.toSorted((a, b) => a - b))]);
  }
  return told;
}

/** The same, by looking for each text at each place. */
function sought(texts: readonly string[], text: string): readonly (readonly number[])[] {
  const lower = text.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());
  return Array.from(lower, (character, at) => {
    if (character === "\n") return [at, -1];
    const line = lower.slice(lower.lastIndexOf("\n", at) + 1, at + 1);
    return [at, ...texts.flatMap((wanted, number) => (line.endsWith(wanted) ? [number] : []))];
  }).filter((told) => told.length > 1);
}

test.each([
  ["of one letter, of both ends of the alphabet, and twice the same", ["a", "z", "za", "a"]],
  ["within each other", ["abab", "bab", "ab", "b0", "abab0"]],
  ["of signs and bytes above", ["[z]", "zü", "@", "{"]],
])(
  "the automaton tells every text where it ends, and every line's end, wherever its bytes are cut: texts %s",
  (...row) => {
    const [, texts] = row;
    const random = randomFrom(11);
    const letters = Array.from("abzAZab0[]@`{{ü\n");
    const text = Array.from({ length: 400 }, () => letters[Math.floor(random() * letters.length)] ?? "").join("");
    const inBytes = Buffer.from(text, "utf8").toString("latin1");
    const wanted = texts.map((one) => Buffer.from(one, "utf8").toString("latin1"));
    for (const chunk of [1, 7, 1000])
      expect(walked(texts, Buffer.from(text, "utf8"), chunk)).toEqual(sought(wanted, inBytes));
  },
);

test("a walk that begins anew forgets what came before, and tells no text where none ends", () => {
  const walk = new AutomatonWalk(buildAutomaton(["ab"]));
  expect([walk.next(Buffer.from("a"), 0), walk.texts, walk.isLineEnd]).toEqual([1, [], false]);
  walk.restart();
  expect(walk.next(Buffer.from("b"), 0)).toBe(1);
});
