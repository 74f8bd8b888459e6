import { cutShown, ours, type ShownText } from "./shown-text.ts";

/**
 * The end of an output, of at most `maximum` UTF-16 units beside the mark. It begins behind a line break if one is near (in its
 * first fifth), else at a whole character: output without line breaks must not vanish.
 */
export function endOfText(text: ShownText, maximum: number): ShownText {
  const whole = cutShown.head(text, text.trimEnd().length);
  if (whole.length <= maximum) return whole;
  if (maximum <= 0) return ours`[… cut]`;
  const start = whole.length - maximum;
  const lineBreak = whole.indexOf("\n", start - 1);
  const isNear = lineBreak !== -1 && lineBreak - start < maximum / 5;
  return ours`[… cut]\n${isNear ? cutShown.from(whole, lineBreak + 1) : cutShown.tail(whole, maximum)}`;
}
