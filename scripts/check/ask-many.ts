import type { Answer, Answers, PathAnswer, Question, QuestionName } from "./questions.ts";

/** A part of a look: it asks, and comes to a result of its own. */
export type Asking<Result> = Generator<readonly Question[], Result, readonly Answer[]>;

/** Asks many questions of one kind at once; what could not be told is left out. */
export function* askAll<Name extends QuestionName>(
  questions: readonly (Question & { readonly ask: Name })[],
): Asking<readonly (Answers[Name] | undefined)[]> {
  if (questions.length === 0) return [];
  const answers = yield questions;
  return questions.map((_, index) => valueOf<Name>(answers[index]));
}

/** One question; undefined when it cannot be told. */
export function* askOne<Asked extends Question>(question: Asked): Asking<Answers[Asked["ask"]] | undefined> {
  const [answer] = yield [question];
  return valueOf<Asked["ask"]>(answer);
}

function valueOf<Name extends QuestionName>(answer: Answer | undefined): Answers[Name] | undefined {
  return answer?.kind === "known" ? (answer as Answer<Name> & { readonly kind: "known" }).value : undefined;
}

/** What is at these paths, by path; a path that cannot be told is left out. */
export function* askPaths(paths: readonly string[]): Asking<ReadonlyMap<string, PathAnswer>> {
  const answers = yield* askAll(paths.map((path) => ({ ask: "path", path }) as const));
  const seen = new Map<string, PathAnswer>();
  for (const [index, path] of paths.entries()) {
    const answer = answers[index];
    if (answer !== undefined) seen.set(path, answer);
  }
  return seen;
}

export function isThere(seen: ReadonlyMap<string, PathAnswer>, path: string): boolean {
  const answer = seen.get(path);
  return answer !== undefined && answer.kind !== "absent";
}

/** Last change of the content, in milliseconds since 1970; undefined where there is nothing. */
export function changedAt(seen: ReadonlyMap<string, PathAnswer>, path: string): number | undefined {
  const answer = seen.get(path);
  return answer === undefined || answer.kind === "absent" ? undefined : answer.modifiedMs;
}
