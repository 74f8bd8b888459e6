import type { ShownText } from "../text/shown-text.ts";
import type { LookRecord } from "../../scripts/check/look.ts";
import type { ProcessExit } from "../host.ts";

export type { ProcessExit } from "../host.ts";

/** How the check ended. Expected outcomes are values; the supervisor turns them into a status. */
export type CheckOutcome =
  | {
      readonly kind: "passed";
      readonly report: CheckReport;
      readonly output: OutputTails;
      readonly beside?: CheckReport;
      /** What the deciding look saw; absent for scripts and commands. */
      readonly record?: LookRecord;
    }
  | {
      readonly kind: "failed";
      readonly exit: ProcessExit;
      readonly report: CheckReport;
      readonly output: OutputTails;
      /** What the packaged check saw while a command of the user's ran. */
      readonly beside?: CheckReport;
      readonly record?: LookRecord;
    }
  | {
      readonly kind: "deadline";
      readonly report: CheckReport;
      readonly output: OutputTails;
      readonly stillRunning: readonly string[];
      /** The last line of what cloud-init's scripts print, where one was at work. */
      readonly printedLast?: ShownText;
      readonly beside?: CheckReport;
      readonly record?: LookRecord;
    }
  | { readonly kind: "interrupted"; readonly report: CheckReport };

/** What a check said of itself through CAPZ_CHECK_OUTPUT; all absent for a plain command. */
export interface CheckReport {
  readonly stage?: string;
  /** Of the table of reasons, or with the prefix `Custom`: the terminal state that the check itself recognised. */
  readonly reason?: string;
  /** One sentence for a person: what was seen (evidence), not what to do. */
  readonly message?: string;
  /** Names of the bootstrap providers whose evidence was found, e.g. ["kubeadm"]. */
  readonly providers?: readonly string[];
  readonly nextCheckSeconds?: number;
  /** Lines of the output file that follow no rule of the protocol; absent when there are none. */
  readonly ignoredLines?: number;
  /** Further key=value pairs, kept for the report. */
  readonly facts: Readonly<Record<string, string>>;
}

export interface OutputTails {
  /** Redacted before it was cut; marked as cut. */
  readonly stdout: ShownText;
  readonly stderr: ShownText;
}

/** What the status may say while the check has no verdict yet. */
export interface CheckProgress {
  readonly report: CheckReport;
  /** What a command of the user's has written last. */
  readonly output?: OutputTails;
  readonly elapsedMs: number;
  readonly remainingMs: number;
}
