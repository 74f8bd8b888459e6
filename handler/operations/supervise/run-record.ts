import type { DeadlineRecord } from "../../check/deadline.ts";
import type { TimelineEntry } from "../../contract/verdict-substatus.ts";
import type { Host } from "../../host.ts";
import { writeRunState, type CommandState, type RunState, type VerdictState } from "../../state/run-state.ts";

/** A node that flaps between stages for hours must not grow the state without end. */
const mostEntries = 200;

/** The state of one run while it is at work: every change goes to disk, one write at a time. */
export interface RunRecord {
  current(): RunState;
  note(entry: { readonly event: string; readonly stage?: string; readonly elapsedMs: number }): void;
  saveClock(clock: DeadlineRecord): Promise<void>;
  saveCommand(command: CommandState): Promise<void>;
  saveVerdict(verdict: VerdictState): Promise<void>;
}

export function keepRecord(host: Pick<Host, "now">, instance: string, stored: RunState): RunRecord {
  let state = stored;
  let writing: Promise<void> = Promise.resolve();

  function save(): Promise<void> {
    // Later writes carry all that earlier ones had, so a failed one must not keep the next from being tried.
    writing = writing.catch(() => undefined).then(() => writeRunState(instance, state));
    return writing;
  }

  return {
    current: () => state,
    note({ event, stage, elapsedMs }) {
      const entry: TimelineEntry = {
        time: host.now().toISOString(),
        seconds: Math.round(elapsedMs / 1000),
        ...(stage === undefined ? {} : { stage }),
        event,
      };
      if (state.timeline.length < mostEntries) state = { ...state, timeline: [...state.timeline, entry] };
    },
    saveClock(clock) {
      state = { ...state, clock };
      return save();
    },
    saveCommand(command) {
      state = { ...state, command };
      return save();
    },
    saveVerdict(verdict) {
      state = { ...state, verdict };
      return save();
    },
  };
}
