import { beforeAll, describe, expect, test } from "@jest/globals";
import { reasonOfCause } from "../handler/diagnosis/causes.ts";
import { loadRules } from "../handler/diagnosis/load-rules.ts";
import { ablate } from "../scripts/dev/evaluate/ablate.ts";
import { buildRules } from "../scripts/dev/build-rules.ts";
import { answerMessage, readMessages, type MessageAnswer } from "../scripts/dev/read-messages.ts";

let answers: readonly MessageAnswer[] = [];

beforeAll(async () => {
  const ruleSet = loadRules(await buildRules());
  answers = (await readMessages()).map((message) => answerMessage(message, ruleSet));
});

describe("the messages with which programs end a bootstrap", () => {
  test("are at least 600, each with a cause of the taxonomy and each once", () => {
    expect(answers.length).toBeGreaterThanOrEqual(600);
    const causes = new Set<string>(Object.keys(reasonOfCause));
    expect(answers.filter(({ message }) => !causes.has(message.cause)).map(({ message }) => message.text)).toEqual([]);
    expect(new Set(answers.map(({ message }) => message.text)).size).toBe(answers.length);
  });

  test("are named right in at least 95 of 100", () => {
    expect(answers.filter(({ right }) => right).length / answers.length).toBeGreaterThanOrEqual(0.95);
  });

  test("are never named wrong with high confidence", () => {
    expect(answers.filter(({ wrongAndSure }) => wrongAndSure).map(({ message }) => message.text)).toEqual([]);
  });

  test("are all quoted, named or not", () => {
    expect(answers.filter(({ namedBy }) => namedBy === "lost").map(({ message }) => message.text)).toEqual([]);
  });
});

test("without a rule, what is left names its log's cause in at least 60 of 100 and calls no log healthy", async () => {
  const results = ablate(loadRules(await buildRules()));
  expect(results.filter(({ answer }) => answer === "healthy")).toEqual([]);
  expect(results.filter(({ right }) => right).length / results.length).toBeGreaterThanOrEqual(0.6);
});
