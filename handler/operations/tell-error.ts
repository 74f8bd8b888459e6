import type { HandlerError } from "../errors/handler-error.ts";
import { notCheckedStatus } from "../verdict/not-checked.ts";
import type { SequenceContext } from "./context.ts";
import { putStatus } from "./put-status.ts";

/** The last resort: a failure outside the flow that leads to verdicts still ends in a status. False when it cannot be written. */
export async function tellError(context: SequenceContext, error: HandlerError): Promise<boolean> {
  try {
    await putStatus(context, notCheckedStatus(error));
    return true;
  } catch {
    return false;
  }
}
