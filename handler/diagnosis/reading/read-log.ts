import { show } from "../../text/shown-text.ts";
import type { Cause } from "../causes.ts";
import { reasonOfCause } from "../causes.ts";
import { describeReason } from "../../reasons/reasons.ts";
import type { ErrorLine } from "../error-lines.ts";
import type { LineEvent } from "../line-event.ts";
import type { FailureRule, ShippedPattern } from "../rule.ts";
import { lineTime } from "../timestamp.ts";
import type { Kind } from "./kinds.ts";
import { counts, excerptLines, isAlmostAll, onlyCause, timesOfCauses } from "./passing.ts";
import { programs, type Program } from "./programs.ts";
import { readLines, type ReadErrorLine } from "./read-lines.ts";

/** A cause that failing lines speak of by their form, in the shape of a rule that applies. */
export interface ReadCause {
  readonly rule: FailureRule<ShippedPattern>;
  readonly events: readonly LineEvent[];
  /** The lines say only which step failed. */
  readonly general: boolean;
}

/** What the rules make of the same log. */
export interface Beside {
  /** A rule says that this line is a failure, and not why. */
  readonly isVouched: (line: ErrorLine) => boolean;
  readonly excused: readonly ExcusedLine[];
  /** No rule names a failure or a sign of success. */
  readonly isSilent: boolean;
}

/** A line that a rule of this cause knows and holds for normal. */
export interface ExcusedLine {
  readonly originIndex: number;
  readonly line: number;
  readonly cause: string;
}

/** Who asks for the status of a unit that is started over and over has waited for it. */
const startsOver = /\bActive: activating \(auto-restart\) \(Result: (?!success)/u;

function isInStatus({ error, reading }: ReadErrorLine, lines: readonly ErrorLine[]): boolean {
  return (
    reading.cause === "kubeadm-not-run" &&
    lines.some(({ originIndex, text }) => originIndex === error.originIndex && startsOver.test(text))
  );
}

/** An end that follows from a normal line is normal as well. */
const excuseLines = 12;

function isExcused({ error, reading }: ReadErrorLine, excused: readonly ExcusedLine[]): boolean {
  if (error.logLines <= excerptLines || isRefusal(reading) || isShownForIt({ error, reading })) return false;
  const near = excused.filter(
    (one) =>
      one.originIndex === error.originIndex && one.line <= error.line + 1 && one.line >= error.firstLine - excuseLines,
  );
  return reading.general ? near.length > 0 : near.some(({ cause }) => cause === reading.cause);
}

/** Nobody answers, which no first start explains, and somebody left out all that stood around it. */
function isShownForIt({ error, reading }: ReadErrorLine): boolean {
  return error.keptAlone === true && (reading.kind === "no-route" || reading.kind === "timed-out");
}

/** Who ended with it does not try again: what was told no, or may not be run here. */
function isRefusal({ kind, statement }: ReadErrorLine["reading"]): boolean {
  return statement.severity === "end" && kind !== undefined && refusals.has(kind);
}

const refusals: ReadonlySet<Kind> = new Set<Kind>(["unauthorized", "forbidden", "denied"]);

/** What the failing lines say, one entry per cause, the most telling first. */
export function readLog(lines: readonly ErrorLine[], beside: Beside): readonly ReadCause[] {
  const read = readLines(lines).flatMap(({ error, reading }) => {
    return reading === undefined || (reading.statement.severity === "info" && error.weight < 3)
      ? []
      : [{ error, reading }];
  });
  const times = timesOfCauses(read);
  const counted = read
    .filter((one) => isAlmostAll(one, times) || isInStatus(one, lines) || !isExcused(one, beside.excused))
    .filter(
      (one) =>
        (beside.isVouched(one.error) && !one.reading.general) || counts(one, lines, times.get(one.reading.cause)),
    );
  const said = counted.length > 0 || !beside.isSilent ? counted : onlyCause(read, times);
  const best = Map.groupBy(said, ({ reading }) => reading.cause);
  return [...best]
    .map(([cause, said]) => toReadCause(cause, said))
    .toSorted(
      (a, b) =>
        Number(a.general) - Number(b.general) || b.rule.specificity - a.rule.specificity || lineOf(a) - lineOf(b),
    );
}

const weightScore = { 3: 6, 2: 3, 1: 0 } as const;

function toReadCause(cause: Cause, said: readonly ReadErrorLine[]): ReadCause {
  const precise = said.filter(({ reading }) => !reading.general);
  const shown = precise.length > 0 ? precise : said;
  const newest = shown.toSorted((a, b) => a.error.weight - b.error.weight || a.error.line - b.error.line).at(-1);
  const weight = Math.max(...shown.map(({ error }) => error.weight)) as ErrorLine["weight"];
  const general = precise.length === 0;
  const program = newest?.reading.statement.program;
  const known = describeReason(reasonOfCause[cause]);
  if (known === undefined) throw new Error(`the table of reasons lacks ${reasonOfCause[cause]}`);
  const rule: FailureRule<ShippedPattern> = {
    kind: "failure",
    id: `reading-${cause}`,
    cause,
    reason: reasonOfCause[cause],
    platforms: ["linux", "windows"],
    stage: program === undefined ? "any" : programs[program],
    sources: "any",
    any: [],
    specificity:
      (general
        ? generalWeight(program) + (shown.some(isEnd) ? 2 : 0)
        : Math.max(...shown.map(({ reading }) => reading.weight))) + weightScore[weight],
    ...(explained[cause] !== undefined && { explains: explained[cause] }),
    confidence: general || weight === 1 ? "low" : "medium",
    retryable: known.retryable,
    blame: known.blame,
    title: known.meaning,
    summary: `${known.meaning}; {program|the log} says: {said}`,
    explanation: known.meaning,
    nextStep: known.nextStep,
    references: known.references,
  };
  return { rule, general, events: shown.map(toEvent).toSorted(byPlace) };
}

function isEnd({ reading }: ReadErrorLine): boolean {
  return reading.statement.severity === "end";
}

/** Above what says only that a script or a unit ended; those two themselves below everything. */
function generalWeight(program: Program | undefined): number {
  return program === "cloud-init" || program === "systemd" ? 1 : 18;
}

function byPlace(a: LineEvent, b: LineEvent): number {
  return a.originIndex - b.originIndex || a.line - b.line;
}

function toEvent({ error, reading }: ReadErrorLine): LineEvent {
  const { source, origin, originIndex, line, fileLine, text, whole } = error;
  const time = lineTime(whole);
  const { program, message } = reading.statement;
  const groups = { said: show(endOf(message)), ...(program !== undefined && { program: show(program) }) };
  const event = { source, origin, originIndex, line, fileLine, text, groups };
  return time === undefined ? event : { ...event, time };
}

const longestQuote = 100;

/** There stands the innermost error. */
function endOf(message: string): string {
  return message.length > longestQuote ? `…${message.slice(-longestQuote)}` : message;
}

function lineOf({ events }: ReadCause): number {
  return Math.min(...events.map((event) => event.line));
}

/** What follows from a cause further on. */
const explained: Partial<Record<Cause, readonly Cause[]>> = {
  "dns-resolution-failed": ["package-not-found", "http-download-failed", "image-pull-failed", "join-timeout-unknown"],
  "http-download-failed": ["package-not-found", "preflight-binary-missing"],
  "proxy-misconfigured": ["http-download-failed", "image-pull-timeout"],
  "outbound-connectivity-blocked": ["apt-repository-failed", "http-download-failed", "image-pull-timeout"],
  "unsupported-os": ["container-runtime-not-running"],
  "disk-mount-failed": ["etcd-unhealthy", "datastore-failed"],
};
