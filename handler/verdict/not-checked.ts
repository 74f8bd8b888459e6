import { substatusNames } from "../contract/verdict-substatus.ts";
import type { Status, Substatus } from "../contract/status.ts";
import type { HandlerError } from "../errors/handler-error.ts";
import { firstLine } from "../text/first-line.ts";
import { ours, show, type ShownText } from "../text/shown-text.ts";

/** What is said where an error left nothing known of the node. */
export interface NotCheckedWords {
  readonly reason: ShownText;
  readonly code: number;
  readonly summary: ShownText;
  readonly nextStep: ShownText;
  readonly line: ShownText;
}

export function notCheckedWords(error: HandlerError): NotCheckedWords {
  const reason = show(error.code.reason);
  const summary = show(error.message);
  const nextStep = show(error.hint);
  const line = firstLine({ head: ours`Bootstrap not checked (${reason})`, summary, nextStep });
  return { reason, code: error.code.number, summary, nextStep, line };
}

/**
 * The same as a status, for what fails outside the flow that leads to verdicts. A file of its own: `enable` tells such errors, and
 * must not load what finds the words of a verdict.
 */
export function notCheckedStatus(error: HandlerError): Status {
  const { code, line } = notCheckedWords(error);
  return { kind: "error", operation: "Enable", code, message: line, substatuses: [clarification(code, line)] };
}

/** The platform takes the number of this substatus as the blame: above 0 the user's side, else ours or Azure's. */
export function clarification(code: number, line: ShownText): Substatus {
  return { name: show(substatusNames.clarification), status: "error", code, message: line };
}
