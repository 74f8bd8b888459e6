import { beforeSpeaker, keepFact, leastFact, quotationOf, shortFrame } from "./said.ts";
import { withoutEnd } from "./cut-text.ts";
import { cutShown, joinShown, ours, type ShownText } from "./shown-text.ts";

/** The portal and most clients show little more than this of a status message; kubectl shows it whole. */
export const firstLineLimit = 200;

/** Room that the next step keeps, however long the summary is. */
const shortestNext = 40;
/** What it keeps where the fact would be lost otherwise. */
const leastNext = 24;

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
    lineWithQuotation(head, summary, next) ??
    cutShown.atWord(lineOf(head, cutShown.atWord(summary, room - shortNext.length), shortNext), firstLineLimit)
  );
}

/** The frame and the next step give way before what is quoted does. */
function lineWithQuotation(head: ShownText, summary: ShownText, next: ShownText): ShownText | undefined {
  const quotation = quotationOf(summary);
  if (quotation === undefined) return undefined;
  const { frame, said, close, isSpoken } = quotation;
  const who = shortFrame(quotation);
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
  return isSpoken && alone !== "" ? firstLine({ head, summary: alone, nextStep: next }) : undefined;
}

function lineOf(head: ShownText, summary: ShownText, next: ShownText): ShownText {
  return ours`${head}: ${sentence(summary)} Next: ${sentence(next)}`;
}

function shortened(text: ShownText, limit: number): ShownText {
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

/** Without the full stop at its end. */
export function trimStop(text: ShownText): ShownText {
  return cutShown.head(text, withoutEnd(text, ". ").length);
}
