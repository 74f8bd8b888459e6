import { errorText, HandlerError, isDenial } from "../../errors/handler-error.ts";
import { show, type ShownText } from "../../text/shown-text.ts";

/** What a person can do something about, such as a folder that this user may not write; undefined for a bug of ours. */
export function wordsOfFailure(error: unknown): ShownText | undefined {
  if (isDenial(error) || (error instanceof Error && isDenial(error.cause)))
    return show(`capz-bootstrap: ${errorText(error)}. Next: Run it as root (sudo), on Windows as an administrator.`);
  return error instanceof HandlerError ? show(`capz-bootstrap: ${error.message}. Next: ${error.hint}.`) : undefined;
}
