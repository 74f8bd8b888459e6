import { rm } from "node:fs/promises";
import type { Deadline } from "../check/deadline.ts";
import { obtainCheck } from "../check/obtain-check.ts";
import type { ObtainedCheck } from "../check/obtained-check.ts";
import type { CheckOutcome, CheckProgress } from "../check/outcome.ts";
import { runCommand } from "../check/run-command.ts";
import { runProbe } from "../check/run-probe.ts";
import { workFolder } from "../state/run-state.ts";
import { takePrivateFolder } from "../state/private-folder.ts";
import { handlerVersion } from "../version.ts";
import type { ReadSettings } from "./read-settings.ts";
import type { Run } from "./run.ts";
import { startBeat } from "./status-beat.ts";

export interface CheckRun {
  readonly kind: ObtainedCheck["kind"];
  readonly outcome: CheckOutcome;
  readonly warnings: readonly string[];
  /** Version of the check bundle. */
  readonly version?: string;
  /** rules.json of the same bundle; absent for a command, where the embedded one serves. */
  readonly rules?: string;
}

/** Obtains the check and runs it to its outcome, with the status kept up to date meanwhile. */
export async function runObtainedCheck(run: Run, read: ReadSettings, deadline: Deadline): Promise<CheckRun> {
  const { context, signal, marker } = run;
  const { host, identity } = context;
  const { settings } = read;
  const folder = workFolder(context.instance, context.sequence);
  takePrivateFolder(folder);
  const beat = startBeat({ run, deadline, timeoutSeconds: settings.timeoutSeconds, warnings: read.warnings });
  try {
    beat.tell({ facts: {}, stage: "obtaining-the-check" });
    const check = await obtainCheck({ host, settings, workFolder: folder, identity, handlerVersion, deadline, signal });
    for (const warning of check.warnings) context.log.warn(warning);
    const onProgress = ({ report }: CheckProgress) => {
      beat.tell(report);
    };
    const common = { host, settings, deadline, identity, signal, marker, workFolder: folder, onProgress };
    if (check.kind === "probe") {
      const outcome = await runProbe({ ...common, check });
      return { kind: "probe", outcome, warnings: check.warnings, version: check.version, rules: check.rules };
    }
    beat.tell({ facts: {}, stage: "running-the-command" });
    const outcome = await runCommand({ ...common, check });
    // The command's files may hold secrets; an interrupted command runs again and needs them.
    if (outcome.kind !== "interrupted") await removeAll(check.filesToDelete);
    return { kind: "command", outcome, warnings: check.warnings };
  } finally {
    await beat.stop();
  }
}

async function removeAll(files: readonly string[]): Promise<void> {
  await Promise.all(files.map((file) => rm(file, { force: true })));
}
