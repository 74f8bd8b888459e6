import { waitsForSentinel } from "../../check/obtain/capz-wait.ts";
import { obtainCheck } from "../../check/obtain/obtain-check.ts";
import type { CheckOutcome } from "../../verdict/outcome.ts";
import { lookUntilVerdict } from "../../check/looking/look-until-verdict.ts";
import { watchSentinel } from "../../check/looking/watch-sentinel.ts";
import type { CheckSettings, Settings } from "../../settings/settings.ts";
import { workFolder, type VerdictState } from "../../state/run-state.ts";
import { cutShown, ours } from "../../text/shown-text.ts";
import { handlerVersion } from "../../version.ts";
import type { VerdictFacts } from "./build-verdict.ts";
import { packagedCheck } from "./look-beside-command.ts";
import { openDeadline } from "./open-deadline.ts";
import type { ReachedEnd } from "./reach-end.ts";
import type { Run } from "./run.ts";

/** Only what the check bundle says of a node can be revised, also beside CAPZ's loop; a user's command has said its word. */
export function canStillTurnUp({ end, read, check }: ReachedEnd): boolean {
  const failed = end.kind === "failed" || end.kind === "deadline";
  const canLook = check?.kind === "bundle" || check?.waits === true;
  return failed && canLook && (read?.settings.aftercareSeconds ?? 0) > 0;
}

/**
 * A node that comes up after its failure was reported turns the status into a success, "late by N s"; the first verdict
 * stays in the message and the timeline. Undefined: it did not come up in time.
 */
export async function watchAftercare(run: Run, first: VerdictState): Promise<VerdictFacts | "interrupted" | undefined> {
  const read = await run.readSettings();
  const check = checkAfter(read.settings, run.context.host);
  const late = await waitForLateSuccess(run, { ...read.settings, check }, first);
  if (late === undefined || late === "interrupted") return late;
  const { end, elapsedMs, version } = late;
  const lateBySeconds = Math.round(elapsedMs / 1000) - first.afterSeconds;
  run.record.note({ event: `bootstrapped, late by ${String(lateBySeconds)} s`, elapsedMs });
  const revised = { firstLine: cutShown.lines(first.status.message)[0] ?? ours``, lateBySeconds };
  return { end, elapsedMs, read, check: { version, warnings: [] }, revised };
}

/** CAPZ's loop is over; the packaged check looks on in its place, unless the settings do not want it to look. */
function checkAfter({ check }: Settings, host: Run["context"]["host"]): CheckSettings {
  const waits = check.kind === "command" && check.lookBeside && waitsForSentinel(check.command, host);
  return waits ? packagedCheck : check;
}

interface LateSuccess {
  readonly end: Extract<CheckOutcome, { kind: "passed" }>;
  readonly elapsedMs: number;
  readonly version: string;
}

async function waitForLateSuccess(
  run: Run,
  settings: Settings,
  first: VerdictState,
): Promise<LateSuccess | "interrupted" | undefined> {
  const { context, signal } = run;
  const { host, identity } = context;
  const deadline = openDeadline(run, first.afterSeconds + settings.aftercareSeconds);
  const sentinel = watchSentinel(host);
  try {
    const folder = workFolder(context.instance, context.sequence);
    const check = await obtainCheck({ host, settings, workFolder: folder, identity, handlerVersion, deadline, signal });
    if (check.kind !== "bundle") return undefined;
    while (!deadline.signal.aborted) {
      const outcome = await lookUntilVerdict({
        host,
        check,
        settings,
        deadline,
        identity,
        signal,
        marker: run.marker,
        workFolder: folder,
        onProgress: () => undefined,
      });
      if (outcome.kind === "passed") {
        return { end: outcome, elapsedMs: deadline.elapsedMs(), version: check.version };
      }
      if (outcome.kind === "interrupted") return "interrupted";
      await sentinel.wait(settings.pollSeconds * 1000, AbortSignal.any([signal, deadline.signal]));
      if (signal.aborted) return "interrupted";
    }
    return undefined;
  } finally {
    sentinel.close();
    await deadline.close();
  }
}
