import type { Achieved, Applied, Failure } from "./applied.ts";
import type { LineEvent } from "./line-event.ts";
import { secondsBetween } from "./timestamp.ts";

/** Whether the same step went well after the last line that shows the failure. */
export function isRecovered({ events, recoveries }: Applied): boolean {
  return recoveries.length > 0 && events.every((event) => recoveries.some((later) => follows(later, event)));
}

/** Whether a later sign of success covers the stage of the failure. */
export function isSettled(rule: Failure, events: readonly LineEvent[], achieved: readonly Achieved[]): boolean {
  const signs = achieved
    .filter((one) => one.rule.covers.includes(rule.stage) || (one.rule.settles ?? []).includes(rule.cause))
    .flatMap((one) => one.events);
  return signs.length > 0 && events.every((event) => signs.some((sign) => follows(sign, event)));
}

/** Order within one log is certain; across logs only where both lines carry a time. */
function follows(later: LineEvent, earlier: LineEvent): boolean {
  if (later.originIndex === earlier.originIndex) return later.line > earlier.line;
  if (later.time === undefined || earlier.time === undefined) return false;
  return secondsBetween(earlier.time, later.time) >= 0;
}
