import { readStatusFile } from "../../contract/status-file.ts";
import { show } from "../../text/shown-text.ts";
import type { SequenceContext } from "../context.ts";
import { printAside } from "../terminal.ts";

const lookEveryMs = 500;

/** Prints the waiting status as it changes, to standard error, so that standard output holds the verdict alone. */
export function showProgress(context: SequenceContext): { stop(): void } {
  const stopped = new AbortController();
  void printChanges(context, stopped.signal);
  return {
    stop() {
      stopped.abort();
    },
  };
}

async function printChanges(context: SequenceContext, stopped: AbortSignal): Promise<void> {
  let shown = "";
  while (!stopped.aborted) {
    const file = await readStatusFile(context.environment.statusFolder, context).catch(() => undefined);
    const line =
      file?.kind === "valid" && file.status === "transitioning" ? (file.message.split("\n", 1)[0] ?? "") : "";
    if (line !== "" && line !== shown) printAside(show(line));
    if (line !== "") shown = line;
    await context.host.sleep(lookEveryMs, stopped);
  }
}
