import type { Status } from "../contract/status.ts";
import type { TimelineEntry } from "../contract/verdict-substatus.ts";
import type { ProcessExit } from "../process-port.ts";

/** What we remember of one sequence on one VM. */
export interface RunState {
  readonly version: 1;
  readonly sequence: number;
  readonly vmId: string;
  readonly handlerVersion: string;
  /** RFC 3339, for people; never used to compute a duration. */
  readonly startedAt: string;
  readonly clock: ClockState;
  readonly timeline: readonly TimelineEntry[];
  /** The user's command, from the moment in which it is started. */
  readonly command?: CommandState;
  readonly verdict?: VerdictState;
}

/** What a supervisor that comes after a crash or a reboot must know: a command is not a thing to run twice without being asked. */
export interface CommandState {
  /** RFC 3339, for people. */
  readonly startedAt: string;
  readonly bootId: string;
  /** How often it was started. */
  readonly starts: number;
  /** What goes when it does not run any more: its line and, where the settings want it (removeFiles), its downloads and its script. */
  readonly files?: readonly string[];
  /** It has ended by itself, and this was its end. */
  readonly exit?: ProcessExit;
}

/** The used part of the deadline: a reboot, a suspend or a clock jump adds nothing and takes nothing away. */
export interface ClockState {
  readonly bootId: string;
  readonly usedMs: number;
  /** Reading of the monotonic clock of `bootId` when `usedMs` was stored. */
  readonly atMonotonicMs: number;
}

export interface VerdictState {
  readonly status: Status;
  readonly decidedAt: string;
  readonly afterSeconds: number;
  /** False while a failed node may still turn up (aftercare). */
  readonly final: boolean;
}
