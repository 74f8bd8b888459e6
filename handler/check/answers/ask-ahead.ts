import type { Answer, Question } from "../../../scripts/check/questions.ts";

/** The one service that every look at a Windows machine asks for; others are a node's, and asked for when the user data is over. */
export const provisioning = "cloudbase-init";
/** Where it keeps which of its plugins have run. */
export const plugins = "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init";

/** What the first look at a Windows machine asks of programs unless its user data is at work. */
export const firstQuestions: readonly Question[] = [
  { ask: "services", names: [provisioning] },
  { ask: "registry", key: plugins },
];

/**
 * The same of a look that is the only one, with what is asked where the service has stopped, which it mostly has where somebody wants to know:
 * whether it starts by itself, and what became of the node.
 */
export const questionsOfOneLook: readonly Question[] = [
  ...firstQuestions,
  { ask: "registry", key: serviceKey(provisioning) },
  { ask: "services", names: ["kubelet"] },
  { ask: "processes" },
];

/** Where the service manager keeps what it knows of a service. */
export function serviceKey(name: string): string {
  return `HKLM\\SYSTEM\\CurrentControlSet\\Services\\${name}`;
}

export interface AskAhead {
  answer(question: Question, ask: Ask): Promise<Answer>;
  begin(ask: Ask): void;
  beginLook(): void;
}

type Ask = (question: Question) => Promise<Answer>;

/** On Windows each of these may be the start of a program. */
export function asksProgram({ ask }: Question): boolean {
  return ask === "services" || ask === "registry" || ask === "processes";
}

/**
 * A look asks one question after the other, and a start of a program takes longest by waiting for it. A look mostly asks what the one before it
 * asked, so that is begun together, with the first question that it really asks: a sentinel that decides alone still starts nothing. What was
 * begun and is not asked for is of no further use: the next look begins anew.
 */
export function createAhead(expected: readonly Question[], onNearFailure: (() => void) | undefined): AskAhead {
  let last = expected;
  let hasLooked = false;
  let asked: Question[] = [];
  let begun = new Map<string, Promise<Answer>>();

  function once(question: Question, ask: Ask): Promise<Answer> {
    const key = keyOf(question);
    const answer = begun.get(key) ?? ask(question);
    begun.set(key, answer);
    return answer;
  }

  /** What it fails with is told to whoever asks. */
  function beginAll(questions: readonly Question[], ask: Ask): void {
    for (const question of questions) once(question, ask).catch(() => undefined);
  }

  /** The look before did not ask for the services of a node: the user data is over by now. */
  function isNews(question: Question): boolean {
    const isOfNode = question.ask === "services" && question.names.some((name) => name !== provisioning);
    return isOfNode && !last.some((one) => keyOf(one) === keyOf(question));
  }

  return {
    answer(question, ask) {
      const isFirst = asked.length === 0;
      asked.push(question);
      const answer = once(question, ask);
      if (isFirst) beginAll(last, ask);
      // The last question before a failure.
      if (isNews(question)) beginAll([{ ask: "processes" }], ask);
      if (question.ask === "processes" || (hasLooked && isNews(question))) onNearFailure?.();
      return answer;
    },
    begin: (ask) => {
      beginAll(last, ask);
    },
    beginLook() {
      hasLooked ||= asked.length > 0;
      if (asked.length > 0) last = asked;
      asked = [];
      begun = new Map();
    },
  };
}

function keyOf(question: Question): string {
  return JSON.stringify(question);
}
