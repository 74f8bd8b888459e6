import type { ErrorLine } from "./error-lines.ts";
import { errorWeight, shapeOf } from "./error-lines.ts";
import type { LineEvent } from "./line-event.ts";
import { excerptLines } from "./reading/passing.ts";
import { readStatement } from "./reading/statement.ts";
import { isOfSameThing } from "./same-thing.ts";
import { isStep, type WellLine } from "./went-well.ts";

/** Complaints up to which an attempt is one of the first. */
const fewTimes = 2;

function isOften({ line }: LineEvent, said: readonly ErrorLine[]): boolean {
  return said.some((one) => one.line === line && one.count > fewTimes);
}

/** Lines behind a failure within which its program says when it tries again. */
const linesOfWait = 4;

/** Of what was said until a program ended, and of what was said in all. */
interface Told {
  readonly behind: readonly WellLine[];
  readonly lines: readonly WellLine[];
  /** Whether another attempt may bring something else. */
  readonly isRetryable: boolean;
}

/**
 * Whether the log ends while what failed once or twice is tried again, or its program waits for that: what ended before it
 * says so was a helper.
 */
export function isUnderWay(
  event: LineEvent,
  { behind, lines, isRetryable }: Told,
  said: readonly ErrorLine[],
): boolean {
  if (errorWeight(event.text) === 3) return false;
  if (isRetryable && isFirstAttempt(event, lines, said)) return true;
  const later = behind.filter(({ line }) => line > event.line);
  if (later.some(({ kind, text }) => kind === "attempt" && isOfSameThing(event, text))) return true;
  if (isOften(event, said)) return false;
  return (
    later.some(({ kind, text }) => kind === "started" && isOfSameThing(event, text)) ||
    lines.some(({ kind, line }) => kind === "wait" && line > event.line && line <= event.line + linesOfWait)
  );
}

/** Attempts, and seconds of one that waits long for an answer, up to which it is one of the first. */
const firstAttempts = 5;
const firstSeconds = 55;

const attemptNumber = /\battempts? ?[#:]? ?(?<number>\d{1,6})$/iu;

/** Whether the log complains once or twice in all, of what its program counts and has not tried for long. */
function isFirstAttempt(event: LineEvent, lines: readonly WellLine[], said: readonly ErrorLine[]): boolean {
  // Who is refused for good does not ask again.
  if (errorWeight(event.text) !== 1 || said.some(({ weight }) => weight === 3)) return false;
  const complaints = said.reduce((sum, { count }) => sum + count, 0);
  if (complaints > fewTimes || said.some(({ logLines }) => logLines <= excerptLines)) return false;
  const waited = /\[(?<seconds>\d{1,4})\/\d{1,4}s\]/u.exec(event.text)?.groups?.["seconds"];
  if (waited !== undefined) return Number(waited) < firstSeconds;
  const attempts = lines.flatMap(({ text }) => attemptNumber.exec(text)?.groups?.["number"] ?? []);
  return attempts.length > 0 && Number(attempts.at(-1)) <= firstAttempts;
}

/** Starts of a kubelet, ten seconds apart, before kubeadm has written what it needs. */
const firstStarts = 20;

/** Whether systemd has started the kubelet again, and not for minutes yet: until kubeadm runs that is how it waits. */
export function areFirstStarts(lines: readonly WellLine[]): boolean {
  const last = lines.findLast(({ kind }) => kind === "restart")?.text;
  const times = /restart counter is at (?<times>\d{1,6})/u.exec(last ?? "")?.groups?.["times"];
  return times !== undefined && Number(times) < firstStarts;
}

const skip = "kipping pod synchronization";
/** Its runtime told of pods before; the other time is that of one that never did. */
const toldBefore = /pleg was last seen active (?!2562047h)/iu;
/** The kubelet looks at its runtime after 0.1, 0.2, 0.4 s and so on: who skipped its pods so often has run for about as many seconds. */
const firstSkips = 6;

/** Whether the kubelet only held its pods back in its first seconds. */
export function isFirstSkip({ text }: LineEvent, said: readonly ErrorLine[]): boolean {
  if (!text.includes(skip) || toldBefore.test(text)) return false;
  const skips = said.filter((one) => one.text.includes(skip));
  return skips.reduce((sum, { count }) => sum + count, 0) <= firstSkips;
}

/** At a logger's own level for what went wrong. */
const levelled =
  /\blevel=(?:warn|error)|"level": ?"(?:warn|error)|\b(?:WARN|ERRO)\[|(?:^|[\s:\]])[EW]\d{4} \d\d:|\[(?:WARNING|ERROR)\]\[/u;
/** What a program says at such a level and needs all the same. */
const needed = /failed to load plugin|\bexited\b/iu;

/**
 * Whether a program that starts went on to a step that it had not told of before, and complained no more. The kubelet goes
 * on whatever fails; others say at their worst level what they cannot do without.
 */
export function isPassedBy(event: LineEvent, lines: readonly WellLine[], said: readonly ErrorLine[]): boolean {
  const { program, severity } = readStatement(event.text, event.source);
  if (program === "kubelet" || severity === "end" || isOften(event, said)) return false;
  if (!levelled.test(event.text) || needed.test(event.text)) return false;
  const last = Math.max(...said.map(({ lastLine }) => lastLine));
  const steps = lines.filter(({ kind, text }) => kind === "step" || (kind === "well" && isStep(text)));
  const before = new Set(steps.filter(({ line }) => line < event.line).map(({ text }) => shapeOf(text)));
  return steps.some(
    ({ text, line }) =>
      line > last && !before.has(shapeOf(text)) && readStatement(text, event.source).program === program,
  );
}
