import type { ProcessExit } from "../check/outcome.ts";
import type { Finding } from "../diagnosis/diagnosis.ts";
import { errorCodes, type ErrorCode } from "../errors/error-codes.ts";
import { stageNames } from "../diagnosis/render.ts";
import { cutShown, joinShown, ours, show, showLine, type Shown, type ShownText } from "../text/shown-text.ts";
import { checkStageInWords } from "./stage-words.ts";
import type { Verdict } from "./verdict.ts";

/** A failed verdict in words, before it is laid out as a line. */
export interface FailureWords {
  readonly reason: ShownText;
  readonly code: ErrorCode;
  /** Where it failed, behind "in"; empty when not known. */
  readonly where: ShownText;
  readonly summary: ShownText;
  readonly nextStep: ShownText;
}

type FailedEnd = Extract<Verdict["end"], { kind: "failed" | "deadline" }>;

/** The named cause leads; without one, what the check saw; without that, how the process ended and its last words. */
export function describeFailure(verdict: Verdict, end: FailedEnd): FailureWords {
  const cause = verdict.diagnosis?.diagnosis.kind === "classified" ? verdict.diagnosis.diagnosis.primary : undefined;
  return cause === undefined ? describeUnclassified(verdict, end) : describeCause(cause, end);
}

function describeCause(cause: Shown<Finding>, end: FailedEnd): FailureWords {
  return {
    reason: cause.reason,
    code: codeOf(end),
    where: show(stageNames[cause.stage]),
    summary: end.kind === "deadline" ? ours`deadline reached; ${cause.summary}` : cause.summary,
    nextStep: cause.nextStep,
  };
}

function describeUnclassified(verdict: Verdict, end: FailedEnd): FailureWords {
  const code = codeOf(end);
  const decisive = decisiveLine(verdict);
  const hint = isSilentCommand(end, code)
    ? ours`Make the command print why it fails, and apply the extension again`
    : show(code.hint);
  const summary = [
    whatWasSeen(end),
    ...(decisive === undefined ? [] : [ours`last error: "${cutShown.middle(decisive.text, 90)}"`]),
  ];
  return {
    reason: show(end.report.reason ?? code.reason),
    code,
    where: end.report.stage === undefined ? ours`` : showLine(checkStageInWords(end.report.stage)),
    summary: joinShown(summary, "; "),
    nextStep: decisive === undefined ? hint : ours`Read the quoted lines below, from ${decisive.origin}`,
  };
}

function isSilentCommand({ output }: FailedEnd, code: ErrorCode): boolean {
  return code === errorCodes.commandFailed && `${output.stdout}${output.stderr}`.trim() === "";
}

function whatWasSeen(end: FailedEnd): ShownText {
  if (end.report.message !== undefined) return showLine(end.report.message);
  if (end.kind === "failed") {
    const last = lastLine(end.output.stderr) ?? lastLine(end.output.stdout);
    // A user's command says nothing of stages.
    const who = end.report.stage === undefined ? ours`the command` : ours`the check`;
    const ended = ours`${who} ${describeExit(end.exit)}`;
    // The end first: it must survive when the line is cut.
    return last === undefined ? ended : ours`${ended}: ${last}`;
  }
  return end.stillRunning.length === 0
    ? ours`no success and no failure was seen, and nothing that bootstraps was running`
    : ours`still running: ${showLine(end.stillRunning.join(", "))}`;
}

function decisiveLine(verdict: Verdict): { readonly text: ShownText; readonly origin: ShownText } | undefined {
  const diagnosis = verdict.diagnosis?.diagnosis;
  return diagnosis === undefined || diagnosis.kind === "healthy" ? undefined : diagnosis.decisive[0];
}

export function describeExit(exit: ProcessExit): ShownText {
  switch (exit.kind) {
    case "code":
      return ours`exited with code ${exit.code}`;
    case "signal":
      return ours`was ended by ${show(exit.signal)}`;
    case "not-started":
      return ours`could not be started: ${showLine(exit.reason)}`;
  }
}

function codeOf(end: FailedEnd): ErrorCode {
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
