import { headOf } from "./cut-text.ts";

/** The portal and most clients show little more than this of a status message; kubectl shows it whole. */
export const firstLineLimit = 200;

/** Room that the next step keeps, however long the summary is. */
const shortestNext = 40;

export interface FirstLine {
  /** "Bootstrap failed (DnsResolutionFailed) in kubeadm join after 74 s" */
  readonly head: string;
  /** What happened; a sentence without its full stop. */
  readonly summary: string;
  /** What to do; a sentence without its full stop. */
  readonly nextStep: string;
}

/**
 * "<head>: <summary>. Next: <next step>." within 200 characters. When it is too long the next step gives way first (it
 * stands whole in the body), then the summary, each cut at a word and marked.
 */
export function firstLine(parts: FirstLine): string {
  const head = oneLine(parts.head);
  const summary = trimStop(oneLine(parts.summary));
  const next = trimStop(oneLine(parts.nextStep));
  const whole = `${head}: ${summary}. Next: ${next}.`;
  if (whole.length <= firstLineLimit) return whole;
  const room = firstLineLimit - `${head}: . Next: .`.length;
  const nextRoom = Math.max(Math.min(next.length, shortestNext), room - summary.length);
  const shortNext = firstClause(next, nextRoom) ?? cutAtWord(next, nextRoom);
  const shortSummary = cutAtWord(summary, room - shortNext.length);
  return `${head}: ${sentence(shortSummary)} Next: ${sentence(shortNext)}`;
}

/** A text that was cut ends in its mark, and needs no full stop. */
function sentence(text: string): string {
  return text.endsWith("…") ? text : `${text}.`;
}

/** "Correct the DNS of the network: AzureCluster spec…" → the part before the colon, when it fits and still says something. */
function firstClause(text: string, limit: number): string | undefined {
  const end = text.search(/[:;.](?:\s|$)|, (?:or|and|then|else|by)\b| \(/u);
  return end >= 12 && end <= limit ? text.slice(0, end) : undefined;
}

/** Cuts at the last word that fits and marks the cut; never splits a surrogate pair. */
export function cutAtWord(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = headOf(text, Math.max(0, limit - 1));
  const blank = kept.lastIndexOf(" ");
  const body = blank > limit / 4 ? kept.slice(0, blank) : kept;
  return `${withoutEnd(body, " ,;:.")}…`;
}

/** Without the given characters at its end. Not a regular expression: those are not linear at the end of a text. */
function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}

function trimStop(text: string): string {
  return withoutEnd(text, ". ");
}
