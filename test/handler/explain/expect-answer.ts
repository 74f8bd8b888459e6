import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { parse } from "yaml";
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

/** The texts of a folder by their names: those of a few lines stand together in `list`, the others are files. */
export function readTexts(folder: string, list: string): ReadonlyMap<string, string> {
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const files = readdirSync(folder).filter((name) => name !== list);
  const listed = parse(read(list)) as Readonly<Record<string, string>>;
  return new Map([...files.map((name) => [name, read(name)] as const), ...Object.entries(listed)]);
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
