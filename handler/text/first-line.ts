import { withoutEnd } from "./cut-text.ts";
import { cutShown, joinShown, ours, type ShownText } from "./shown-text.ts";

/** The portal and most clients show little more than this of a status message; kubectl shows it whole. */
export const firstLineLimit = 200;

/** Room that the next step keeps, however long the summary is. */
const shortestNext = 40;

export interface FirstLine {
  /** "Bootstrap failed (DnsResolutionFailed) in kubeadm join after 74 s" */
  readonly head: ShownText;
  /** What happened; a sentence without its full stop. */
  readonly summary: ShownText;
  /** What to do; a sentence without its full stop. */
  readonly nextStep: ShownText;
  /** The summary gives way last, also where nothing of the next step is left: it stands whole in the body. */
  readonly keepSummary?: boolean;
}

/**
 * "<head>: <summary>. Next: <next step>." within 200 characters. When it is too long the next step gives way first (it
 * stands whole in the body), then the summary, each cut at a word and marked.
 */
export function firstLine(parts: FirstLine): ShownText {
  const head = cutShown.oneLine(parts.head);
  const summary = trimStop(cutShown.oneLine(parts.summary));
  const next = trimStop(cutShown.oneLine(parts.nextStep));
  const whole = ours`${head}: ${summary}. Next: ${next}.`;
  if (whole.length <= firstLineLimit) return whole;
  const room = firstLineLimit - `${head}: . Next: .`.length;
  if (parts.keepSummary === true && room - summary.length < shortestNext) {
    return cutShown.atWord(ours`${head}: ${summary}.`, firstLineLimit);
  }
  const nextRoom = Math.max(Math.min(next.length, shortestNext), room - summary.length);
  const shortNext = firstClause(next, nextRoom) ?? cutShown.atWord(next, nextRoom);
  const shortSummary = cutShown.atWord(summary, room - shortNext.length);
  return cutShown.atWord(ours`${head}: ${sentence(shortSummary)} Next: ${sentence(shortNext)}`, firstLineLimit);
}

/** A text that was cut ends in its mark, and needs no full stop. */
function sentence(text: ShownText): ShownText {
  return text.endsWith("…") ? text : joinShown([text, ours`.`], "");
}

/** "Correct the DNS of the network: AzureCluster spec…" → the part before the colon, when it fits and still says something. */
function firstClause(text: ShownText, limit: number): ShownText | undefined {
  const end = text.search(/[:;.](?:\s|$)|, (?:or|and|then|else|by)\b| \(/u);
  return end >= 12 && end <= limit ? cutShown.head(text, end) : undefined;
}

/** Without the full stop at its end. */
export function trimStop(text: ShownText): ShownText {
  return cutShown.head(text, withoutEnd(text, ". ").length);
}
