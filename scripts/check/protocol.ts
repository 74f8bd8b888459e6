import type { LookRecord } from "./look.ts";
import type { Answer, Question } from "./questions.ts";

/** One step of a look, as JSON text over the border between handler and check: more questions, or the end. */
export type StepMessage =
  | { readonly kind: "questions"; readonly questions: readonly Question[] }
  | { readonly kind: "result"; readonly result: LookRecord["result"] };

/** Answers in the order of the questions. */
export type AnswersMessage = readonly Answer[];

/**
 * What a bundle of protocol 2 exports: two functions that take and give JSON text, so that nothing but text crosses the
 * border of the context in which the handler runs it. There is one look at a time; `begin` gives up the one before.
 */
export interface CheckModule {
  readonly protocol: number;
  /** LookContext as JSON in, StepMessage as JSON out. */
  readonly begin: (context: string) => string;
  /** AnswersMessage as JSON in, StepMessage as JSON out. */
  readonly answer: (answers: string, text?: string, index?: number) => string;
  /**
   * Where it is true, `answer` may be given the text of one answer, the one at `index`, beside the JSON, in which that text is empty: of a long
   * log, JSON would be the larger part of the look. A handler that does not know this gives all in JSON.
   */
  readonly takesTextBeside?: boolean;
}
