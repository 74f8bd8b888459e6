import { asApplied, type Applied } from "./applied.ts";
import type { LineEvent } from "./line-event.ts";
import type { Matches } from "./match.ts";
import { eventsOf } from "./matched-events.ts";
import { readLog, type ExcusedLine } from "./reading/read-log.ts";
import { isRecovered } from "./recovery.ts";

/** Causes read from lines that no rule knows. */
export function readBeside(known: readonly Applied[], matches: Matches, nothingAchieved: boolean): readonly Applied[] {
  const naming = known.filter(({ layer }) => layer === 3);
  const excused = excusedLines(known, matches);
  const spokenFor = new Set(naming.flatMap(({ events }) => events).map(place));
  const vouched = new Set(known.filter(({ layer }) => layer === 1).flatMap(({ events }) => events.map(place)));
  return readLog(
    matches.errorLines.filter((error) => !spokenFor.has(place(error))),
    {
      isVouched: (line) => vouched.has(place(line)),
      excused,
      isSilent: nothingAchieved && known.length === 0,
    },
  ).map((read) => asApplied(read, matches.rules));
}

/** A vague rule that a reading agrees with speaks for both, in the reading's place: its words are written for the case. */
export function joinSameCause(
  known: readonly Applied[],
  read: readonly Applied[],
  over: ReadonlySet<Applied>,
): readonly Applied[] {
  const layerOf = new Map(read.map(({ rule, layer }) => [rule.cause, layer]));
  const raised = known.map((one) => {
    const layer = layerOf.get(one.rule.cause);
    return layer !== undefined && layer > one.layer && !over.has(one) ? { ...one, layer } : one;
  });
  return [
    ...raised,
    ...read.filter(({ rule, events }) =>
      known.every((one) => one.rule.cause !== rule.cause || (over.has(one) && isBehind(events, one))),
    ),
  ];
}

/** What is said behind a failure that was got over is another one, though of the same cause. */
function isBehind(events: readonly LineEvent[], one: Applied): boolean {
  const until = isRecovered(one) ? one.recoveries : one.events;
  return events.some((event) =>
    until.every((earlier) => earlier.originIndex === event.originIndex && earlier.line < event.line),
  );
}

function place({ originIndex, line }: Pick<LineEvent, "originIndex" | "line">): string {
  return `${originIndex}:${line}`;
}

/** Lines that a rule knows and holds for normal: too few of them, or vetoed. */
function excusedLines(known: readonly Applied[], matches: Matches): readonly ExcusedLine[] {
  const holding = new Set(known.map(({ rule }) => rule.id));
  return matches.rules
    .filter(({ rule }) => rule.kind === "failure" && rule.all === undefined && !holding.has(rule.id))
    .flatMap(({ rule, any }) =>
      eventsOf(any, matches).map(({ originIndex, line }) => ({
        originIndex,
        line,
        cause: rule.kind === "failure" ? rule.cause : "none",
      })),
    );
}
