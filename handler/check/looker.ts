import type { LookRecord } from "../../scripts/check/look.ts";
import type { Host } from "../host.ts";
import type { MachineIdentity } from "../platform/platform.ts";
import type { Settings } from "../settings/settings.ts";
import type { Deadline } from "./deadline.ts";
import type { ObtainedCheck } from "./obtained-check.ts";
import type { CheckReport, OutputTails, ProcessExit } from "../verdict/outcome.ts";

export interface LookerRequest {
  readonly host: Host;
  readonly check: Extract<ObtainedCheck, { kind: "bundle" }>;
  readonly settings: Pick<Settings, "bootstrapProvider" | "timeoutSeconds" | "pollSeconds" | "graceSeconds">;
  readonly deadline: Pick<Deadline, "signal" | "elapsedMs" | "remainingMs">;
  /** A folder of ours for output and the check's own state. */
  readonly workFolder: string;
  readonly identity: MachineIdentity;
  /** Value of CAPZ_BOOTSTRAP_RUN. */
  readonly marker: string;
  /** The supervisor was told to stop. */
  readonly signal: AbortSignal;
  /** Called when a look has one question left before it would be a failure; what a failure needs may be made ready. */
  readonly onNearFailure?: () => void;
}

/** What one look at the node came to, whichever kind of check made it. */
export type LookerAnswer =
  | { readonly kind: "passed"; readonly report: CheckReport; readonly record?: LookRecord }
  | NotYet
  | {
      readonly kind: "failed";
      readonly report: CheckReport;
      readonly exit: ProcessExit;
      readonly record?: LookRecord;
    }
  | { readonly kind: "interrupted" };

export interface NotYet {
  readonly kind: "not-yet";
  readonly report: CheckReport;
  readonly stillRunning: readonly string[];
  readonly record?: LookRecord;
  /** What it saw may have been a moment old: look again after so long, whatever the report says. */
  readonly againMs?: number;
}

/** A check that can look at the node, one look at a time. */
export interface Looker {
  look(limitMs: number): Promise<LookerAnswer>;
  /** Something has changed: what has long been the same may not be any more. The sentinel: nothing seen before it may be used. */
  forget(what: "settled" | "all"): void;
  /** True once a look has started programs of others, which may have left something running. */
  mayHaveLeftOvers(): boolean;
  /** Ends of what the last look printed. */
  tails(): Promise<OutputTails>;
}

/** A look that gave no answer is "not yet", with a note that says so. */
export function noAnswer(report: CheckReport, note: string, stillRunning: readonly string[] = []): NotYet {
  return {
    kind: "not-yet",
    report: { ...report, facts: { ...report.facts, "last-check-run": `The check gave no answer: ${note}` } },
    stillRunning,
  };
}
