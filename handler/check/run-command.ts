import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Host } from "../host.ts";
import type { MachineIdentity } from "../platform/platform.ts";
import type { Settings } from "../settings/settings.ts";
import { checkEnvironment } from "./check-environment.ts";
import type { Deadline } from "./deadline.ts";
import type { ObtainedCheck } from "./obtained-check.ts";
import type { CheckOutcome, CheckProgress, CheckReport } from "./outcome.ts";
import { prepareProbeFiles, readTails } from "./probe-files.ts";
import { readProbeOutput } from "./probe-output.ts";
import { runProcess, type ProcessEnd } from "./run-process.ts";

const progressEveryMs = 15_000;

export interface CommandRequest {
  readonly host: Host;
  readonly check: Extract<ObtainedCheck, { kind: "command" }>;
  readonly settings: Pick<Settings, "bootstrapProvider" | "timeoutSeconds" | "graceSeconds">;
  readonly deadline: Pick<Deadline, "elapsedMs" | "remainingMs">;
  readonly workFolder: string;
  readonly identity: MachineIdentity;
  readonly marker: string;
  readonly signal: AbortSignal;
  /** Called every 15 s; must not block. */
  onProgress(progress: CheckProgress): void;
}

/** Runs the user's command once; its exit code is the verdict. A command may use the output file, and need not. */
export async function runCommand(request: CommandRequest): Promise<CheckOutcome> {
  const { host, check, deadline } = request;
  const files = await prepareProbeFiles(request.workFolder);
  const output = { stdout: join(request.workFolder, "stdout"), stderr: join(request.workFolder, "stderr") };
  await rm(files.output, { force: true, recursive: true });
  const ended = new AbortController();
  void tellProgress(request, files.output, ended.signal);
  const end = await runProcess({
    host,
    argv: check.argv,
    cwd: check.workingFolder,
    env: checkEnvironment({
      ...request,
      outputFile: files.output,
      stateFolder: files.state,
      elapsedMs: deadline.elapsedMs(),
    }),
    stdoutFile: output.stdout,
    stderrFile: output.stderr,
    marker: request.marker,
    graceMs: request.settings.graceSeconds * 1000,
    timeLimitMs: deadline.remainingMs(),
    signal: request.signal,
  }).finally(() => {
    ended.abort();
  });
  const report = await readProbeOutput(files.output);
  return end.kind === "aborted" ? { kind: "interrupted", report } : await toOutcome(end, report, output);
}

async function toOutcome(
  end: Exclude<ProcessEnd, { kind: "aborted" }>,
  report: CheckReport,
  files: { readonly stdout: string; readonly stderr: string },
): Promise<CheckOutcome> {
  const output = await readTails(files);
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

async function tellProgress(request: CommandRequest, outputFile: string, ended: AbortSignal): Promise<void> {
  const { host, deadline } = request;
  for (;;) {
    await host.sleep(progressEveryMs, ended);
    if (ended.aborted) return;
    const report = await readProbeOutput(outputFile).catch(() => ({ facts: {} }));
    request.onProgress({ report, elapsedMs: deadline.elapsedMs(), remainingMs: deadline.remainingMs() });
  }
}
