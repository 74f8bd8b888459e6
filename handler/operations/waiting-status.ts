import type { Status } from "../contract/status.ts";
import { redact } from "../logging/redact.ts";
import { cutAtWord, firstLineLimit, oneLine } from "../text/first-line.ts";
import { checkStageInWords } from "./stage-words.ts";

export interface WaitingFacts {
  readonly stage: string | undefined;
  readonly elapsedSeconds: number;
  /** Undefined before the settings are read. */
  readonly timeoutSeconds: number | undefined;
  readonly lastEvent: string | undefined;
  readonly warnings: readonly string[];
}

/** While waiting: where the node stands, what is used and left of the time, and the last thing that happened. */
export function waitingStatus(facts: WaitingFacts): Status {
  const stage = facts.stage === undefined ? "starting the check" : checkStageInWords(facts.stage);
  const time = facts.timeoutSeconds === undefined ? "" : `; ${usedAndLeft(facts.elapsedSeconds, facts.timeoutSeconds)}`;
  const event = facts.lastEvent === undefined ? "" : `; last: ${oneLine(facts.lastEvent)}`;
  const line = cutAtWord(`Waiting for bootstrap: ${stage}${time}${event}`, firstLineLimit);
  return {
    kind: "transitioning",
    operation: "Enable",
    code: 0,
    message: redact([line, ...facts.warnings.map((warning) => `Warning: ${warning}`)].join("\n")),
    substatuses: [],
  };
}

function usedAndLeft(elapsedSeconds: number, timeoutSeconds: number): string {
  const left = Math.max(0, timeoutSeconds - elapsedSeconds);
  return `${String(elapsedSeconds)} s of ${String(timeoutSeconds)} s used, ${String(left)} s left`;
}
