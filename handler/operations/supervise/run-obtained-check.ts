import type { Deadline } from "../../check/deadline.ts";
import { waitsForSentinel } from "../../check/obtain/capz-wait.ts";
import { lineFileOf } from "../../check/obtain/command-place.ts";
import { obtainCheck } from "../../check/obtain/obtain-check.ts";
import type { ObtainedCheck } from "../../check/obtained-check.ts";
import type { CheckOutcome, CheckProgress } from "../../verdict/outcome.ts";
import { concludeEnded } from "../../check/running/run-command.ts";
import { lookUntilVerdict } from "../../check/looking/look-until-verdict.ts";
import { workFolder } from "../../state/run-state.ts";
import { takePrivateFolder } from "../../files/private-folder.ts";
import { handlerVersion } from "../../version.ts";
import type { ReadSettings } from "../read-settings.ts";
import type { Run } from "./run.ts";
import { lookBesideCommand } from "./look-beside-command.ts";
import { tellScript } from "./script-at-deadline.ts";
import { endedCommand, refuseRestart, removeFilesOfCommand, runUsersCommand } from "./run-users-command.ts";
import { startBeat } from "./status-beat.ts";

export interface CheckRun {
  readonly kind: ObtainedCheck["kind"];
  readonly outcome: CheckOutcome;
  readonly warnings: readonly string[];
  /** Version of the check bundle. */
  readonly version?: string;
  /** CAPZ's own command, which only waits for the node: the packaged check may speak for it. */
  readonly waits?: true;
  /** A command that is the user's own: its words say why it failed. Absent for CAPZ's, which only waits for the node. */
  readonly ownCommand?: true;
  /** rules.json of a bundle that was downloaded; absent where the embedded one serves. */
  readonly rules?: string;
}

/** Obtains the check and runs it to its outcome, with the status kept up to date meanwhile. */
export async function runObtainedCheck(run: Run, read: ReadSettings, deadline: Deadline): Promise<CheckRun> {
  const { context, signal, marker } = run;
  const { host, identity } = context;
  const { settings } = read;
  const folder = workFolder(context.instance, context.sequence);
  takePrivateFolder(folder);
  const beat = startBeat({ run, deadline, warnings: read.warnings, mode: settings.mode });
  try {
    const onProgress = ({ report, output }: CheckProgress) => {
      beat.tell(report, output);
    };
    const common = { host, settings, deadline, identity, signal, marker, workFolder: folder, onProgress };
    const ended = endedCommand(run);
    if (ended !== undefined && settings.check.kind === "command") {
      const lineFile = lineFileOf(host, folder, settings.check);
      const outcome = await concludeEnded(ended, { workFolder: folder, host, lineFile });
      await removeFilesOfCommand(run);
      return { kind: "command", outcome, warnings: [], ...whose(waitsForSentinel(settings.check.command, host)) };
    }
    await refuseRestart(run, settings, deadline);
    beat.tell({ facts: {}, stage: "obtaining-the-check" });
    const check = await obtainCheck({ host, settings, workFolder: folder, identity, handlerVersion, deadline, signal });
    for (const warning of check.warnings) context.log.warn(warning);
    if (check.kind === "bundle") {
      const looked = await lookUntilVerdict({ ...common, check, onNearFailure: run.foresight.begin });
      const outcome = await tellScript(looked, host);
      const rules = check.origin === "embedded" ? {} : { rules: check.rules };
      return { kind: "bundle", outcome, warnings: check.warnings, version: check.version, ...rules };
    }
    beat.tell({ facts: {}, stage: "running-the-command" });
    const look = wantsLook(settings) ? lookBesideCommand(run, settings, deadline) : undefined;
    const outcome = await runUsersCommand(run, { ...common, check }, look);
    return {
      kind: "command",
      outcome,
      warnings: check.warnings,
      ...whose(check.waitsForSentinel),
    };
  } finally {
    await beat.stop();
  }
}

function whose(waits: boolean): Pick<CheckRun, "waits" | "ownCommand"> {
  return waits ? { waits: true } : { ownCommand: true };
}

/** Where nothing bootstraps there is nothing to look at. */
function wantsLook({ check, bootstrapProvider }: ReadSettings["settings"]): boolean {
  return check.kind === "command" && check.lookBeside && bootstrapProvider !== "none";
}
