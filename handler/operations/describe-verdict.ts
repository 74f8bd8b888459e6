import type { ProcessExit } from "../check/outcome.ts";
import type { EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import { errorCodes, type ErrorCode } from "../errors/error-codes.ts";
import { cutMiddle } from "../text/cut-text.ts";
import { oneLine } from "../text/first-line.ts";
import { stageNames } from "../diagnosis/render.ts";
import { checkStageInWords } from "./stage-words.ts";
import type { Verdict } from "./verdict.ts";

/** A failed verdict in words, before it is laid out as a line. */
export interface FailureWords {
  readonly reason: string;
  readonly code: ErrorCode;
  /** Where it failed, behind "in"; empty when not known. */
  readonly where: string;
  readonly summary: string;
  readonly nextStep: string;
}

export type FailedEnd = Extract<Verdict["end"], { kind: "failed" | "deadline" }>;

/** The named cause leads; without one, what the check saw; without that, how the process ended and its last words. */
export function describeFailure(verdict: Verdict, end: FailedEnd): FailureWords {
  const cause = leadingCause(verdict, end);
  return cause === undefined ? describeUnclassified(verdict, end) : describeCause(cause, end);
}

/**
 * The cause that the verdict names. A user's own command speaks for itself: a cause leads that its output shows. What only the
 * node's logs show leads where the command said nothing or was still waiting; what only probes found (a network without metadata
 * service, a full disk) never does.
 */
export function leadingCause(verdict: Verdict, end: FailedEnd): Finding | undefined {
  const diagnosis = verdict.diagnosis?.diagnosis;
  if (diagnosis?.kind !== "classified") return undefined;
  if (verdict.ownCommand !== true) return diagnosis.primary;
  const causes = [diagnosis.primary, ...diagnosis.others.filter(({ role }) => role === "cause")];
  const own = causes.find(({ evidence }) => evidence.some(({ source }) => source === "command-output"));
  if (own !== undefined) return own;
  const mayAsk = end.kind === "deadline" || isSilent(end);
  return mayAsk ? causes.find(({ evidence }) => evidence.some(({ source }) => source !== "probe")) : undefined;
}

function describeCause(cause: Finding, end: FailedEnd): FailureWords {
  return {
    reason: cause.reason,
    code: codeOf(end),
    where: stageNames[cause.stage],
    summary: end.kind === "deadline" ? `deadline reached; ${cause.summary}` : cause.summary,
    nextStep: cause.nextStep,
  };
}

function describeUnclassified(verdict: Verdict, end: FailedEnd): FailureWords {
  const code = codeOf(end);
  const stage = end.report.stage ?? end.beside?.stage;
  const where = stage === undefined ? "" : checkStageInWords(stage);
  const decisive = decisiveLines(verdict)[0];
  const hint = isSilentCommand(end, code)
    ? "Make the command print why it fails, and apply the extension again"
    : code.hint;
  const nextStep = decisive === undefined ? hint : `Read the quoted lines below, from ${decisive.origin}`;
  const reason = end.report.reason ?? code.reason;
  const summary = [
    whatWasSeen(end),
    decisive === undefined ? undefined : `last error: "${cutMiddle(decisive.text, 90)}"`,
  ];
  return { reason, code, where, summary: summary.filter((part) => part !== undefined).join("; "), nextStep };
}

function isSilentCommand(end: FailedEnd, code: ErrorCode): boolean {
  return code === errorCodes.commandFailed && isSilent(end);
}

function isSilent({ output }: FailedEnd): boolean {
  return `${output.stdout}${output.stderr}`.trim() === "";
}

function whatWasSeen(end: FailedEnd): string {
  if (end.report.message !== undefined) return oneLine(end.report.message);
  if (end.kind === "failed") {
    const last = lastLine(end.output.stderr) ?? lastLine(end.output.stdout);
    // A user's command says nothing of stages.
    const ended = `${end.report.stage === undefined ? "the command" : "the check"} ${describeExit(end.exit)}`;
    // The end first: it must survive when the line is cut.
    return last === undefined ? ended : `${ended}: ${last}`;
  }
  return end.stillRunning.length === 0
    ? "no success and no failure was seen, and nothing that bootstraps was running"
    : `still running: ${end.stillRunning.join(", ")}`;
}

/** The lines that tell most; of a user's own command only its own. */
export function decisiveLines(verdict: Verdict): readonly EvidenceLine[] {
  const diagnosis = verdict.diagnosis?.diagnosis;
  if (diagnosis === undefined || diagnosis.kind === "healthy") return [];
  if (verdict.ownCommand !== true) return diagnosis.decisive;
  return diagnosis.decisive.filter(({ source }) => source === "command-output");
}

export function describeExit(exit: ProcessExit): string {
  switch (exit.kind) {
    case "code":
      return `exited with code ${String(exit.code)}`;
    case "signal":
      return `was ended by ${exit.signal}`;
    case "not-started":
      return `could not be started: ${exit.reason}`;
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

function lastLine(text: string): string | undefined {
  const lines = text.split("\n").map(oneLine);
  const last = lines.findLast((line) => line !== "");
  return last === undefined ? undefined : cutMiddle(last, 120);
}
