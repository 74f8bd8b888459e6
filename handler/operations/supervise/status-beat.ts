import { existsSync } from "node:fs";
import type { Deadline } from "../../check/deadline.ts";
import type { CheckReport, OutputTails } from "../../verdict/outcome.ts";
import { errorText } from "../../errors/handler-error.ts";
import type { Mode } from "../../settings/settings.ts";
import { putStatus } from "../put-status.ts";
import type { Run } from "./run.ts";
import { checkStageInWords } from "../../verdict/stage-words.ts";
import { waitingStatus } from "../../verdict/waiting-status.ts";

/** Between two writes without news; the agent reads the file every few seconds anyway. */
const quietMs = 30_000;
/** A node that changes its stage many times a second gets one write for them. */
const settleMs = 500;

export interface Beat {
  /** What the check said last, and what a command wrote last; a new stage is written at once and noted in the timeline. */
  tell(report: CheckReport, output?: OutputTails): void;
  /** Resolves when no write is under way: the final status must be the last one. */
  stop(): Promise<void>;
}

interface BeatOptions {
  readonly run: Run;
  readonly deadline: Deadline;
  readonly warnings: readonly string[];
  readonly mode: Mode;
}

/** Keeps the transitioning status true while the check runs. */
export function startBeat(options: BeatOptions): Beat {
  const { run, deadline } = options;
  const { host, log } = run.context;
  const stopped = new AbortController();
  let news = new AbortController();
  let stage: string | undefined;
  let lastEvent: string | undefined;
  let output: OutputTails | undefined;

  async function write(): Promise<void> {
    // Written all the same, its folder would be made anew, and the verdict would go where nobody reads (conclude-run.ts).
    if (!existsSync(run.context.environment.handlerFolder)) return;
    const elapsedSeconds = Math.floor(deadline.elapsedMs() / 1000);
    const timeoutSeconds = deadline.budgetMs / 1000;
    const { warnings } = options;
    const at = host.now();
    const { sequence, identity } = run.context;
    const of = { vmId: identity.vmId, sequence, mode: options.mode, time: at };
    const status = waitingStatus({ stage, elapsedSeconds, timeoutSeconds, at, lastEvent, warnings, output, of });
    await putStatus(run.context, status).catch((error: unknown) => {
      log.warn(`The progress could not be written: ${errorText(error)}`);
    });
  }

  async function beat(): Promise<void> {
    while (!stopped.signal.aborted) {
      news = new AbortController();
      const startedMs = host.monotonicMs();
      await write();
      await host.sleep(quietMs, AbortSignal.any([stopped.signal, news.signal]));
      await host.sleep(Math.max(0, settleMs - (host.monotonicMs() - startedMs)), stopped.signal);
    }
  }

  const beating = beat();
  return {
    tell(report, newOutput) {
      log.debug(`The check says: ${JSON.stringify(report)}`);
      if (report.message !== undefined) lastEvent = report.message;
      // The teller bounds the rate: a command's output comes every 15 s.
      if (newOutput !== undefined && isNews(newOutput, output)) {
        output = newOutput;
        news.abort();
      }
      if (report.stage === undefined || report.stage === stage) return;
      stage = report.stage;
      run.record.note({ event: checkStageInWords(stage), stage, elapsedMs: deadline.elapsedMs() });
      news.abort();
    },
    async stop() {
      stopped.abort();
      await beating;
    },
  };
}

function isNews(now: OutputTails, before: OutputTails | undefined): boolean {
  return now.stdout !== (before?.stdout ?? "") || now.stderr !== (before?.stderr ?? "");
}
