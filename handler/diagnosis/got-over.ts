import type { Applied } from "./applied.ts";
import { tagOf } from "./bystanders.ts";
import { errorWeight, type ErrorLine } from "./error-lines.ts";
import type { LineEvent } from "./line-event.ts";
import type { Matches } from "./match.ts";
import { isOfSameThing } from "./same-thing.ts";
import { areFirstStarts, isFirstSkip, isPassedBy, isUnderWay } from "./under-way.ts";
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
      const lines = wellLines.get(event.originIndex) ?? [];
      if (isNeedless(event, lines) || lines.some(({ kind, line }) => kind === "settled" && line === event.line))
        return true;
      if (isGoingDown(event, lines) || (rule.cause === "kubeadm-not-run" && areFirstStarts(lines))) return true;
      const said = errorLines.filter(({ originIndex }) => originIndex === event.originIndex);
      return wentOn({ event, layer, isRetryable: !written.test(rule.cause), lines, said });
    })
  );
}

/** What is wrong with what somebody wrote is wrong in each attempt. */
const written = /(?:config|userdata)-invalid$/u;

interface Failed {
  readonly event: LineEvent;
  readonly layer: Applied["layer"];
  readonly isRetryable: boolean;
  /** What went well in its log. */
  readonly lines: readonly WellLine[];
  /** What its log complained of. */
  readonly said: readonly ErrorLine[];
}

function wentOn({ event, layer, isRetryable, lines, said }: Failed): boolean {
  const ends = said.filter(({ weight, line }) => weight === 3 && line > event.line).map(({ line }) => line);
  const behind = lines.filter(({ line }) => line < Math.min(...ends));
  return (
    isOver(event, behind, lines) ||
    isUnderWay(event, { behind, lines, isRetryable }, said) ||
    isFirstSkip(event, said) ||
    (layer < 3 && isPassedBy(event, behind, said))
  );
}

/** A person typed kubectl, which the machine has under another name or which got no answer yet, and then lists a node that is ready. */
function isNeedless({ text, line: failed }: LineEvent, lines: readonly WellLine[]): boolean {
  return (
    /\bkubectl'?:? ?(?:command )?not found|\bconnect(?:ion)? to the server\b|server API group list/iu.test(text) &&
    lines.some(({ kind, line }) => kind === "ready" && line > failed)
  );
}

const linesOfGoingDown = 6;

function isGoingDown({ line: failed }: LineEvent, lines: readonly WellLine[]): boolean {
  return lines.some(({ kind, line }) => kind === "down" && line < failed && line >= failed - linesOfGoingDown);
}

/** Of what was said until a program ended. */
function isOver(event: LineEvent, until: readonly WellLine[], lines: readonly WellLine[]): boolean {
  const behind = until.filter(({ line }) => line >= event.line);
  if (errorWeight(event.text) === 3 && !saysAgain(event.text))
    return isMountedLater(event, behind) || isServingLater(event, behind) || isOnTimeLater(event, lines);
  return behind.some(
    ({ kind, text, line }) =>
      kind === "well" &&
      line > event.line &&
      isOfItsHost(event, text) &&
      (isAnnounced(event, behind, line) ||
        isGeneral(text) ||
        isOfSameThing(event, text) ||
        wasWaitedFor(event, text, lines)),
  );
}

/** It was said before that this is waited for, and what it was waited for in is what failed until then. */
function wasWaitedFor(event: LineEvent, done: string, lines: readonly WellLine[]): boolean {
  return lines.some(
    ({ kind, text, line }) =>
      kind === "again" &&
      line < event.line &&
      /\bwaiting (?:for|until|to)\b/iu.test(text) &&
      isOfSameThing(event, text) &&
      isOfSameThing({ source: event.source, text }, done),
  );
}

/** systemd tries a mount again where something asks for it. */
function isMountedLater({ text, line: failed }: LineEvent, behind: readonly WellLine[]): boolean {
  return (
    text.includes(".mount: ") && behind.some(({ text: later, line }) => line > failed && /\bMounted \//u.test(later))
  );
}

/** A unit that ended was started again, and tells itself that it serves. */
function isServingLater({ text, line: failed }: LineEvent, behind: readonly WellLine[]): boolean {
  const unit = /(?<unit>[\w@-]{2,60})\.service: /u.exec(text)?.groups?.["unit"];
  return (
    unit !== undefined &&
    behind.some(
      ({ kind, text: later, line }) =>
        kind === "well" &&
        line > failed &&
        later.includes(`${unit}[`) &&
        /\bserv(?:e|ing)\b|\blistening\b/iu.test(later),
    )
  );
}

/** The clock was behind, and who ended with it was started again when it had been set: it tells of its steps. */
function isOnTimeLater({ text, line: failed }: LineEvent, lines: readonly WellLine[]): boolean {
  const unit = tagOf(text);
  const begins = /\bis before (?<begins>\d{4}-\d\d-\d\dT[\d:]{8})/u.exec(text)?.groups?.["begins"];
  if (begins === undefined || unit === "") return false;
  return lines.some(({ kind, text: later, line }) => {
    const at = /\b\d{4}-\d\d-\d\dT[\d:]{8}/u.exec(later)?.[0];
    return kind === "step" && line > failed && at !== undefined && at >= begins && tagOf(later) === unit;
  });
}

/** Ansible does the same on many machines: what went well on one says nothing of another. */
function isOfItsHost(event: LineEvent, text: string): boolean {
  const host = /^(?:ok|changed): (?<host>\[[^\]]{1,80}\])/u.exec(text)?.groups?.["host"];
  return host === undefined || event.text.includes(host);
}

/** Between the failure and what went well it is said that it is tried again. */
function isAnnounced(event: LineEvent, behind: readonly WellLine[], end: number): boolean {
  return saysAgain(event.text) || behind.some(({ kind, line }) => kind === "again" && line < end);
}

/** Says of itself that it is over. */
function isGeneral(text: string): boolean {
  return /\brecovered\b|\bafter \d{1,4} (?:more )?(?:attempts|tries|retries)\b|\bafter (?:a )?retry\b|\bok after\b/iu.test(
    text,
  );
}
