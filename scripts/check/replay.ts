import { check } from "./check.ts";
import { answerAll, type LookRecord, type LookResult } from "./look.ts";
import type { Answer, Question } from "./questions.ts";

/**
 * Judges a record again. A question that the record does not hold (it is of another version of the check, or was cut) has no
 * answer, which is no evidence for either side.
 */
export function replay(record: LookRecord): LookResult {
  const answers = new Map(record.observations.map(({ question, answer }) => [keyOf(question), answer]));
  const answer = (question: Question): Answer =>
    answers.get(keyOf(question)) ?? { kind: "cannot-tell", why: "the record does not hold it" };
  return answerAll(check(record.context), answer);
}

/** The same question has the same key, in whatever order its properties stand. */
function keyOf(question: Question): string {
  return JSON.stringify(Object.entries(question).sort(([one], [other]) => (one < other ? -1 : 1)));
}
