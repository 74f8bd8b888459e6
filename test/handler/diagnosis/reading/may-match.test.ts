import { expect, test } from "@jest/globals";
import { subjectsOf } from "../../../../handler/diagnosis/reading/find-subjects.ts";
import { kinds, kindsOf } from "../../../../handler/diagnosis/reading/kinds.ts";
import { mayMatch } from "../../../../handler/diagnosis/reading/may-match.ts";
import { textsOfKinds, textsOfSubjects } from "../../../../handler/diagnosis/reading/may-match-texts.ts";
import { subjects } from "../../../../handler/diagnosis/reading/subjects.ts";
import { readMessages } from "../../../../scripts/dev/read-messages.ts";

const tables = [
  ["kinds", kinds.map(({ pattern }) => pattern), textsOfKinds],
  ["subjects", subjects.map(({ pattern }) => pattern), textsOfSubjects],
] as const;

test.each(tables)(
  "no expression of the %s matches a message without the text that it is said to need",
  async (_, patterns, rows) => {
    const possible = mayMatch(patterns, rows);
    const texts = (await readMessages()).flatMap(({ text }) => [text, text.toUpperCase()]);
    const lost = texts.flatMap((text) => {
      const found = new Set(possible(text));
      return patterns.flatMap((pattern, at) =>
        pattern.test(text) && !found.has(at) ? [`${pattern.source}: ${text}`] : [],
      );
    });
    expect(lost).toEqual([]);
  },
);

test.each(tables)("few of the %s are tried on a message", async (_, patterns, rows) => {
  const possible = mayMatch(patterns, rows);
  const texts = (await readMessages()).map(({ text }) => text);
  const tried = texts.reduce((sum, text) => sum + possible(text).length, 0);
  expect(tried / texts.length).toBeLessThan(patterns.length / 4);
});

test("an expression that nothing is known of, or that was changed since, is tried on every text", () => {
  expect(mayMatch([/refused/u, /reset/u, /lost/u], ["7\trefused", "9\treset"])("neither")).toEqual([1, 2]);
});

test("case does not count, and several may match", () => {
  const possible = mayMatch([/refused/iu, /reset/iu, /late/iu], ["7\trefused", "5\treset", "4\tlate"]);
  expect(possible("Connection REFUSED, then Reset")).toEqual([0, 1]);
  expect(kindsOf("dial tcp 192.0.2.1:6443: CONNECT: connection refused").map(({ kind }) => kind)).toContain("refused");
  expect(subjectsOf("failed to pull image from the Registry")).toContain("registry");
});
