import { check } from "./check.ts";
import type { Look, LookContext } from "./look.ts";
import type { AnswersMessage, CheckModule, StepMessage } from "./protocol.ts";
import { checkProtocol, type Answer } from "./questions.ts";

let look: Look | undefined;

/** The entry of bundle/check.cjs: see protocol.ts. */
export const capzCheck: CheckModule = {
  protocol: checkProtocol,
  begin(context) {
    look = check(JSON.parse(context) as LookContext);
    return step([]);
  },
  answer(answers, text, index) {
    const given = JSON.parse(answers) as AnswersMessage;
    return step(text === undefined ? given : given.map((one, at) => (at === index ? withText(one, text) : one)));
  },
  takesTextBeside: true,
};

/** Only an answer with a text has one beside. */
function withText(answer: Answer, text: string): Answer {
  const whole: unknown = answer.kind === "known" ? { ...answer, value: { ...(answer.value as object), text } } : answer;
  return whole as Answer;
}

function step(answers: readonly Answer[]): string {
  if (look === undefined) throw new Error("answers without a look: call begin first");
  const next = look.next(answers);
  if (next.done === true) look = undefined;
  const message: StepMessage =
    next.done === true ? { kind: "result", result: next.value } : { kind: "questions", questions: next.value };
  return JSON.stringify(message);
}
