import { cutShown, ours, type ShownText } from "../text/shown-text.ts";
import { keptText } from "./keep-errors.ts";

export function decodeLine(bytes: Buffer): string {
  return bytes.toString("utf8").trimEnd();
}

/** Of a longer line's beginning, where nothing says what matters in it: the innermost error stands at its end. */
const keptHead = 400;
/** And where that is known and stands further on. */
const keptBefore = 150;
const keptNear = 300;

/** About 600 characters of a line, with what matters in it where that is known. */
export function shorten(text: ShownText, matters: readonly string[] = []): ShownText {
  if (text.length <= keptText) return text;
  const ends = matters.map((one) => text.lastIndexOf(one) + one.length).filter((end) => end > 0);
  const end = Math.max(0, ...ends);
  if (end === 0) return ours`${cutShown.head(text, keptHead)}…${cutShown.tail(text, keptText - keptHead)}`;
  if (end <= keptText) return ours`${cutShown.head(text, keptText)}…`;
  const near = cutShown.tail(text, text.length - end + keptNear);
  return ours`${cutShown.head(text, keptBefore)}…${cutShown.head(near, keptText - keptBefore)}…`;
}
