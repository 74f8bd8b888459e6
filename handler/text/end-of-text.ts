const mark = "[… cut]\n";

/**
 * The end of an output, of at most `maximum` UTF-16 units beside the mark. It begins behind a line break if one is near (in its
 * first fifth), else at a whole character: output without line breaks must not vanish.
 */
export function endOfText(text: string, maximum: number): string {
  const trimmed = text.trimEnd();
  if (trimmed.length <= maximum) return trimmed;
  if (maximum <= 0) return mark.trimEnd();
  const start = trimmed.length - maximum;
  const lineBreak = trimmed.indexOf("\n", start - 1);
  if (lineBreak !== -1 && lineBreak - start < maximum / 5) return mark + trimmed.slice(lineBreak + 1);
  const first = trimmed.charCodeAt(start);
  const splitsPair = first >= 0xdc00 && first <= 0xdfff;
  return mark + trimmed.slice(splitsPair ? start + 1 : start);
}
