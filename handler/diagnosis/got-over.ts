import type { Applied } from "./applied.ts";
import { errorWeight } from "./error-lines.ts";
import type { LineEvent } from "./line-event.ts";
import type { Matches } from "./match.ts";
import { readStatement } from "./reading/statement.ts";
import { isOfSameThing } from "./same-thing.ts";
import {
  areFirstStarts,
  isAskedAgain,
  isOfScript,
  isFirstSkip,
  isHandedOn,
  isPassedBy,
  isUnderWay,
} from "./under-way.ts";
import { saysAgain, type WellLine } from "./went-well.ts";

/**
 * Whether a short log shows that what failed went well in the end: behind every line of the failure it tells of the same
 * thing that it is done, or of anything where it had said that it tries again; or that it has not come to an end yet. What
 * a program ended with is not got over.
 */
export function isGotOver(
  { rule, events, layer }: Applied,
  { wellLines, errorLines }: Pick<Matches, "wellLines" | "errorLines">,
): boolean {
  return (
    events.length > 0 &&
    events.every((event) => {
      const lines = (wellLines.get(event.originIndex) ?? []).filter(({ line, reach }) => line - event.line <= reach);
      if (isNeedless(event, lines)) return true;
      if (isGoingDown(event, lines) || (rule.cause === "kubeadm-not-run" && areFirstStarts(lines))) return true;
      const said = errorLines.filter(({ originIndex }) => originIndex === event.originIndex);
      const end = Math.min(
        ...said.filter(({ weight, line }) => weight === 3 && line > event.line).map(({ line }) => line),
      );
      const behind = lines.filter(({ line }) => line < end);
      return (
        isOver(event, behind) ||
        isHandedOn(event, behind, said) ||
        isAskedAgain(event, behind, said) ||
        isUnderWay(event, { behind, lines }, said) ||
        isFirstSkip(event, said) ||
        (layer < 3 && isPassedBy(event, behind, said))
      );
    })
  );
}

/** A person typed kubectl, the machine has it under another name, and that one lists a node that is ready. */
function isNeedless({ text, line: failed }: LineEvent, lines: readonly WellLine[]): boolean {
  return (
    /\bkubectl'?:? ?(?:command )?not found/iu.test(text) &&
    lines.some(({ kind, line }) => kind === "ready" && line > failed)
  );
}

const linesOfGoingDown = 6;

function isGoingDown({ line: failed }: LineEvent, lines: readonly WellLine[]): boolean {
  return lines.some(({ kind, line }) => kind === "down" && line < failed && line >= failed - linesOfGoingDown);
}

/** Of what was said until a program ended. */
function isOver(event: LineEvent, lines: readonly WellLine[]): boolean {
  const behind = lines.filter(({ line }) => line >= event.line);
  if (errorWeight(event.text) === 3 && !saysAgain(event.text)) return isMountedLater(event, behind);
  return behind.some(
    ({ kind, text, line }) =>
      kind === "well" &&
      line > event.line &&
      (isAnnounced(event, behind, line) || isGeneral(text) || isOfSameThing(event, text)),
  );
}

/** systemd tries a mount again where something asks for it. */
function isMountedLater({ text, line: failed }: LineEvent, behind: readonly WellLine[]): boolean {
  return (
    text.includes(".mount: ") && behind.some(({ text: later, line }) => line > failed && /\bMounted \//u.test(later))
  );
}

/** Between the failure and what went well it is said that it is tried again. */
function isAnnounced(event: LineEvent, behind: readonly WellLine[], end: number): boolean {
  const isAgain = ({ kind, line, text, reach }: WellLine): boolean =>
    line < end && (kind === "slept" || (kind === "again" && (reach === Infinity || isOfSame(event, text))));
  return saysAgain(event.text) || behind.some(isAgain);
}

/** In a long log another program tries again as well. */
function isOfSame(event: LineEvent, text: string): boolean {
  const speaker = (line: string): string => {
    const { program } = readStatement(line, event.source);
    return program === undefined || isOfScript(program) ? "script" : program;
  };
  return speaker(event.text) === speaker(text) || isOfSameThing(event, text);
}

/** Says of itself that it is over. */
function isGeneral(text: string): boolean {
  return /\brecovered\b|\bafter \d{1,4} (?:more )?(?:attempts|tries|retries)\b|\bafter (?:a )?retry\b|\bok after\b/iu.test(
    text,
  );
}
