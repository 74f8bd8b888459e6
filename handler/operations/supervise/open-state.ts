import { HandlerError } from "../../errors/handler-error.ts";
import { readRunState, type RunState } from "../../state/run-state.ts";
import type { SequenceContext } from "../context.ts";
import { isNewest } from "../is-newest.ts";
import { isStopped } from "../stop-mark.ts";

/**
 * What there is of this run already; undefined when nobody waits for it any more. Call it with the lock held: `disable` leaves its
 * mark first and looks for the lock second.
 * @throws HandlerError `internal` for the newest settings, whose state `enable` has written
 */
export function openState(context: SequenceContext): RunState | undefined {
  const { instance, sequence, log } = context;
  if (isStopped(context)) {
    log.info("supervise: the extension was disabled meanwhile; nothing to do");
    return undefined;
  }
  const state = readRunState(instance, sequence);
  if (state !== undefined) return state;
  if (isNewest(context)) {
    throw new HandlerError("internal", `There is no state of sequence ${String(sequence)} in "${instance}"`);
  }
  log.info("supervise: newer settings have come; nothing to do");
  return undefined;
}
