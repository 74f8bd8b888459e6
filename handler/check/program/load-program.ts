import { constants, createContext, Script, type Context } from "node:vm";
import type { LookContext } from "../../../scripts/check/look.ts";
import type { AnswersMessage } from "../../../scripts/check/protocol.ts";
import type { Answer } from "../../../scripts/check/questions.ts";
import { errorText } from "../../errors/handler-error.ts";
import { isJsonObject, parseJson } from "../../text/parse-json.ts";

/** A step is some milliseconds of work; on a machine that starves its processes, a second or two. */
const stepLimitMs = 2000;

/** What one step of a look came to. Nothing of it is validated yet. */
export type Step =
  | { readonly kind: "questions"; readonly questions: unknown }
  | { readonly kind: "result"; readonly result: unknown }
  /** It threw, did not return, or is no check at all. */
  | { readonly kind: "broken"; readonly why: string };

export interface StepGuard {
  /**
   * Milliseconds after which a step is ended. A thread watches each step then, which costs ten times the step itself: "none"
   * for the check of the package, which is as tested as the handler that runs it.
   */
  readonly limitMs?: number | "none";
}

/** A check that is ready to look. One look at a time. */
export interface CheckProgram {
  begin(context: LookContext): Step;
  answer(answers: readonly Answer[]): Step;
}

/** Runs inside the context, where the check is: only text goes in and out, so neither side ever holds an object of the other. */
const harness = `"use strict";
globalThis.capzStep = () => {
  try {
    return module.exports.capzCheck[capzCall](capzText, capzTextBeside, capzIndex);
  } catch (error) {
    return JSON.stringify({ kind: "broken", why: "it threw " + String(error) });
  }
};
module.exports?.capzCheck?.takesTextBeside === true;`;

/** Before the check: what a CommonJS module expects, and without what belongs to no language. */
const beginning = `var module = { exports: {} }, exports = module.exports, capzCall, capzText, capzTextBeside, capzIndex;
for (const name of ["console", "Atomics", "SharedArrayBuffer", "WebAssembly"]) delete globalThis[name];`;

const scriptNames = { "the check": "check.cjs", "its frame": "check-frame.cjs" } as const;

/**
 * Loads a check's program (protocol 2, scripts/check/protocol.ts) into a context of its own: the language and nothing
 * else, no modules, no process, no timers. A guard against mistakes; against ill will stands the signature of the bundle.
 */
export function loadProgram(source: string, { limitMs = stepLimitMs }: StepGuard = {}): CheckProgram {
  const guard = limitMs === "none" ? {} : { timeout: limitMs };
  let compiled: { readonly check: Script; readonly step: Script } | undefined;
  let loaded: { readonly context: Context; readonly takesTextBeside: boolean } | undefined;

  function run(call: "begin" | "answer", givenBy: (takesTextBeside: boolean) => Given): Step {
    try {
      compiled ??= {
        check: new Script(source, { filename: scriptNames["the check"] }),
        step: new Script("capzStep()", { filename: scriptNames["its frame"] }),
      };
      loaded ??= createCheckContext(compiled.check, guard);
      Object.assign(loaded.context, { capzCall: call, ...givenBy(loaded.takesTextBeside) });
      return readStep(compiled.step.runInContext(loaded.context, guard));
    } catch (error) {
      // What was ended in its midst is in no state to go on.
      loaded = undefined;
      return { kind: "broken", why: errorText(error) };
    }
  }

  return {
    begin: (lookContext) => run("begin", () => given(lookContext)),
    answer: (answers) => run("answer", (takesTextBeside) => (takesTextBeside ? partLongText(answers) : given(answers))),
  };
}

/** What a step is given, under the names that its frame knows: texts and numbers alone. */
interface Given {
  readonly capzText: string;
  readonly capzTextBeside: string | undefined;
  readonly capzIndex: number | undefined;
}

function given(message: LookContext | AnswersMessage): Given {
  return { capzText: JSON.stringify(message), capzTextBeside: undefined, capzIndex: undefined };
}

/** JSON of less is made and read faster than it takes to part it. */
const longText = 64 * 1024;

/** A log of megabytes would be escaped, copied and read again; as a text of its own it is given as it is. */
function partLongText(answers: AnswersMessage): Given {
  const capzIndex = answers.findIndex((answer) => textOf(answer).length > longText);
  const answer = answers[capzIndex];
  if (answer?.kind !== "known") return given(answers);
  const without: unknown = { ...answer, value: { ...(answer.value as object), text: "" } };
  const rest = answers.with(capzIndex, without as Answer);
  return { capzText: JSON.stringify(rest), capzTextBeside: textOf(answer), capzIndex };
}

function textOf(answer: Answer): string {
  const value: unknown = answer.kind === "known" ? answer.value : undefined;
  return isJsonObject(value) && typeof value["text"] === "string" ? value["text"] : "";
}

function createCheckContext(
  check: Script,
  guard: { readonly timeout?: number },
): { readonly context: Context; readonly takesTextBeside: boolean } {
  const context = createContext(constants.DONT_CONTEXTIFY, {
    name: "check",
    codeGeneration: { strings: false, wasm: false },
    // What it puts off is run, and ended, with the step that put it off.
    microtaskMode: "afterEvaluate",
  });
  new Script(beginning, { filename: scriptNames["its frame"] }).runInContext(context, guard);
  check.runInContext(context, guard);
  const takes: unknown = new Script(harness, { filename: scriptNames["its frame"] }).runInContext(context, guard);
  return { context, takesTextBeside: takes === true };
}

function readStep(output: unknown): Step {
  const parsed = typeof output === "string" ? parseJson(output) : undefined;
  const step = parsed?.kind === "value" && isJsonObject(parsed.value) ? parsed.value : {};
  switch (step["kind"]) {
    case "questions":
      return { kind: "questions", questions: step["questions"] };
    case "result":
      return { kind: "result", result: step["result"] };
    case "broken":
      return { kind: "broken", why: String(step["why"]) };
    default:
      return { kind: "broken", why: "it gave no step" };
  }
}
