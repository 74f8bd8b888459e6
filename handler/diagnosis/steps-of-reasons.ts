import type { Applied } from "./applied.ts";
import type { LineEvent } from "./line-event.ts";
import type { WellLine } from "./went-well.ts";

/** Lines around a reason in which it is told that its step failed: a log tells it above the reason, or behind it as it ends. */
const linesOfStep = { above: 8, behind: 3 } as const;

/** That a step failed is over where its reason, a few lines off and in the same attempt, is. */
export function withoutStepsOf(
  past: readonly Applied[],
  standing: readonly Applied[],
  wellLines: ReadonlyMap<number, readonly WellLine[]>,
): readonly Applied[] {
  const reasons = past.flatMap(({ events }) => events);
  const isOver = (event: LineEvent): boolean =>
    reasons.some(
      (reason) =>
        reason.originIndex === event.originIndex && isOfReason(event, reason, wellLines.get(event.originIndex) ?? []),
    );
  return standing.filter(({ layer, events }) => layer > 1 || events.length === 0 || !events.every(isOver));
}

function isOfReason({ line: step }: LineEvent, { line: reason }: LineEvent, well: readonly WellLine[]): boolean {
  if (reason >= step) return reason - step <= linesOfStep.above;
  return step - reason <= linesOfStep.behind && !well.some(({ line }) => line > reason && line < step);
}
