import type { Answer, FoundStatus } from "./explanation.ts";
import { askBootLog, askInstanceView } from "./ask-next.ts";

/** The longest that the setting timeoutSeconds allows, for a status that does not say how much is left. */
const longestWaitSeconds = 5100;
/** Two clocks, a last look and a diagnosis lie between the deadline and the verdict that is seen. */
const patienceMs = 15 * 60_000;

/**
 * A wait that should have had its verdict long ago: the answer says so in place of "wait". Whether the machine reports no more or the text was
 * kept since cannot be told from it. Unchanged where the status has no date, or where the place has words for what holds it up.
 */
export function withAge(answer: Answer, found: FoundStatus, now: Date): Answer {
  const told = Date.parse(answer.time ?? found.time ?? "");
  if (answer.outcome !== "waiting" || found.situation !== undefined || Number.isNaN(told)) return answer;
  const left = /^(\d{1,9}) s left/u.exec(answer.summary.split(" s used, ")[1] ?? "")?.[1];
  const lateMs = now.getTime() - told - Number(left ?? longestWaitSeconds) * 1000;
  if (lateMs < patienceMs) return answer;
  const subject = found.machine === undefined ? {} : { machine: found.machine };
  const age = inWords(now.getTime() - told);
  return {
    ...answer,
    nextStep: `Do not wait for it: this status is ${age} old, and its deadline is over. Ask again: ${askInstanceView(subject)}. If it is the same then, nothing on the machine reports any more: ${askBootLog(subject)}.`,
    notes: [...answer.notes, `The status was written at ${new Date(told).toISOString()}, ${age} ago by this clock.`],
  };
}

function inWords(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 2) return `${String(Math.round(ms / 60_000))} min`;
  return hours < 48 ? `${String(Math.round(hours))} h` : `${String(Math.round(hours / 24))} days`;
}
