import type { Achieved, Applied, Failure } from "./applied.ts";
import type { Stage } from "./diagnosis.ts";
import type { ErrorLine } from "./error-lines.ts";
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

/** Order within one log is certain, but where somebody shows parts of it in another; across logs only where both lines carry a time. */
function follows(later: LineEvent, earlier: LineEvent): boolean {
  if (later.originIndex === earlier.originIndex) return later.line > earlier.line || isShownEarlier(later, earlier);
  if (later.time === undefined || earlier.time === undefined) return false;
  return secondsBetween(earlier.time, later.time) >= 0;
}

/** Both of one process, and the later one by its time stands first: its log was searched for one and then for the other. */
function isShownEarlier(later: LineEvent, earlier: LineEvent): boolean {
  if (later.time === undefined || earlier.time === undefined) return false;
  const process = processOf(later.text);
  if (process === undefined || process !== processOf(earlier.text)) return false;
  const seconds = secondsBetween(earlier.time, later.time);
  return seconds > 0 && seconds <= shownTogether;
}

/** More is a clock that was set back. */
const shownTogether = 60;

/** "host program[pid]:", as journald and syslog write it; the first process of a machine is the same one in each boot. */
function processOf(text: string): string | undefined {
  return /^\S{3,12} {1,2}\d{1,2} [\d:.]{8,15} (?<process>\S{1,80} [\w.-]{1,60}\[(?!1\])\d{1,8}\]): /u.exec(text)
    ?.groups?.["process"];
}

const daemonStages: ReadonlySet<Stage> = new Set<Stage>(["kubelet", "runtime"]);

/** The one end of a daemon, of a cause that passes, that systemd then started, and not over and over. */
export function wasStartedAgain({ rule, events }: Applied, errorLines: readonly ErrorLine[]): boolean {
  if (!rule.retryable || !daemonStages.has(rule.stage)) return false;
  const ends = errorLines.filter((error) =>
    events.some((event) => event.originIndex === error.originIndex && event.line === error.line),
  );
  const places = new Set(events.map((event) => `${event.originIndex}:${event.line}`));
  return places.size === 1 && ends.some((error) => error.count === 1 && error.line < error.lastStart);
}
