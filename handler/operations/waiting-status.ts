import type { OutputTails } from "../check/outcome.ts";
import type { Status } from "../contract/status.ts";
import { redact } from "../logging/redact.ts";
import { cutAtWord, firstLineLimit, oneLine } from "../text/first-line.ts";
import { outputSections } from "./output-sections.ts";
import { checkStageInWords } from "./stage-words.ts";

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
}

/** Of each stream, in characters: progress, not the record of it. */
const tailLimit = 1000;

/** While waiting: where the node stands, what is used and left of the time, and the last thing that happened. */
export function waitingStatus(facts: WaitingFacts): Status {
  const stage = facts.stage === undefined ? "starting the check" : checkStageInWords(facts.stage);
  const time = facts.timeoutSeconds === undefined ? "" : `; ${usedAndLeft(facts.elapsedSeconds, facts.timeoutSeconds, facts.at)}`;
  const event = facts.lastEvent === undefined ? "" : `; last: ${oneLine(facts.lastEvent)}`;
  const line = cutAtWord(`Waiting for bootstrap: ${stage}${time}${event}`, firstLineLimit);
  // Redacted before it is cut: half a secret is not recognised.
  const tails = facts.output === undefined ? [] : outputSections(redactTails(facts.output), tailLimit);
  return {
    kind: "transitioning",
    operation: "Enable",
    code: 0,
    message: [redact([line, ...facts.warnings.map((warning) => `Warning: ${warning}`)].join("\n")), ...tails].join("\n"),
    substatuses: [],
  };
}

function redactTails({ stdout, stderr }: OutputTails): OutputTails {
  return { stdout: redact(stdout), stderr: redact(stderr) };
}

/** With the clock's time it stays true however late it is read: "12 s of 1200 s used, 1188 s left at 10:31:07 UTC". */
function usedAndLeft(elapsedSeconds: number, timeoutSeconds: number, at: Date | undefined): string {
  const left = Math.max(0, timeoutSeconds - elapsedSeconds);
  const when = at === undefined ? "" : ` at ${at.toISOString().slice(11, 19)} UTC`;
  return `${String(elapsedSeconds)} s of ${String(timeoutSeconds)} s used, ${String(left)} s left${when}`;
}
