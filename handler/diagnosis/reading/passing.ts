import type { Cause } from "../causes.ts";
import type { ErrorLine } from "../error-lines.ts";
import { networkAgents, silent } from "./meaning.ts";
import type { Program } from "./programs.ts";
import type { Reading } from "./read-line.ts";
import type { ReadErrorLine } from "./read-lines.ts";

/** Lines of a log that somebody cut out because these say it: there is no before and no behind. */
export const excerptLines = 4;

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

export function isAlmostAll({ reading }: ReadErrorLine, times: ReadonlyMap<Cause, Times>): boolean {
  return !reading.general && times.get(reading.cause)?.isAlmostAll === true;
}

interface Times {
  readonly count: number;
  readonly isAlmostAll: boolean;
}

/** How often each cause is spoken of; often enough where the log says hardly anything else. */
export function timesOfCauses(read: readonly ReadErrorLine[]): ReadonlyMap<Cause, Times> {
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
export function onlyCause(read: readonly ReadErrorLine[], times: ReadonlyMap<Cause, Times>): readonly ReadErrorLine[] {
  const said = read.filter(
    ({ error, reading }) => error.logLines <= shortLog && error.line >= error.booted && !wasGotOver({ error, reading }),
  );
  const short = said.filter((one) => !(isInPassing(one.error, one.reading.statement.program) && wentOn(one, said)));
  const precise = short.filter(({ reading }) => !reading.general);
  const complaints = short.reduce((sum, { error }) => sum + error.count, 0);
  const errors = ofOneCause(precise.filter(isError), complaints >= 2 ? 1 : 2);
  if (errors.length > 0) return areFewRetries(errors) ? [] : errors;
  const warnings = ofOneCause(precise.filter(isLastWarning), 1);
  if (warnings.length > 0) return warnings;
  // Over and over, and nothing else: whoever kept it saw it last.
  const general = short.filter((one) => isUnready(one) && times.get(one.reading.cause)?.isAlmostAll === true);
  return ofOneCause(general, lasting);
}

/** What is tried again, and not often yet, is no more than that: somebody who cut it out alone took fewer lines. */
function areFewRetries(errors: readonly ReadErrorLine[]): boolean {
  const times = errors.reduce((sum, { error }) => sum + error.count, 0);
  return times < lasting && errors.every(({ error }) => retried.test(error.text) && error.logLines > excerptLines);
}

/** More lines stand behind the last word on its cause than what follows from it. */
function wentOn({ reading, error }: ReadErrorLine, said: readonly ReadErrorLine[]): boolean {
  const same = said.filter((one) => one.reading.cause === reading.cause);
  return error.logLines - 1 - Math.max(...same.map((one) => one.error.lastLine)) > followingLines;
}

const followingLines = 3;

function isError({ reading }: ReadErrorLine): boolean {
  return reading.statement.severity === "error" || reading.statement.severity === "end";
}

/** What a thing that is needed has not become, at the end of the log. */
function isUnready({ error, reading }: ReadErrorLine): boolean {
  return reading.kind === "unhealthy" && reading.statement.severity === "error" && isAtEnd(error);
}

/** A warning that is the last line of a short excerpt is what it was cut out for. */
function isLastWarning({ error, reading }: ReadErrorLine): boolean {
  const isLast = error.lastLine >= error.logLines - 1;
  const { program } = reading.statement;
  const doesWithout = isToldInPassing(error, program) && notYetAnError.test(error.text);
  const again = /\bretrying|\battempt"?[=:] ?[01]\b/iu.test(error.text) || doesWithout;
  return reading.statement.severity === "warning" && reading.kind !== undefined && isLast && !again;
}

/** klog's levels below an error: with these a node's own daemons tell of what they do without, or ask for again. */
const notYetAnError = /(?:^|[:\]] )[IW]\d{4} \d\d:/u;

/** Of a daemon that goes on whatever it warns of; of another that logs alike where the excerpt says more than its warning. */
function isToldInPassing({ logLines }: ErrorLine, program: Program | undefined): boolean {
  if (program === "kubelet" || program === "kube-proxy") return true;
  return (program === undefined || program === "kube-apiserver") && logLines > 2;
}

/** Where nothing names another cause. */
function ofOneCause(said: readonly ReadErrorLine[], least: number): readonly ReadErrorLine[] {
  const causes = new Set(said.map(({ reading }) => reading.cause));
  const times = said.reduce((sum, { error }) => sum + error.count, 0);
  return causes.size === 1 && times >= least ? said : [];
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
export function counts({ error, reading }: ReadErrorLine, lines: readonly ErrorLine[], times?: Times): boolean {
  const { severity, program } = reading.statement;
  if (wasGotOver({ error, reading })) return false;
  if (error.weight === 3 || severity === "end") return true;
  // What a crash leaves behind at the very end.
  if (reading.kind === "stack-frame" && isLastWord(error)) return true;
  if (reading.general) {
    return (
      isSaidOfStep({ error, reading }, lines, times) &&
      severity === "error" &&
      namesSomething(reading) &&
      !isInPassing(error, program)
    );
  }
  return countsInPassing({ error, reading }, lines, times);
}

/** What came after it shows that it did not stay. */
function wasGotOver({ error, reading }: ReadErrorLine): boolean {
  const { program, severity } = reading.statement;
  // An API server asks itself before it listens.
  if (program === "kube-apiserver" && reading.cause === "api-server-unreachable" && severity !== "end") return true;
  const isDaemon =
    program !== undefined && (daemons.has(program) || (networkAgents.includes(program) && error.weight === 1));
  if (isDaemon && error.count === 1 && error.line < error.lastStart) return true;
  return wentOnBooting(error, program);
}

/** Systems that try a part of their boot again. */
function wentOnBooting(error: ErrorLine, program: Program | undefined): boolean {
  if (program === "talos") return restarted.test(error.text) && !isAtEnd(error);
  return program === "ignition" && error.line < error.booted;
}

/** Talos starts a service again that could not be started. */
const restarted = /\] service\[[\w-]{1,60}\]\(Failed\)/u;

/** A program waited, and ended as nothing came. */
function isVainWait({ error, reading }: ReadErrorLine, lines: readonly ErrorLine[]): boolean {
  return reading.kind === "gave-up" && error.weight > 1 && isNearEnd(error, lines, 0);
}

/** What says only which step failed counts where it stands alone, or last. */
function isSaidOfStep({ error, reading }: ReadErrorLine, lines: readonly ErrorLine[], times?: Times): boolean {
  return (
    isExcerpt(error) ||
    isLastOfShort(error) ||
    isVainWait({ error, reading }, lines) ||
    isClosingSilence({ error, reading }, times)
  );
}

/** With it a short log ends: nobody answered, which is said by whoever asked and by whoever had it asked. */
function isClosingSilence({ error, reading }: ReadErrorLine, times?: Times): boolean {
  const isSilent = reading.kind !== undefined && silent.includes(reading.kind);
  return isSilent && error.logLines <= shortLog && isLastWord(error) && (times?.count ?? 0) >= 2;
}

/** The last line of a short log, of a package manager that says that it could not get something. */
function isLastOfShort({ text, lastLine, logLines }: ErrorLine): boolean {
  return logLines <= shortLog && lastLine >= logLines - 1 && /^Err ?:\d/u.test(text);
}

function isExcerpt({ logLines, text }: ErrorLine): boolean {
  return logLines <= excerptLines && !retried.test(text);
}

/** What the kubelet tells as an error, and tries again: without a cause of its own it says nothing of the node. */
function isInPassing({ text, count }: ErrorLine, program: Program | undefined): boolean {
  return program === "kubelet" && count < lasting && /(?:^|[:\]] )E\d{4} \d\d:/u.test(text);
}

/** More than that something failed. */
function namesSomething({ kind, subject }: Reading): boolean {
  return kind !== undefined || subject !== undefined;
}

/** An error of which the program itself does not say that it was its end. */
function countsInPassing({ error, reading }: ReadErrorLine, lines: readonly ErrorLine[], times?: Times): boolean {
  const { severity } = reading.statement;
  // What a program warned of behind its end belongs to its next start.
  const nearEnd = isNearEnd(error, lines, severity === "warning" ? 0 : reasonLines.behind);
  if (nearEnd) return severity !== "info" || error.count >= lasting;
  if (severity === "warning") return isLasting(error, times);
  if (error.weight === 2 || reading.strong) return true;
  if (error.logLines <= excerptLines) return isExcerpt(error);
  return isUnsolved(error, times?.count ?? 0) || isFollowedByErrorsOnly(error, lines);
}

/** An error at the end of its log that came often, or that nothing followed. */
function isUnsolved(error: ErrorLine, times: number): boolean {
  return isAtEnd(error) && (times >= lasting || isLastWord(error));
}

/** A warning that came again and again, to the end of a log, or in more than one wording where the log says hardly anything else. */
function isLasting(error: ErrorLine, times?: Times): boolean {
  const isRepeated = error.count >= lasting || (times?.isAlmostAll === true && error.count >= 2);
  return isAtEnd(error) && isRepeated && error.logLines > excerptLines;
}

function isAtEnd({ lastLine, endLine }: ErrorLine): boolean {
  return lastLine >= (endLine - 1) * lastPart;
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

/** What systemd says of a unit that ended, in the journal and on the console, also where a screen cut it, and apt of its own end. */
const endsToo =
  /Failed with resu|^\[? ?FAILED ?\]? |^E: |^ERROR: (?:unable to select packages|unsatisfiable constraints|No matching distribution)/u;

function isNearEnd(error: ErrorLine, lines: readonly ErrorLine[], behind: number): boolean {
  return lines.some(
    (one) =>
      one.originIndex === error.originIndex &&
      (one.weight === 3 || endsToo.test(one.text)) &&
      one.line >= error.line - behind &&
      one.line <= error.line + reasonLines.before,
  );
}

/** What stands at the very end of a log was the last that happened; what klog, Talos's controllers and Windows' endpoints tell is tried again. */
function isLastWord({ text, lastLine, endLine }: ErrorLine): boolean {
  return lastLine >= endLine - lastWords && !/(?:^|[:\]] )E\d{4} \d\d:/u.test(text) && !retried.test(text);
}

const retried =
  /"controller-runtime\\{0,3}"(?!.{0,40}config\.AcquireController)|hcnCreateEndpoint(?!.{0,200}(?:configuration is invalid|0x803b000d))/u;

const lastWords = 3;
