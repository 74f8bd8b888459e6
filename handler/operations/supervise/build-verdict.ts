import { handlerVersion } from "../../version.ts";
import type { ReadSettings } from "../read-settings.ts";
import type { CheckRun } from "./run-obtained-check.ts";
import type { Run } from "./run.ts";
import type { Verdict, VerdictEnd } from "../../verdict/verdict.ts";

/** What the verdict is made of, beside the run itself. */
export interface VerdictFacts {
  readonly end: VerdictEnd;
  /** Of the deadline, over all reboots. */
  readonly elapsedMs: number;
  /** Absent when they could not be read. */
  readonly read?: ReadSettings;
  readonly check?: Pick<CheckRun, "version" | "ownCommand" | "warnings">;
  readonly revised?: Verdict["revised"];
}

/** The verdict as it is known before its diagnosis. */
export function buildVerdict(
  { context, record }: Run,
  { end, elapsedMs, read, check, revised }: VerdictFacts,
): Verdict {
  return {
    end,
    mode: read?.settings.mode ?? "enforce",
    elapsedSeconds: Math.round(elapsedMs / 1000),
    timeoutSeconds: read?.settings.timeoutSeconds ?? 0,
    time: context.host.now().toISOString(),
    vmId: context.identity.vmId,
    sequence: context.sequence,
    handlerVersion,
    ...ofCheck(check),
    timeline: record.current().timeline,
    warnings: [...(read?.warnings ?? []), ...(check?.warnings ?? [])],
    ...(revised === undefined ? {} : { revised }),
  };
}

function ofCheck(check: VerdictFacts["check"]): Pick<Verdict, "checkVersion" | "ownCommand"> {
  return {
    ...(check?.version === undefined ? {} : { checkVersion: check.version }),
    ...(check?.ownCommand === true ? { ownCommand: true } : {}),
  };
}
