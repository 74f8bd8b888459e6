import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Host, ProcessLimits } from "../../host.ts";
import type { MachineIdentity } from "../../platform/platform.ts";
import type { Settings } from "../../settings/settings.ts";
import { ours } from "../../text/shown-text.ts";
import { checkEnvironment } from "./check-environment.ts";
import type { Deadline } from "../deadline.ts";
import { reportOf, watchBeside, type LookBeside, type Observation, type Watched } from "./look-beside.ts";
import type { ObtainedCheck } from "../obtained-check.ts";
import type { CheckOutcome, CheckProgress, CheckReport, OutputTails, ProcessExit } from "../../verdict/outcome.ts";
import { prepareOutputFiles, readTails } from "./output-files.ts";
import { readCheckOutput } from "./read-check-output.ts";
import { runWithinLimits, type ProcessEnd } from "./run-within-limits.ts";
import { whenAborted } from "./when-aborted.ts";

const firstProgressMs = 3000;
const progressEveryMs = 15_000;
/** How long a loop's success waits for the look beside it to say the same. */
const confirmMs = 3000;

/** What the guest agent gave to `enable`: the environment and the limits that the Custom Script handler's commands have. */
export interface Caller {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: ProcessLimits;
}

export interface CommandRequest {
  readonly host: Host;
  readonly check: Extract<ObtainedCheck, { kind: "command" }>;
  readonly settings: Pick<Settings, "bootstrapProvider" | "timeoutSeconds" | "graceSeconds">;
  readonly deadline: Pick<Deadline, "elapsedMs" | "remainingMs">;
  readonly workFolder: string;
  readonly identity: MachineIdentity;
  readonly marker: string;
  readonly signal: AbortSignal;
  /** Aborts when the verdict is on disk. */
  readonly told: AbortSignal;
  readonly caller: Caller;
  /** The packaged check, which looks at the node meanwhile; undefined when the settings switch it off. */
  readonly lookBeside?: LookBeside;
  /** Called when there is news, and every 15 s; must not block. */
  onProgress(progress: CheckProgress): void;
  /** Called at once when the command has ended by itself, before anything else is done. */
  onExit?(exit: ProcessExit): Promise<void>;
}

interface CommandFiles {
  readonly said: string;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the user's command once; its exit code is the verdict. What it started in the background lives on when it ends by itself,
 * as with the Custom Script handler; at the deadline or when we are stopped the whole tree ends. A command that only waits for the
 * sentinel is ended as soon as the look beside it is certain.
 */
export async function runCommand(request: CommandRequest): Promise<CheckOutcome> {
  const { host, check } = request;
  const lookFiles = await prepareOutputFiles(request.workFolder);
  const files = { ...outputFiles(request.workFolder), said: lookFiles.output };
  await rm(files.said, { force: true, recursive: true });
  const ended = new AbortController();
  const certain = new AbortController();
  const watched = watchBeside(request.lookBeside, (observation) => {
    if (observation.kind === "verdict" && check.waitsForSentinel) certain.abort();
    else void tellProgress(request, files, observation);
  });
  void keepTelling({ request, files, watched, ended: ended.signal });
  try {
    const running = startAndWait(
      request,
      { ...files, state: lookFiles.state },
      afterBoth(certain.signal, request.told),
    );
    const sure = whenAborted(certain.signal, ended.signal).then(() => endByCertainty(running, request.signal));
    const end = await Promise.race([running, sure]);
    ended.abort();
    if (end.kind === "exited") await request.onExit?.(end.exit);
    // The loop and the look saw the sentinel at the same moment: the look knows whether it counts, and what proves it.
    if (mayBeConfirmed(request, end) && watched.failure() === undefined) await host.sleep(confirmMs, certain.signal);
    return await conclude(request, { end, files, watched });
  } finally {
    ended.abort();
    watched.stop();
  }
}

/**
 * A verdict that is certain does not wait until the loop is ended, and the end begins when the verdict is told: on Windows the list of
 * processes alone takes PowerShell a second, and its start holds up whatever else is done. The loop only waits, so it spoils nothing
 * meanwhile, and this process lives until it is ended. Who stops us is told when all has ended.
 */
async function endByCertainty(running: Promise<ProcessEnd>, stop: AbortSignal): Promise<ProcessEnd> {
  return stop.aborted ? await running : { kind: "aborted" };
}

function afterBoth(first: AbortSignal, second: AbortSignal): AbortSignal {
  const both = new AbortController();
  for (const one of [first, second])
    one.addEventListener("abort", () => {
      if (first.aborted && second.aborted) both.abort();
    });
  return both.signal;
}

function mayBeConfirmed({ check, lookBeside }: CommandRequest, end: ProcessEnd): boolean {
  return check.waitsForSentinel && lookBeside !== undefined && isSuccess(end);
}

function isSuccess(end: ProcessEnd): boolean {
  return end.kind === "exited" && end.exit.kind === "code" && end.exit.code === 0;
}

/** The outcome of a command that had ended while nobody was left to hear it: its exit and its output are on disk. */
export async function concludeEnded(
  exit: ProcessExit,
  { workFolder, host, lineFile }: Pick<CommandRequest, "workFolder" | "host"> & { readonly lineFile: string },
): Promise<CheckOutcome> {
  const report = await readCheckOutput((await prepareOutputFiles(workFolder)).output);
  return toOutcome({ kind: "exited", exit }, report, await readTails(outputFiles(workFolder), host, lineFile));
}

function outputFiles(workFolder: string): Pick<CommandFiles, "stdout" | "stderr"> {
  return { stdout: join(workFolder, "stdout"), stderr: join(workFolder, "stderr") };
}

function startAndWait(
  request: CommandRequest,
  files: CommandFiles & { readonly state: string },
  end: AbortSignal,
): Promise<ProcessEnd> {
  const { host, check, deadline, caller } = request;
  return runWithinLimits({
    host,
    argv: check.argv,
    cwd: check.workingFolder,
    callerEnv: caller.env,
    limits: caller.limits,
    env: {
      ...checkEnvironment({
        ...request,
        outputFile: files.said,
        stateFolder: files.state,
        elapsedMs: deadline.elapsedMs(),
      }),
      ...check.env,
    },
    stdoutFile: files.stdout,
    stderrFile: files.stderr,
    marker: request.marker,
    // A loop that only waits has nothing to clean up.
    graceMs: check.waitsForSentinel ? 0 : request.settings.graceSeconds * 1000,
    timeLimitMs: deadline.remainingMs(),
    signal: AbortSignal.any([request.signal, end]),
  });
}

interface Ended {
  readonly end: ProcessEnd;
  readonly files: CommandFiles;
  readonly watched: Watched;
}

async function conclude(request: CommandRequest, { end, files, watched }: Ended): Promise<CheckOutcome> {
  const report = await readCheckOutput(files.said);
  const seen = watched.seen();
  const speaks = seen?.kind === "verdict" && mayBeConfirmed(request, end);
  if (end.kind !== "aborted" && !speaks)
    return withBeside(
      toOutcome(end, report, await readTails(files, request.host, request.check.lineFile)),
      seen,
      watched.failure(),
    );
  if (request.signal.aborted || seen?.kind !== "verdict") return { kind: "interrupted", report };
  const output = await readTails(files, request.host, request.check.lineFile);
  return { ...seen.outcome, output };
}

type EndedOutcome = Exclude<CheckOutcome, { kind: "interrupted" }>;

function withBeside(outcome: EndedOutcome, seen: Observation | undefined, failure: string | undefined): CheckOutcome {
  if (seen === undefined && failure === undefined) return outcome;
  const report = seen === undefined ? { facts: {} } : reportOf(seen);
  const facts = failure === undefined ? report.facts : { ...report.facts, "look-beside": `It ended early: ${failure}` };
  return { ...outcome, beside: { ...report, facts } };
}

function toOutcome(
  end: Exclude<ProcessEnd, { kind: "aborted" }>,
  report: CheckReport,
  output: OutputTails,
): EndedOutcome {
  switch (end.kind) {
    case "exited":
      return end.exit.kind === "code" && end.exit.code === 0
        ? { kind: "passed", report, output }
        : { kind: "failed", exit: end.exit, report, output };
    case "time-limit":
      return { kind: "deadline", report, output, stillRunning: end.stillRunning };
    case "output-limit":
      return {
        kind: "failed",
        exit: { kind: "signal", signal: "SIGKILL" },
        report: {
          ...report,
          message: "The command wrote more than 64 MiB of output and was ended; it must write less",
        },
        output,
      };
  }
}

interface Telling {
  readonly request: CommandRequest;
  readonly files: CommandFiles;
  readonly watched: Watched;
  readonly ended: AbortSignal;
}

async function keepTelling({ request, files, watched, ended }: Telling): Promise<void> {
  for (let pauseMs = firstProgressMs; ; pauseMs = progressEveryMs) {
    await request.host.sleep(pauseMs, ended);
    if (ended.aborted) return;
    await tellProgress(request, files, watched.seen());
  }
}

/** The command's own words win over what was seen beside it. */
async function tellProgress(
  request: CommandRequest,
  files: CommandFiles,
  beside: Observation | undefined,
): Promise<void> {
  const { deadline } = request;
  const [said, output] = await Promise.all([
    readCheckOutput(files.said).catch((): CheckReport => ({ facts: {} })),
    readTails(files, request.host, request.check.lineFile).catch((): OutputTails => ({
      stdout: ours``,
      stderr: ours``,
    })),
  ]);
  const seen: CheckReport = beside === undefined ? { facts: {} } : reportOf(beside);
  // A command that only waits stands where the node stands; of any other the node's stage is news beside it.
  const node = seen.message ?? seen.stage;
  const besideIt: CheckReport =
    node === undefined ? { facts: {} } : { message: `the node meanwhile: ${node}`, facts: {} };
  const report = {
    ...(request.check.waitsForSentinel ? seen : besideIt),
    ...said,
    facts: { ...seen.facts, ...said.facts },
  };
  request.onProgress({ report, output, elapsedMs: deadline.elapsedMs(), remainingMs: deadline.remainingMs() });
}
