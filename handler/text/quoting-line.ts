import { firstLineLimit, lineOf, shortened, shortestNext } from "./first-line-parts.ts";
import { beforeSpeaker, keepFact, leastFact, quotationOf, shortFrame } from "./said.ts";
import { ours, type ShownText } from "./shown-text.ts";

/** What the next step keeps where the fact would be lost otherwise. */
const leastNext = 24;

interface Parts {
  readonly head: ShownText;
  readonly summary: ShownText;
  readonly next: ShownText;
}

/** The frame and the next step give way before what is quoted does; `withSummary` makes the line where nothing is left of the quotation. */
export function lineWithQuotation(
  { head, summary, next }: Parts,
  withSummary: (summary: ShownText) => ShownText,
): ShownText | undefined {
  const quotation = quotationOf(summary);
  if (quotation === undefined) return undefined;
  const { frame, said, close, isSpoken } = quotation;
  // What a wait was for is worth more than what was said last.
  const who = frame.includes("still running: ") ? frame : shortFrame(quotation);
  const middle = shortened(next, shortestNext);
  const least = shortened(next, leastNext);
  const room = (before: ShownText, step: ShownText): number =>
    firstLineLimit - lineOf(head, ours`${before}${close}`, step).length;
  const tries = [
    { before: frame, step: middle, enough: said.length },
    { before: who, step: middle, enough: said.length },
    { before: frame, step: middle, enough: 3 * leastFact },
    { before: who, step: middle, enough: 2 * leastFact },
    { before: who, step: least, enough: Math.min(said.length, 2 * leastFact) },
    { before: who, step: middle, enough: leastFact },
    { before: who, step: least, enough: leastFact },
  ];
  const fits = tries.find(({ before, step, enough }) => room(before, step) >= enough);
  if (fits !== undefined) {
    const quoted = ours`${fits.before}${keepFact(said, room(fits.before, fits.step))}${close}`;
    const left = firstLineLimit - lineOf(head, quoted, ours``).length;
    return lineOf(head, quoted, left > fits.step.length ? shortened(next, left) : fits.step);
  }
  const alone = beforeSpeaker(quotation);
  return isSpoken && alone !== "" ? withSummary(alone) : undefined;
}
