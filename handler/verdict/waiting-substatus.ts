import type { Substatus } from "../contract/status.ts";
import { statusSchemaVersion, type VerdictMessage } from "../contract/verdict-substatus.ts";
import type { Mode } from "../settings/settings.ts";
import { cutShown, ours, show, shownJson, type Shown, type ShownText } from "../text/shown-text.ts";
import { handlerVersion } from "../version.ts";

/** What tells one wait from another: a reader sees by it that a newer sequence has begun anew. */
export interface WaitingRun {
  readonly vmId: string;
  readonly sequence: number;
  /** Undefined before the settings are read. */
  readonly mode?: Mode | undefined;
  readonly time: Date;
}

interface WaitingPlace {
  /** In words. */
  readonly stage: ShownText;
  readonly elapsedSeconds: number;
  readonly timeoutSeconds: number | undefined;
  readonly warnings: readonly string[];
  /** First line of the status. */
  readonly line: ShownText;
}

/** Bounds of the warnings, so that the JSON is never cut to fit the status file; the message has them whole. */
const mostWarnings = 5;
const warningCharacters = 300;

/** BootstrapVerdict of a wait: the same shape as that of its end, and the state of the whole, so that nothing reads as a success before there is one. */
export function waitingSubstatus(run: WaitingRun, place: WaitingPlace): Substatus {
  const message: Shown<VerdictMessage> = {
    schemaVersion: statusSchemaVersion,
    outcome: "waiting",
    code: 0,
    ...(run.mode === undefined ? {} : { mode: run.mode }),
    elapsedSeconds: place.elapsedSeconds,
    ...(place.timeoutSeconds === undefined ? {} : { timeoutSeconds: Math.round(place.timeoutSeconds) }),
    time: show(run.time.toISOString()),
    vmId: show(run.vmId),
    sequence: run.sequence,
    handlerVersion: show(handlerVersion),
    warnings: place.warnings
      .slice(0, mostWarnings)
      .map((warning) => cutShown.text(show(warning), warningCharacters, "…")),
    stage: place.stage,
    reason: ours`BootstrapInProgress`,
    summary: place.line,
    providers: [],
  };
  return { name: ours`BootstrapVerdict`, status: "transitioning", code: 0, message: shownJson(message) };
}
