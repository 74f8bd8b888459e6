import { cutShown, ours, type ShownText } from "../text/shown-text.ts";
import { keptText } from "./keep-errors.ts";

export function decodeLine(bytes: Buffer): string {
  return bytes.toString("utf8").trimEnd();
}

/** Of a longer line's beginning, where nothing says what matters in it: the innermost error stands at its end. */
const keptHead = 400;
/** And where that is known and stands further on. */
const keptBefore = 150;
/** Little of what stands ahead of it: the innermost error stands behind. */
const keptAhead = 40;
export const keptNear = keptText - keptBefore;

/** Of the end of a statement that is longer: its innermost error. */
const keptReason = 200;

/** A written line end, or what closes a field of JSON. */
function endOfStatement(text: string): number {
  const end = text.search(/\\n|"(?:, "|,"|\}|$)/u);
  return end === -1 ? text.length : end;
}

/** About 600 characters of a line, with what matters in it where its place is known. */
export function shorten(text: ShownText, matters?: number): ShownText {
  if (text.length <= keptText) return text;
  if (matters === undefined) return ours`${cutShown.head(text, keptHead)}…${cutShown.tail(text, keptText - keptHead)}`;
  const start = Math.min(matters - keptAhead, text.length - keptNear);
  if (start <= keptBefore) return ours`${cutShown.head(text, keptText)}…`;
  const rest = cutShown.tail(text, text.length - start);
  const end = Math.max(0, matters - start) + endOfStatement(text.slice(Math.max(matters, start)));
  const near =
    end <= keptNear
      ? cutShown.head(rest, keptNear)
      : ours`${cutShown.head(rest, keptNear - keptReason)}…${cutShown.tail(cutShown.head(rest, end), keptReason)}`;
  return ours`${cutShown.head(text, keptBefore)}…${near}…`;
}
