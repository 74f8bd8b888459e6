import type { Answer, Answers, PathAnswer, Question, QuestionName } from "./questions.ts";

/** A part of a look: it asks, and comes to a result of its own. */
export type Asking<Result> = Generator<readonly Question[], Result, readonly Answer[]>;

/** Asks many questions at once; undefined stands for what could not be told. */
export function* askAll<const Asked extends Question>(
  questions: readonly Asked[],
): Asking<readonly (Answers[Asked["ask"]] | undefined)[]> {
  if (questions.length === 0) return [];
  const answers = yield questions;
  return questions.map((_, index) => valueOf(answers[index] as Answer<Asked["ask"]> | undefined));
}

/** One question; undefined when it cannot be told. */
export function* askOne<Asked extends Question>(question: Asked): Asking<Answers[Asked["ask"]] | undefined> {
  const [answer] = yield [question];
  return valueOf(answer as Answer<Asked["ask"]> | undefined);
}

/** The driver answers each question by its own kind of answer: that is the protocol. */
function valueOf<Name extends QuestionName>(answer: Answer<Name> | undefined): Answers[Name] | undefined {
  return answer?.kind === "known" ? answer.value : undefined;
}

/** What is at these paths, by path; a path that cannot be told is left out. */
export function* askPaths(paths: readonly string[]): Asking<ReadonlyMap<string, PathAnswer>> {
  const answers = yield* askAll(paths.map((path) => ({ ask: "path", path })));
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
