import { substatusNames } from "../contract/verdict-substatus.ts";
import type { Status, Substatus } from "../contract/status.ts";
import type { HandlerError } from "../errors/handler-error.ts";
import { firstLine } from "../text/first-line.ts";
import { ours, show, showCatalogueText, type ShownText } from "../text/shown-text.ts";

/** What is said where an error left nothing known of the node. */
export interface NotCheckedWords {
  readonly reason: ShownText;
  readonly code: number;
  readonly summary: ShownText;
  readonly nextStep: ShownText;
  readonly line: ShownText;
}

/** `as`: how its words are shown; those of an error that names nothing from outside need no redaction. */
export function notCheckedWords(error: HandlerError, as: (text: string) => ShownText = show): NotCheckedWords {
  const reason = showCatalogueText(error.code.reason);
  const summary = as(error.message);
  const nextStep = as(error.hint);
  const line = firstLine({ head: ours`Bootstrap not checked (${reason})`, summary, nextStep });
  return { reason, code: error.code.number, summary, nextStep, line };
}

/**
 * The same as a status, for what fails outside the flow that leads to verdicts. A file of its own: `enable` tells such errors, and
 * must not load what finds the words of a verdict.
 */
export function notCheckedStatus(error: HandlerError, as?: (text: string) => ShownText): Status {
  const { code, line } = notCheckedWords(error, as);
  return { kind: "error", operation: "Enable", code, message: line, substatuses: [clarification(code, line)] };
}

/** The platform takes the number of this substatus as the blame: above 0 the user's side, else ours or Azure's. */
export function clarification(code: number, line: ShownText): Substatus {
  return { name: showCatalogueText(substatusNames.clarification), status: "error", code, message: line };
}
