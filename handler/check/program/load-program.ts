import { constants, createContext, Script, type Context } from "node:vm";
import type { LookContext } from "../../../scripts/check/look.ts";
import type { Answer } from "../../../scripts/check/questions.ts";
import { errorText } from "../../errors/handler-error.ts";

/** A step is some milliseconds of work; on a machine that starves its processes, a second or two. */
const stepLimitMs = 2000;

/** What one step of a look came to. Nothing of it is validated yet. */
export type Step =
  | { readonly kind: "asks"; readonly questions: unknown }
  | { readonly kind: "ends"; readonly result: unknown }
  /** It threw, did not return, or is no check at all. */
  | { readonly kind: "broken"; readonly why: string };

/** A check that is ready to look. One look at a time. */
export interface CheckProgram {
  begin(context: LookContext): Step;
  answer(answers: readonly Answer[]): Step;
}

/**
 * Runs inside the context, where the check is: JSON text comes in and goes out, so no object of ours ever reaches the check,
 * and none of the check reaches us.
 */
const harness = `"use strict";
(() => {
  const { parse, stringify } = JSON;
  let look;
  globalThis.capzStep = () => {
    try {
      const { context, answers } = parse(capzInput);
      if (context !== undefined) look = module.exports.check(context);
      const { done, value } = look.next(answers);
      return stringify(done ? { kind: "ends", result: value } : { kind: "asks", questions: value });
    } catch (error) {
      return stringify({ kind: "broken", why: "it threw " + String(error) });
    }
  };
})();`;

/** Before the check: what a CommonJS module expects, and without what belongs to no language. */
const beginning = `var module = { exports: {} }, exports = module.exports, capzInput;
for (const name of ["console", "Atomics", "SharedArrayBuffer", "WebAssembly"]) delete globalThis[name];`;

const scriptNames = { "the check": "check.cjs", "its frame": "check-frame.cjs" } as const;

/**
 * Loads a check's program (protocol 2: CommonJS with the export \`check\`) into a context of its own: the language and nothing
 * else, no modules, no process, no timers. A guard against mistakes; against ill will stands the signature of the bundle.
 */
export function loadProgram(source: string, { limitMs = stepLimitMs } = {}): CheckProgram {
  let compiled: { readonly check: Script; readonly step: Script } | undefined;
  let context: Context | undefined;

  function run(input: object): Step {
    try {
      compiled ??= {
        check: new Script(source, { filename: scriptNames["the check"] }),
        step: new Script("capzStep()", { filename: scriptNames["its frame"] }),
      };
      context ??= createCheckContext(compiled.check, limitMs);
      context["capzInput"] = JSON.stringify(input);
      return readStep(compiled.step.runInContext(context, { timeout: limitMs }));
    } catch (error) {
      // What was ended in its midst is in no state to go on.
      context = undefined;
      return { kind: "broken", why: errorText(error) };
    }
  }

  return {
    begin: (lookContext) => run({ context: lookContext, answers: [] }),
    answer: (answers) => run({ answers }),
  };
}

function createCheckContext(check: Script, timeout: number): Context {
  const context = createContext(constants.DONT_CONTEXTIFY, {
    name: "check",
    codeGeneration: { strings: false, wasm: false },
    // What it puts off is run, and ended, with the step that put it off.
    microtaskMode: "afterEvaluate",
  });
  new Script(beginning, { filename: scriptNames["its frame"] }).runInContext(context, { timeout });
  check.runInContext(context, { timeout });
  new Script(harness, { filename: scriptNames["its frame"] }).runInContext(context, { timeout });
  return context;
}

function readStep(output: unknown): Step {
  const step: unknown = typeof output === "string" ? JSON.parse(output) : undefined;
  if (typeof step !== "object" || step === null || !("kind" in step)) return broken("it gave no step");
  switch (step.kind) {
    case "asks":
      return { kind: "asks", questions: "questions" in step ? step.questions : undefined };
    case "ends":
      return { kind: "ends", result: "result" in step ? step.result : undefined };
    default:
      return broken("why" in step && typeof step.why === "string" ? step.why : "it gave no step");
  }
}

function broken(why: string): Step {
  return { kind: "broken", why };
}
