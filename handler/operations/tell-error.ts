import type { Status } from "../contract/status.ts";
import type { HandlerError } from "../errors/handler-error.ts";
import { firstLine } from "../text/first-line.ts";
import { ours, show } from "../text/shown-text.ts";
import type { SequenceContext } from "./context.ts";
import { putStatus } from "./put-status.ts";

/** The last resort: a failure outside the flow that leads to verdicts still ends in a status. False when it cannot be written. */
export async function tellError(context: SequenceContext, error: HandlerError): Promise<boolean> {
  try {
    await putStatus(context, errorStatus(error));
    return true;
  } catch {
    return false;
  }
}

function errorStatus(error: HandlerError): Status {
  const head = ours`Bootstrap not checked (${show(error.code.reason)})`;
  const message = firstLine({ head, summary: show(error.message), nextStep: show(error.hint) });
  const code = error.code.number;
  return {
    kind: "error",
    operation: "Enable",
    code,
    message,
    substatuses: [{ name: ours`ErrorClarification`, status: "error", code, message }],
  };
}
