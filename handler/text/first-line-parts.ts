import { cutShown, joinShown, ours, type ShownText } from "./shown-text.ts";

/** The portal and most clients show little more than this of a status message; kubectl shows it whole. */
export const firstLineLimit = 200;

/** Room that the next step keeps, however long the summary is. */
export const shortestNext = 40;

export function lineOf(head: ShownText, summary: ShownText, next: ShownText): ShownText {
  return ours`${head}: ${sentence(summary)} Next: ${sentence(next)}`;
}

export function shortened(text: ShownText, limit: number): ShownText {
  return text.length <= limit ? text : (firstClause(text, limit) ?? cutShown.atWord(text, limit));
}

/** A text that was cut ends in its mark, and needs no full stop. */
function sentence(text: ShownText): ShownText {
  return text.endsWith("…") ? text : joinShown([text, ours`.`], "");
}

/** "Correct the DNS of the network: AzureCluster spec…" → the part before the colon, when it fits and still says something. */
function firstClause(text: ShownText, limit: number): ShownText | undefined {
  const end = text.search(/[:;.](?:\s|$)|, (?:or|and|then|else|by|from)\b| \(/u);
  return end >= 12 && end <= limit ? cutShown.head(text, end) : undefined;
}
