import type { Applied } from "./applied.ts";
import type { ErrorLine } from "./error-lines.ts";
import type { LineEvent } from "./line-event.ts";
import type { Matches } from "./match.ts";
import { secondsBetween } from "./timestamp.ts";
import type { WellLine } from "./went-well.ts";

/** Lines around a reason in which it is told that its step failed: a log tells it above the reason, or behind it as it ends. */
const linesOfStep = { above: 8, behind: 3 } as const;

/** That a step failed is over where its reason, a few lines off and in the same attempt, is. */
export function withoutStepsOf(
  past: readonly Applied[],
  standing: readonly Applied[],
  { wellLines, errorLines }: Pick<Matches, "wellLines" | "errorLines">,
): readonly Applied[] {
  const reasons = past.flatMap(({ events }) => events);
  const isOver = (event: LineEvent): boolean =>
    reasons.some(
      (reason) =>
        reason.originIndex === event.originIndex &&
        reason.line <= endOfPart(event, errorLines) &&
        isOfReason(event, reason, wellLines.get(event.originIndex) ?? []),
    );
  return standing.filter(({ layer, events }) => layer > 1 || events.length === 0 || !events.every(isOver));
}

/** What another command showed is of another step. */
function endOfPart({ originIndex, line }: LineEvent, errorLines: readonly ErrorLine[]): number {
  return errorLines.find((one) => one.originIndex === originIndex && one.line === line)?.endLine ?? Infinity;
}

function isOfReason(
  { line: step, time: told }: LineEvent,
  { line: reason, time }: LineEvent,
  well: readonly WellLine[],
): boolean {
  // What failed later is another thing.
  if (told !== undefined && time !== undefined && secondsBetween(told, time) > 0) return false;
  if (reason >= step) return reason - step <= linesOfStep.above;
  return (
    step - reason <= linesOfStep.behind &&
    !well.some(({ kind, line }) => kind === "well" && line > reason && line < step)
  );
}
