import { rm } from "node:fs/promises";
import { checkEnvironment } from "../running/check-environment.ts";
import { noAnswer, type Looker, type LookerRequest, type LookerAnswer } from "../looker.ts";
import type { CheckReport, ProcessExit } from "../../verdict/outcome.ts";
import { readTails, type OutputFiles } from "../running/output-files.ts";
import { readCheckOutput } from "../running/read-check-output.ts";
import { runWithinLimits } from "../running/run-within-limits.ts";

/** Looks by a script of protocol 1 (docs/check-protocol.md): a process for each look. */
export function createScriptLooker(request: LookerRequest, files: OutputFiles, script: string): Looker {
  return {
    look: (limitMs) => runOnce({ request, script, files }, limitMs),
    forget: () => undefined,
    mayHaveLeftOvers: () => true,
    tails: () => readTails(files, request.host),
  };
}

/** sysexits.h EX_TEMPFAIL: the node is not there yet. */
const notYet = 75;

interface ScriptRun {
  readonly request: LookerRequest;
  readonly script: string;
  readonly files: OutputFiles;
}

/** A script that hangs is ended and counts as "not yet": one slow look is no verdict. */
async function runOnce({ request, script, files }: ScriptRun, timeLimitMs: number): Promise<LookerAnswer> {
  const { host, deadline } = request;
  // What an earlier run said must not be taken for this one's.
  await rm(files.output, { force: true, recursive: true });
  const end = await runWithinLimits({
    host,
    argv: host.platform.interpreter(script),
    cwd: request.workFolder,
    env: checkEnvironment({
      ...request,
      outputFile: files.output,
      stateFolder: files.state,
      elapsedMs: deadline.elapsedMs(),
    }),
    stdoutFile: files.stdout,
    stderrFile: files.stderr,
    marker: request.marker,
    graceMs: Math.min(request.settings.graceSeconds * 1000, 2000),
    timeLimitMs,
    signal: request.signal,
  });
  if (end.kind === "aborted") return { kind: "interrupted" };
  const report = await readCheckOutput(files.output);
  switch (end.kind) {
    case "exited":
      return verdictOf(end.exit, report);
    case "time-limit":
      return noAnswer(report, `it did not end within ${String(Math.round(timeLimitMs / 1000))} s`, end.stillRunning);
    case "output-limit":
      return noAnswer(report, "it wrote more output than allowed (64 MiB)");
  }
}

function verdictOf(exit: ProcessExit, report: CheckReport): LookerAnswer {
  if (exit.kind === "not-started") {
    const transient = exit.systemCode !== undefined && transientCodes.has(exit.systemCode);
    return transient ? noAnswer(report, `it could not be started: ${exit.reason}`) : { kind: "failed", report, exit };
  }
  // A signal comes from outside (kernel out of memory, an operator): the next run can tell more.
  if (exit.kind === "signal") return noAnswer(report, `it was ended by ${exit.signal}`);
  if (exit.code === 0) return { kind: "passed", report };
  if (exit.code === notYet) return { kind: "not-yet", report, stillRunning: [] };
  return { kind: "failed", report, exit };
}

/** A machine under load refuses processes, files or space for a while. */
const transientCodes: ReadonlySet<string> = new Set([
  "EAGAIN",
  "ENOMEM",
  "EMFILE",
  "ENFILE",
  "ENOSPC",
  "ETXTBSY",
  "EDQUOT",
]);
