import { existsSync } from "node:fs";
import { writeEvent } from "../../contract/events.ts";
import type { Status } from "../../contract/status.ts";
import { errorText } from "../../errors/handler-error.ts";
import { ours, show, type ShownText } from "../../text/shown-text.ts";
import { handlerVersion } from "../../version.ts";
import { putStatus } from "../put-status.ts";
import type { Run } from "./run.ts";
import { verdictStatus } from "../../verdict/verdict-status.ts";
import type { VerdictWords } from "../../verdict/verdict-words.ts";
import type { Verdict } from "../../verdict/verdict.ts";

const tryAgainMs = 2000;
/** An hour; then systemd or the guardian starts the supervisor again. */
const mostTries = 1800;

export interface Conclusion {
  readonly verdict: Verdict;
  readonly words: VerdictWords;
  /** False while a failed node may still turn up. */
  readonly final: boolean;
}

/**
 * The status first, the state after it: a crash between them leaves a verdict that `enable` adopts (decideEnable).
 * "nobody-reads": our folder is gone, because an update went on without us. Nothing is written, and the run is not concluded:
 * the version that follows resumes it and gives the verdict where the agent looks.
 */
export async function concludeRun(run: Run, { verdict, words, final }: Conclusion): Promise<"told" | "nobody-reads"> {
  const { host, log, environment } = run.context;
  if (!existsSync(environment.handlerFolder)) {
    log.warn(`The folder ${environment.handlerFolder} is gone; the verdict is left to the version that follows`);
    return "nobody-reads";
  }
  const status = verdictStatus(verdict, words);
  await putUntilWritten(run, status);
  await run.record
    .saveVerdict({ status, decidedAt: host.now().toISOString(), afterSeconds: verdict.elapsedSeconds, final })
    // The status file tells the verdict; without it in the state, the next `enable` adopts it from there.
    .catch((error: unknown) => {
      log.warn(`The verdict could not be kept in the state: ${errorText(error)}`);
    });
  log.infoShown(ours`verdict: ${show(status.kind)}, code ${status.code}: ${words.line}`);
  await tell(run, status.kind === "error" ? "Error" : "Informational", words.line);
  return "told";
}

/** A disk that is full or read-only for a while must not cost the verdict: tries again until it is written. */
async function putUntilWritten(run: Run, status: Status): Promise<void> {
  const { host, log } = run.context;
  for (let attempt = 1; ; attempt++) {
    try {
      await putStatus(run.context, status);
      return;
    } catch (error) {
      if (attempt === 1) log.error(errorText(error));
      if (run.signal.aborted || attempt >= mostTries) throw error;
      await host.sleep(tryAgainMs, run.signal);
    }
  }
}

/** Telemetry through the agent; it can never change or delay the verdict. */
async function tell(run: Run, level: "Error" | "Informational", message: ShownText): Promise<void> {
  const { host, environment, sequence } = run.context;
  await writeEvent(
    {
      level,
      task: "supervise",
      message,
      operationId: String(sequence),
      handlerVersion,
      pid: host.pid,
      now: host.now(),
    },
    environment,
  );
}
