import { show } from "../../text/shown-text.ts";
import type { Cause } from "../causes.ts";
import { reasonOfCause } from "../causes.ts";
import { describeReason } from "../../reasons/reasons.ts";
import type { Stage } from "../diagnosis.ts";
import type { ErrorLine } from "../error-lines.ts";
import type { LineEvent } from "../open-log.ts";
import type { FailureRule, ShippedPattern } from "../rule.ts";
import { lineTime } from "../timestamp.ts";
import { programs, type Program } from "./programs.ts";
import { readMessage, type Reading } from "./read-line.ts";
import { readStatement } from "./statement.ts";

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

/** Lines of a log that somebody cut out because these say it: there is no before and no behind. */
const excerptLines = 4;

/** An end that follows from a normal line is normal as well. */
const excuseLines = 12;

function isExcused({ error, reading }: ReadErrorLine, excused: readonly ExcusedLine[]): boolean {
  if (error.logLines <= excerptLines) return false;
  const near = excused.filter(
    (one) =>
      one.originIndex === error.originIndex && one.line <= error.line + 1 && one.line >= error.firstLine - excuseLines,
  );
  return reading.general ? near.length > 0 : near.some(({ cause }) => cause === reading.cause);
}

interface ReadErrorLine {
  readonly error: ErrorLine;
  readonly reading: Reading;
}

/** Lines before and behind a program's end in which it says why. */
const reasonLines = { before: 30, behind: 14 } as const;
/** An error in passing must stand in the last part of its log: what went on without it is over it. */
const lastPart = 0.7;
/** An error in passing that comes this often, to the end of the log, is no longer in passing. */
const lasting = 3;
/** A share of a log's lines above which a message is all that the log has to say. */
const nothingElse = 1 / 3;
/** And one above which even what is normal in passing is what the log was kept for. */
const almostAll = 1 / 2;

/** What the failing lines say, one entry per cause, the most telling first. */
export function readLog(lines: readonly ErrorLine[], beside: Beside): readonly ReadCause[] {
  const read = readLines(lines).flatMap(({ error, reading }) => {
    return reading === undefined || (reading.statement.severity === "info" && error.weight < 3)
      ? []
      : [{ error, reading }];
  });
  const times = timesOfCauses(read);
  const counted = read
    .filter((one) => isAlmostAll(one, times) || !isExcused(one, beside.excused))
    .filter(
      (one) =>
        (beside.isVouched(one.error) && !one.reading.general) ||
        counts(one, lines, times.get(one.reading.cause)?.count ?? 0),
    );
  const said = counted.length > 0 || !beside.isSilent ? counted : onlyCause(read);
  const best = Map.groupBy(said, ({ reading }) => reading.cause);
  return [...best]
    .map(([cause, said]) => toReadCause(cause, said))
    .toSorted(
      (a, b) =>
        Number(a.general) - Number(b.general) || b.rule.specificity - a.rule.specificity || lineOf(a) - lineOf(b),
    );
}

/** Programs that speak of what others do, or that any log has. */
const everywhere: ReadonlySet<Program> = new Set<Program>([
  "systemd",
  "kernel",
  "shell",
  "powershell",
  "download",
  "apt",
  "yum",
]);

/** Each line with its reading; one that does not name its program is of the only program that its log speaks of. */
function readLines(
  lines: readonly ErrorLine[],
): readonly { readonly error: ErrorLine; readonly reading: Reading | undefined }[] {
  const stated = lines.map((error) => ({ error, statement: readStatement(error.whole, error.source) }));
  const known = new Map<number, Set<Program>>();
  for (const { error, statement } of stated) {
    if (statement.program === undefined || everywhere.has(statement.program)) continue;
    known.set(error.originIndex, (known.get(error.originIndex) ?? new Set()).add(statement.program));
  }
  return stated.map(({ error, statement }) => {
    const [program, ...more] = known.get(error.originIndex) ?? [];
    const isOnly = statement.program === undefined && program !== undefined && more.length === 0;
    return { error, reading: readMessage(isOnly ? { ...statement, program } : statement) };
  });
}

function isAlmostAll({ reading }: ReadErrorLine, times: ReadonlyMap<Cause, Times>): boolean {
  return !reading.general && times.get(reading.cause)?.isAlmostAll === true;
}

interface Times {
  readonly count: number;
  readonly isAlmostAll: boolean;
}

/** How often each cause is spoken of; often enough where the log says hardly anything else. */
function timesOfCauses(read: readonly ReadErrorLine[]): ReadonlyMap<Cause, Times> {
  const times = new Map<Cause, Times>();
  for (const [cause, said] of Map.groupBy(read, ({ reading }) => reading.cause)) {
    const count = said.reduce((sum, { error }) => sum + (error.weight === 1 ? error.count : lasting), 0);
    const lines = Math.max(...said.map(({ error }) => error.logLines));
    const isAll = count >= 2 && count >= lines * nothingElse;
    const isAlmostAll = count >= lasting && count >= lines * almostAll;
    times.set(cause, { count: isAll ? Math.max(count, lasting) : count, isAlmostAll });
  }
  return times;
}

/** Lines of a log that is no more than an excerpt: who cut it out took what he held for the cause. */
const shortLog = 12;

/** What an excerpt says that speaks of one cause alone, and of nothing that went well, though only in passing. */
function onlyCause(read: readonly ReadErrorLine[]): readonly ReadErrorLine[] {
  const precise = read.filter(
    ({ error, reading }) =>
      !reading.general &&
      error.logLines <= shortLog &&
      error.line >= error.booted &&
      (reading.statement.severity === "error" || reading.statement.severity === "end"),
  );
  const causes = new Set(precise.map(({ reading }) => reading.cause));
  const times = precise.reduce((sum, { error }) => sum + error.count, 0);
  return causes.size === 1 && times > 1 ? precise : [];
}

/** systemd starts them again: what ended once, and was started after it, has not ended. */
const daemons: ReadonlySet<Program> = new Set<Program>([
  "systemd",
  "kubelet",
  "containerd",
  "crio",
  "docker",
  "k3s",
  "rke2",
  "k0s",
]);

/** An error in passing counts where a program ended near it, or where it never stopped. */
function counts({ error, reading }: ReadErrorLine, lines: readonly ErrorLine[], times: number): boolean {
  const { severity, program } = reading.statement;
  if (program !== undefined && daemons.has(program) && error.count === 1 && error.line < error.lastStart) return false;
  if (program === "ignition" && error.line < error.booted) return false;
  if (error.weight === 3 || severity === "end") return true;
  if (reading.general) return error.logLines <= excerptLines && severity === "error" && !retried.test(error.text);
  return countsInPassing({ error, reading }, lines, times);
}

/** An error of which the program itself does not say that it was its end. */
function countsInPassing({ error, reading }: ReadErrorLine, lines: readonly ErrorLine[], times: number): boolean {
  const { severity } = reading.statement;
  // What a program warned of behind its end belongs to its next start.
  const nearEnd = isNearEnd(error, lines, severity === "warning" ? 0 : reasonLines.behind);
  if (nearEnd) return severity !== "info" || error.count >= lasting;
  const atEnd = error.lastLine >= (error.logLines - 1) * lastPart;
  if (severity === "warning") return atEnd && error.count >= lasting && error.logLines > excerptLines;
  if (error.weight === 2 || reading.strong) return true;
  if (error.logLines <= excerptLines) return !retried.test(error.text);
  return (atEnd && (times >= lasting || isLastWord(error))) || isFollowedByErrorsOnly(error, lines);
}

/** Lines behind an error that are errors as well, and no other, say that it was not got over. */
function isFollowedByErrorsOnly(error: ErrorLine, lines: readonly ErrorLine[]): boolean {
  const behind = error.logLines - 1 - error.line;
  const errors = lines
    .filter((one) => one.originIndex === error.originIndex && one.line > error.line)
    .reduce((sum, one) => sum + (one.firstLine > error.line ? one.count : 1), 0);
  return behind >= leastBehind && errors >= behind;
}

const leastBehind = 2;

function isNearEnd(error: ErrorLine, lines: readonly ErrorLine[], behind: number): boolean {
  return lines.some(
    (one) =>
      one.originIndex === error.originIndex &&
      (one.weight === 3 || one.text.includes("Failed with result '")) &&
      one.line >= error.line - behind &&
      one.line <= error.line + reasonLines.before,
  );
}

/** What stands at the very end of a log was the last that happened; what klog, Talos's controllers and Windows' endpoints tell is tried again. */
function isLastWord({ text, lastLine, logLines }: ErrorLine): boolean {
  return lastLine >= logLines - lastWords && !/(?:^|[:\]] )E\d{4} \d\d:/u.test(text) && !retried.test(text);
}

const retried = /"controller-runtime"|hcnCreateEndpoint/u;

const lastWords = 3;
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
      (general ? generalWeight(program) : Math.max(...shown.map(({ reading }) => reading.weight))) +
      weightScore[weight],
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
};

/** Who said a line, and in which step of the bootstrap. */
export function stepOf({ whole, source }: ErrorLine): { readonly program?: string; readonly stage: Stage } {
  const { program } = readStatement(whole, source);
  return program === undefined ? { stage: "any" } : { program, stage: programs[program] };
}
