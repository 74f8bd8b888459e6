import { readStatusFile } from "../../contract/status-file.ts";
import { show } from "../../text/shown-text.ts";
import type { PeopleLog } from "../../logging/create-logger.ts";
import type { SequenceContext } from "../context.ts";

const lookEveryMs = 500;

/** Tells the waiting status as it changes, on standard error, so that standard output holds the verdict alone. */
export function showProgress(context: SequenceContext, log: Pick<PeopleLog, "tell">): { stop(): void } {
  const stopped = new AbortController();
  void tellChanges({ context, log, stopped: stopped.signal });
  return {
    stop() {
      stopped.abort();
    },
  };
}

async function tellChanges({
  context,
  log,
  stopped,
}: {
  readonly context: SequenceContext;
  readonly log: Pick<PeopleLog, "tell">;
  readonly stopped: AbortSignal;
}): Promise<void> {
  let shown = "";
  while (!stopped.aborted) {
    const file = await readStatusFile(context.environment.statusFolder, context).catch(() => undefined);
    const line =
      file?.kind === "valid" && file.status === "transitioning" ? (file.message.split("\n", 1)[0] ?? "") : "";
    if (line !== "" && line !== shown) log.tell(show(line));
    if (line !== "") shown = line;
    await context.host.sleep(lookEveryMs, stopped);
  }
}
