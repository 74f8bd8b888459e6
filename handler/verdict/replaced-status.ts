import type { Status } from "../contract/status.ts";
import { errorCodes } from "../errors/error-codes.ts";
import { ours } from "../text/shown-text.ts";

/**
 * What closes the status of settings that others have replaced before a verdict. `notCheckedStatus` would say the same; these are our own words
 * alone, so that `enable` need not load what cleans and redacts the words of others.
 */
export function replacedStatus(by: number): Status {
  const { number } = errorCodes.interrupted;
  const line = ours`Bootstrap not checked (Interrupted): the settings of sequence ${by} have replaced these before a verdict. Next: Read ${by}.status.`;
  const clarification = { name: ours`ErrorClarification`, status: "error", code: number, message: line } as const;
  return { kind: "error", operation: "Enable", code: number, message: line, substatuses: [clarification] };
}
