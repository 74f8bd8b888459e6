import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { HandlerError } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import type { MachineIdentity } from "../platform/platform.ts";
import type { Settings } from "../settings/settings.ts";
import { checkEnvironment } from "./check-environment.ts";
import type { Deadline } from "./deadline.ts";
import type { ObtainedCheck } from "./obtained-check.ts";
import type { CheckReport, OutputTails, ProcessExit } from "./outcome.ts";
import { readTail } from "./output-tail.ts";
import { readProbeOutput } from "./probe-output.ts";
import { runProcess } from "./run-process.ts";

/** Bytes of each output stream that a status and a report may show. */
const tailBytes = 4096;

export interface ProbeRequest {
  readonly host: Host;
  readonly check: Extract<ObtainedCheck, { kind: "probe" }>;
  readonly settings: Pick<Settings, "bootstrapProvider" | "timeoutSeconds" | "pollSeconds" | "graceSeconds">;
  readonly deadline: Pick<Deadline, "signal" | "elapsedMs" | "remainingMs">;
  /** A folder of ours for output and the check's own state. */
  readonly workFolder: string;
  readonly identity: MachineIdentity;
  /** Value of CAPZ_BOOTSTRAP_RUN. */
  readonly marker: string;
  /** The supervisor was told to stop. */
  readonly signal: AbortSignal;
}

export interface ProbeFiles {
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly state: string;
}

export type ProbeResult =
  | { readonly kind: "passed"; readonly report: CheckReport }
  | { readonly kind: "not-yet"; readonly report: CheckReport; readonly stillRunning: readonly string[] }
  | { readonly kind: "failed"; readonly report: CheckReport; readonly exit: ProcessExit }
  | { readonly kind: "interrupted" };

export async function prepareProbeFiles(workFolder: string): Promise<ProbeFiles> {
  const state = join(workFolder, "check-state");
  try {
    await mkdir(state, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new HandlerError("stateUnwritable", `Cannot create the folder ${state} for the check`, { cause });
  }
  return {
    state,
    output: join(workFolder, "check-output"),
    stdout: join(workFolder, "check-stdout"),
    stderr: join(workFolder, "check-stderr"),
  };
}

/** sysexits.h EX_TEMPFAIL: the node is not there yet. */
const notYet = 75;

/** Lets the probe look once. A probe that hangs is ended and counts as "not yet": one slow look is no verdict. */
export async function runProbeOnce(
  request: ProbeRequest,
  files: ProbeFiles,
  timeLimitMs: number,
): Promise<ProbeResult> {
  const { host, deadline } = request;
  // What an earlier run said must not be taken for this one's.
  await rm(files.output, { force: true, recursive: true });
  const end = await runProcess({
    host,
    argv: host.platform.interpreter(request.check.script),
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
  const report = await readProbeOutput(files.output);
  switch (end.kind) {
    case "exited":
      return verdictOf(end.exit, report);
    case "time-limit":
      return ended(report, `it did not end within ${String(Math.round(timeLimitMs / 1000))} s`, end.stillRunning);
    case "output-limit":
      return ended(report, "it wrote more output than allowed (64 MiB)", []);
  }
}

function verdictOf(exit: ProcessExit, report: CheckReport): ProbeResult {
  if (exit.kind === "not-started") {
    const transient = exit.systemCode !== undefined && transientCodes.has(exit.systemCode);
    return transient ? ended(report, `it could not be started: ${exit.reason}`, []) : { kind: "failed", report, exit };
  }
  // A signal comes from outside (kernel out of memory, an operator): the next run can tell more.
  if (exit.kind === "signal") return ended(report, `it was ended by ${exit.signal}`, []);
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

function ended(report: CheckReport, note: string, stillRunning: readonly string[]): ProbeResult {
  return {
    kind: "not-yet",
    report: { ...report, facts: { ...report.facts, "last-check-run": `The check gave no answer: ${note}` } },
    stillRunning,
  };
}

export async function readTails(files: Pick<ProbeFiles, "stdout" | "stderr">): Promise<OutputTails> {
  const [stdout, stderr] = await Promise.all([readTail(files.stdout, tailBytes), readTail(files.stderr, tailBytes)]);
  return { stdout, stderr };
}
