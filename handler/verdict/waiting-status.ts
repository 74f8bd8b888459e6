import type { OutputTails } from "./outcome.ts";
import type { Status } from "../contract/status.ts";
import { firstLineLimit } from "../text/first-line-parts.ts";
import { cutShown, joinShown, ours, show, showLine, type ShownText } from "../text/shown-text.ts";
import { outputSections } from "./output-sections.ts";
import { checkStageInWords } from "./stage-words.ts";
import { waitingSubstatus, type WaitingRun } from "./waiting-substatus.ts";

export interface WaitingFacts {
  readonly stage: string | undefined;
  readonly elapsedSeconds: number;
  /** Undefined before the settings are read. */
  readonly timeoutSeconds: number | undefined;
  /** When this was written, so that a reader some seconds later knows what it is about. */
  readonly at?: Date;
  readonly lastEvent: string | undefined;
  readonly warnings: readonly string[];
  /** What a running command wrote last. */
  readonly output?: OutputTails | undefined;
  /** Whose wait it is, for programs; without it the status has no substatus. */
  readonly of?: WaitingRun;
}

/** Of each stream, in characters: progress, not the record of it. */
const tailLimit = 1000;

/** While waiting: where the node stands, what is used and left of the time, and the last thing that happened. */
export function waitingStatus(facts: WaitingFacts): Status {
  const stage = facts.stage === undefined ? ours`starting the check` : showLine(checkStageInWords(facts.stage));
  const time =
    facts.timeoutSeconds === undefined
      ? ours``
      : ours`; ${usedAndLeft(facts.elapsedSeconds, facts.timeoutSeconds, facts.at)}`;
  const event = facts.lastEvent === undefined ? ours`` : ours`; last: ${showLine(facts.lastEvent)}`;
  const line = cutShown.atWord(ours`Waiting for bootstrap: ${stage}${time}${event}`, firstLineLimit);
  const warnings = facts.warnings.map((warning) => ours`Warning: ${show(warning)}`);
  const tails = facts.output === undefined ? [] : outputSections(facts.output, tailLimit);
  return {
    kind: "transitioning",
    operation: "Enable",
    code: 0,
    message: joinShown([line, ...warnings, ...tails], "\n"),
    substatuses: facts.of === undefined ? [] : [waitingSubstatus(facts.of, { ...facts, stage, line })],
  };
}

/** With the clock's time it stays true however late it is read: "12 s of 1200 s used, 1188 s left at 10:31:07 UTC". */
function usedAndLeft(elapsedSeconds: number, timeoutSeconds: number, at: Date | undefined): ShownText {
  const left = Math.max(0, timeoutSeconds - elapsedSeconds);
  const when = at === undefined ? ours`` : ours` at ${show(at.toISOString().slice(11, 19))} UTC`;
  return ours`${elapsedSeconds} s of ${timeoutSeconds} s used, ${left} s left${when}`;
}
