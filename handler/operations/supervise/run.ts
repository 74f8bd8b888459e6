import type { SequenceContext } from "../context.ts";
import type { ReadSettings } from "../read-settings.ts";
import type { Foresight } from "./foresight.ts";
import type { RunRecord } from "./run-record.ts";

/** One wait for a verdict, from the start (or resumption) of the supervisor to its end. */
export interface Run {
  readonly context: SequenceContext;
  /** Marks every process that the check starts. */
  readonly marker: string;
  /** Aborts when the supervisor is asked to stop. */
  readonly signal: AbortSignal;
  /** Aborts when the verdict is on disk: whatever can wait for that, waits. */
  readonly told: AbortSignal;
  readonly record: RunRecord;
  readonly foresight: Foresight;
  /** Opens and validates the settings; throws a HandlerError that names every problem. */
  readSettings(): Promise<ReadSettings>;
}
