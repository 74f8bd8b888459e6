import type { Look, LookContext, LookResult } from "../../scripts/check/look.ts";
import type { Answer, Question } from "../../scripts/check/questions.ts";

export type Check = (context: LookContext) => Look;

/** Asks one question: `const boot = yield* ask({ ask: "boot" });` */
export function* ask<Asked extends Question>(
  question: Asked,
): Generator<readonly Question[], Answer<Asked["ask"]>, readonly Answer[]> {
  const [answer] = yield [question];
  return (answer ?? { kind: "cannot-tell", why: "no answer" }) as Answer<Asked["ask"]>;
}

/** Drives a look to its end with answers that are at hand (a model, a record); the handler has a driver of its own. */
export function answerAll(look: Look, answer: (question: Question) => Answer): LookResult {
  let step = look.next([]);
  while (step.done !== true) step = look.next(step.value.map(answer));
  return step.value;
}
