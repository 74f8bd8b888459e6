import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { readPackagedRules } from "../../../handler/diagnosis/packaged-rules.ts";
import { explain } from "../../../handler/explain/explain.ts";
import type { Answer } from "../../../handler/explain/explanation.ts";

export const rules = readPackagedRules(readFileSync(join(import.meta.dirname, "../../../scripts/rules.json"), "utf8"));

export interface Expected {
  readonly answer: Partial<Answer>;
  /** In the cause. */
  readonly says: string;
  readonly next: string;
  /** The command that gave the text; the next step must be another one. */
  readonly gave: string;
}

/** One answer, with these words, and a next step that is not the command that gave the text. */
export async function expectAnswer(text: string, { answer, says, next, gave }: Expected): Promise<void> {
  const explanation = await explain(text, rules);
  const answers = explanation.kind === "explained" ? explanation.answers : [];
  expect(answers).toEqual([expect.objectContaining(answer)]);
  expect(answers[0]?.summary).toContain(says);
  expect(answers[0]?.nextStep).toContain(next);
  expect(commandsOf(answers[0]?.nextStep ?? "").filter((command) => command.startsWith(`${gave} `))).toEqual([]);
}

/** Commands of a next step, from their first word on. */
function commandsOf(nextStep: string): readonly string[] {
  return [...nextStep.matchAll(/(?:az|kubectl) [a-z].*?(?= \||;|,|\. |\.$|$)/gu)].map(([command]) => command);
}
