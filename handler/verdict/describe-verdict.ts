import type { ProcessExit } from "./outcome.ts";
import type { EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import type { Judgement } from "../diagnosis/judgement.ts";
import { errorCodes, type ErrorCode } from "../errors/error-codes.ts";
import type { Blame } from "../reasons/reason-row.ts";
import { describeReason, isCustomReason, openReasons } from "../reasons/reasons.ts";
import { scriptFailed } from "../diagnosis/script-words.ts";
import { stageNames } from "../diagnosis/render.ts";
import { cutShown, ours, show, showCatalogueText, showLine, type Shown, type ShownText } from "../text/shown-text.ts";
import { checkStageInWords } from "./stage-words.ts";
import type { Verdict } from "./verdict.ts";

/** A failed verdict in words, before it is laid out as a line. */
interface FailureWords {
  readonly reason: ShownText;
  readonly code: ErrorCode;
  /** Where it failed, behind "in"; empty when not known. */
  readonly where: ShownText;
  readonly summary: ShownText;
  readonly nextStep: ShownText;
  readonly judgement: Judgement;
}

/** Characters of a quoted line in the summary: the first line takes of it what it has room for. */
const longestSaid = 240;
/** Characters by which two quotes of one line are known as the same. */
const sameFrom = 40;

export type FailedEnd = Extract<Verdict["end"], { kind: "failed" | "deadline" }>;

/**
 * An own check of the operator's leads with its words, because it knows what no catalogue knows. Else the named cause
 * (`leadingCause`); without one, what the check saw; without that, how the process ended and its last words.
 */
export function describeFailure(verdict: Verdict, end: FailedEnd, cause: Shown<Finding> | undefined): FailureWords {
  if (leadsItself(end)) return describeOwnCheck(verdict, end, end.report.reason);
  return cause === undefined ? describeUnclassified(verdict, end) : describeCause(cause, verdict, end);
}

/**
 * The cause that the verdict names. A user's own command speaks for itself: a cause leads that its output shows. What only the
 * node's logs show leads where the command said nothing or was still waiting; what only probes found (a network without metadata
 * service, a full disk) never does.
 */
export function leadingCause(verdict: Verdict, end: FailedEnd): Shown<Finding> | undefined {
  const diagnosis = verdict.diagnosis?.diagnosis;
  if (diagnosis?.kind !== "classified" || leadsItself(end)) return undefined;
  if (verdict.ownCommand !== true) return diagnosis.primary;
  const causes = [diagnosis.primary, ...diagnosis.others.filter(({ role }) => role === "cause")];
  const own = causes.find(isSaidByCommand);
  if (own !== undefined) return own;
  const mayAsk = end.kind === "deadline" || isSilent(end);
  return mayAsk ? causes.find(({ evidence }) => evidence.some(({ source }) => source !== "probe")) : undefined;
}

/** A guess is not among them: the command's own last words say more than what is likely of a bootstrap. */
function isSaidByCommand(finding: Shown<Finding>): boolean {
  return finding.confidence !== "low" && isOfCommand(finding);
}

/** The output of the user's command is among what shows it. */
export function isOfCommand({ evidence }: Shown<Finding>): boolean {
  return evidence.some(({ source }) => source === "command-output");
}

/** What the table of reasons knows of a reason that no finding gave. */
export function judgementOf(reason: string | undefined): Judgement {
  const known = reason === undefined || openReasons.has(reason) ? undefined : describeReason(reason);
  return known === undefined ? {} : { retryable: known.retryable, blame: known.blame };
}

/** A reason of its own, or a next step of its own: whoever gives one knows what no catalogue knows. */
export function leadsItself(end: FailedEnd): end is FailedEnd & { readonly report: { readonly reason: string } } {
  const { reason, facts } = end.report;
  return reason !== undefined && (isCustomReason(reason) || facts["next"] !== undefined);
}

/** "true" or "false" of a script's output file, or of a failure that something on the machine has reported. */
function ownRetry(end: FailedEnd): Pick<Judgement, "retryable"> {
  const { retryable } = end.report.facts;
  return retryable === "true" || retryable === "false" ? { retryable: retryable === "true" } : {};
}

function describeOwnCheck(verdict: Verdict, end: FailedEnd, reason: string): FailureWords {
  const { next } = end.report.facts;
  return {
    reason: show(reason),
    code: codeOf(end, undefined),
    where: placeOf(verdict, end),
    summary: whatWasSeen(verdict, end),
    nextStep: next === undefined ? ours`Correct what your own check names` : showLine(next),
    judgement: { ...judgementOf(reason), ...ownRetry(end) },
  };
}

function describeCause(cause: Shown<Finding>, { ownCommand }: Verdict, end: FailedEnd): FailureWords {
  const { retryable, blame, confidence } = cause;
  const said = withWordsOfCheck(cause, end);
  return {
    reason: cause.reason,
    code: codeOf(end, cause.blame),
    // A full disk of the user's command is none of the kubelet's.
    where: ownCommand === true && isSaidByCommand(cause) ? ours`` : show(stageNames[cause.stage]),
    summary: end.kind === "deadline" ? ours`deadline reached; ${said}` : said,
    nextStep: cause.nextStep,
    judgement: { ...(retryable !== undefined && { retryable }), blame, confidence },
  };
}

/** What the check has read of kubeadm, where the cause is only that a script failed and no log that was read says more. */
function withWordsOfCheck({ summary, cause }: Shown<Finding>, { report }: FailedEnd): ShownText {
  const seen = report.message === undefined || cause !== scriptFailed ? undefined : showLine(report.message);
  const places = ["kubeadm said: ", "says: "].map((words) => seen?.indexOf(words) ?? -1).filter((at) => at !== -1);
  if (seen === undefined || places.length === 0 || /\b(?:says|said|last words): /u.test(summary)) return summary;
  return ours`${summary}; ${cutShown.from(seen, Math.min(...places))}`;
}

function describeUnclassified(verdict: Verdict, end: FailedEnd): FailureWords {
  const known = end.report.reason === undefined ? undefined : describeReason(end.report.reason);
  const code = codeOf(end, known?.blame);
  const decisive = decisiveLines(verdict)[0];
  const hint = ownHint(verdict, end, code) ?? showCatalogueText(known?.nextStep ?? code.hint);
  const seen = whatWasSeen(verdict, end);
  const isNews = decisive !== undefined && !seen.includes(decisive.text.slice(0, sameFrom).trim());
  const summary = isNews
    ? ours`${seen}; last error: "${cutShown.middle(cutShown.oneLine(decisive.text), longestSaid)}"`
    : seen;
  return {
    reason: show(end.report.reason ?? code.reason),
    code,
    where: placeOf(verdict, end),
    summary,
    nextStep: decisive === undefined ? hint : ours`Read the quoted lines below, from ${decisive.origin}`,
    judgement: judgementOf(end.report.reason),
  };
}

/** What helps with a command of the user's, where the catalogue speaks of a bootstrap. */
function ownHint({ ownCommand }: Verdict, end: FailedEnd, code: ErrorCode): ShownText | undefined {
  if (end.kind === "failed" && code === errorCodes.commandFailed && end.report.message === undefined) {
    if (isKilled(end.exit))
      return ours`Look in the kernel's log (journalctl -k) for what killed it: most often memory ran out`;
    if (isSilent(end)) return ours`Make the command print why it fails, and apply the extension again`;
  }
  if (end.kind === "deadline" && end.printedLast !== undefined)
    return ours`See what it waits for; raise timeoutSeconds only if it was making progress`;
  if (end.kind !== "deadline" || ownCommand !== true) return undefined;
  if (isSilent(end)) return ours`Make the command print how far it is; raise timeoutSeconds only if it needs more`;
  return ours`See how far the command's output below came; raise timeoutSeconds only if it was making progress`;
}

/** By SIGKILL, itself or what its shell ran last. */
function isKilled(exit: ProcessExit): boolean {
  return exit.kind === "signal" ? exit.signal === "SIGKILL" : exit.kind === "code" && exit.code === 137;
}

/** CAPZ's loop, which only waits for the node, stands where the node stands; where another command of the user's stands nobody knows. */
function placeOf({ ownCommand }: Verdict, end: FailedEnd): ShownText {
  const stage = end.report.stage ?? (ownCommand !== true && hasWaited(end) ? end.beside?.stage : undefined);
  return stage === undefined ? ours`` : showLine(checkStageInWords(stage));
}

/** A command that gave up with words of its own says nothing of the node. */
function hasWaited(end: FailedEnd): boolean {
  return end.kind === "deadline" || isSilent(end);
}

function isSilent({ output }: FailedEnd): boolean {
  return `${output.stdout}${output.stderr}`.trim() === "";
}

function whatWasSeen(verdict: Verdict, end: FailedEnd): ShownText {
  if (end.report.message !== undefined) return showLine(end.report.message);
  const seen = end.kind === "failed" ? howItEnded(end) : whatRan(verdict, end);
  const stage = end.report.stage === undefined && hasWaited(end) ? end.beside?.stage : undefined;
  if (verdict.ownCommand !== true || stage === undefined) return seen;
  return ours`${seen}; the node meanwhile: ${showLine(checkStageInWords(stage))}`;
}

function howItEnded(end: Extract<FailedEnd, { kind: "failed" }>): ShownText {
  const last = lastLine(end.output.stderr) ?? lastLine(end.output.stdout);
  // A user's command says nothing of stages.
  const who = end.report.stage === undefined ? ours`the command` : ours`the check`;
  const ended = ours`${who} ${describeExit(end.exit)}`;
  // The end first: it must survive when the line is cut.
  return last === undefined ? ended : ours`${ended}: ${last}`;
}

/** What runs is only known from a look that was answered: one that was not says so, and what it saw before is of before. */
function whatRan(
  { ownCommand }: Verdict,
  { stillRunning, printedLast, report }: Extract<FailedEnd, { kind: "deadline" }>,
): ShownText {
  const unanswered = report.facts["last-check-run"];
  if (stillRunning.length > 0) {
    const names = ours`still running: ${showLine(stillRunning.join(", "))}`;
    const running = printedLast === undefined ? names : ours`${names}, says "${cutShown.middle(printedLast, 90)}"`;
    return unanswered === undefined ? running : ours`${running} (seen at an earlier look; ${showLine(unanswered)})`;
  }
  if (ownCommand === true) return ours`the command had not ended`;
  if (unanswered !== undefined) return ours`no success and no failure was seen. ${showLine(unanswered)}`;
  return ours`no success and no failure was seen, and nothing that bootstraps was running`;
}

/** The lines that tell most; of a user's own command only its own. */
export function decisiveLines(verdict: Verdict): readonly Shown<EvidenceLine>[] {
  const diagnosis = verdict.diagnosis?.diagnosis;
  if (diagnosis === undefined || diagnosis.kind === "healthy") return [];
  if (verdict.ownCommand !== true) return diagnosis.decisive;
  return diagnosis.decisive.filter(({ source }) => source === "command-output");
}

function describeExit(exit: ProcessExit): ShownText {
  switch (exit.kind) {
    case "code":
      return ours`exited with code ${exit.code}`;
    case "signal":
      return ours`was ended by ${show(exit.signal)}`;
    case "not-started":
      return ours`could not be started: ${showLine(exit.reason)}`;
  }
}

/** The sign of the number tells Azure whose side it is, so it follows the blame. */
function codeOf(end: FailedEnd, blame: Blame | undefined): ErrorCode {
  if (blame === "platform") {
    return end.kind === "deadline" ? errorCodes.deadlineExceededByPlatform : errorCodes.bootstrapFailedByPlatform;
  }
  if (end.kind === "deadline") return errorCodes.deadlineExceeded;
  if (end.exit.kind === "not-started") return errorCodes.commandNotStarted;
  // A check that speaks the protocol gives a stage or a reason; a plain command only ends.
  return end.report.reason === undefined && end.report.stage === undefined
    ? errorCodes.commandFailed
    : errorCodes.bootstrapFailed;
}

function lastLine(text: ShownText): ShownText | undefined {
  const last = cutShown.lines(text).findLast((line) => line.trim() !== "");
  return last === undefined ? undefined : cutShown.middle(cutShown.oneLine(last), 120);
}
