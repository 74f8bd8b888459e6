import type { Status } from "../contract/status.ts";
import { firstLineLimit } from "../text/first-line.ts";
import { cutShown, joinShown, ours, show, showLine, type ShownText } from "../text/shown-text.ts";
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
  const stage = facts.stage === undefined ? ours`starting the check` : showLine(checkStageInWords(facts.stage));
  const time =
    facts.timeoutSeconds === undefined ? ours`` : ours`; ${usedAndLeft(facts.elapsedSeconds, facts.timeoutSeconds)}`;
  const event = facts.lastEvent === undefined ? ours`` : ours`; last: ${showLine(facts.lastEvent)}`;
  const line = cutShown.atWord(ours`Waiting for bootstrap: ${stage}${time}${event}`, firstLineLimit);
  return {
    kind: "transitioning",
    operation: "Enable",
    code: 0,
    message: joinShown([line, ...facts.warnings.map((warning) => ours`Warning: ${show(warning)}`)], "\n"),
    substatuses: [],
  };
}

function usedAndLeft(elapsedSeconds: number, timeoutSeconds: number): ShownText {
  const left = Math.max(0, timeoutSeconds - elapsedSeconds);
  return ours`${elapsedSeconds} s of ${timeoutSeconds} s used, ${left} s left`;
}
