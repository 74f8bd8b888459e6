import type { LookContext, LookRecord, LookResult, Observation } from "../../../scripts/check/look.ts";
import { checkProtocol, type Answer, type Question } from "../../../scripts/check/questions.ts";
import { errorText } from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import { cannotTell } from "../answers/answer.ts";
import type { CheckProgram, Step } from "./load-program.ts";
import { parseLookResult } from "./parse-look-result.ts";
import { parseQuestion } from "./parse-question.ts";

/** Far above any honest look: a check that asks on and on is ended. */
const mostSteps = 200;
const mostQuestions = 1000;
/** Questions of one step that are asked at the same time. */
const atOnce = 4;

export interface LookRequest {
  readonly host: Pick<Host, "sleep">;
  readonly program: CheckProgram;
  readonly context: LookContext;
  answer(question: Question): Promise<Answer> | Answer;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export type LookEnd =
  | { readonly kind: "result"; readonly result: LookResult; readonly record: LookRecord }
  /** No verdict for either side: the check is broken, or the machine gave it no answers in time. */
  | { readonly kind: "no-result"; readonly why: string }
  | { readonly kind: "interrupted" };

/** Lets the check look once: asks the machine what it wants to know until it has come to a result. */
export async function runLook(request: LookRequest): Promise<LookEnd> {
  const done = new AbortController();
  const { host, limitMs, signal } = request;
  const limit = host.sleep(limitMs, AbortSignal.any([done.signal, signal])).then((): LookEnd => {
    if (signal.aborted) return { kind: "interrupted" };
    return { kind: "no-result", why: `the look did not end within ${String(Math.round(limitMs / 1000))} s` };
  });
  const end = await Promise.race([drive(request, done.signal), limit]);
  done.abort();
  return end;
}

async function drive(request: LookRequest, ended: AbortSignal): Promise<LookEnd> {
  const { program, context } = request;
  const observations: Observation[] = [];
  let step: Step = program.begin(context);
  for (let steps = 0; step.kind === "questions"; steps++) {
    const questions = Array.isArray(step.questions) ? (step.questions as readonly unknown[]) : undefined;
    if (questions === undefined) return { kind: "no-result", why: "the check asked something that is no question" };
    if (steps >= mostSteps || observations.length + questions.length > mostQuestions) {
      return { kind: "no-result", why: "the check asked without coming to an end" };
    }
    const answers = await answerAll(request, questions, observations);
    // Too late: another look may have begun in the same program.
    if (ended.aborted) return { kind: "interrupted" };
    step = program.answer(answers);
  }
  if (step.kind === "broken") return { kind: "no-result", why: `the check is broken: ${step.why}` };
  const parsed = parseLookResult(step.result);
  if (parsed.kind === "invalid") return { kind: "no-result", why: `the check is broken: ${parsed.why}` };
  const record = { protocol: checkProtocol, context, observations, result: parsed.result };
  return { kind: "result", result: parsed.result, record };
}

/** The answers in the order of the questions. A question that is unknown here, or fails, has no answer. */
async function answerAll(
  { answer }: LookRequest,
  values: readonly unknown[],
  observations: Observation[],
): Promise<readonly Answer[]> {
  const questions = values.map(parseQuestion);
  const answers: Answer[] = questions.map(() => cannotTell("this handler does not know the question"));
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < questions.length; index = next++) {
      const question = questions[index];
      if (question === undefined) continue;
      try {
        const given = answer(question);
        answers[index] = "kind" in given ? given : await given;
      } catch (error) {
        answers[index] = cannotTell(errorText(error));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, questions.length) }, work));
  for (const [index, question] of questions.entries()) {
    const given = answers[index];
    if (question !== undefined && given !== undefined) observations.push({ question, answer: given });
  }
  return answers;
}
