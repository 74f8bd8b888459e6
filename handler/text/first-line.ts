import { withoutEnd } from "./cut-text.ts";
import { firstLineLimit, lineOf, shortened, shortestNext } from "./first-line-parts.ts";
import { lineWithQuotation } from "./quoting-line.ts";
import { cutShown, ours, type ShownText } from "./shown-text.ts";

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
 * stands whole in the body), then the summary, each cut at a word and marked. What somebody is quoted with keeps its innermost error, or
 * is left out.
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
  const shortNext = shortened(next, nextRoom);
  if (summary.length + shortNext.length <= room) return lineOf(head, summary, shortNext);
  return (
    lineWithQuotation({ head, summary, next }, (alone) => firstLine({ head, summary: alone, nextStep: next })) ??
    cutShown.atWord(lineOf(head, cutShown.atWord(summary, room - shortNext.length), shortNext), firstLineLimit)
  );
}

/** Without the full stop at its end. */
export function trimStop(text: ShownText): ShownText {
  return cutShown.head(text, withoutEnd(text, ". ").length);
}
