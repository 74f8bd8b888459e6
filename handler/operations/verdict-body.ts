import type { Diagnosis, EvidenceLine } from "../diagnosis/diagnosis.ts";
import { decisiveLines, describeFailure, leadingCause, type FailedEnd } from "./describe-verdict.ts";
import { cutMiddle } from "../text/cut-text.ts";
import { cutAtWord } from "../text/first-line.ts";
import { outputSections } from "./output-sections.ts";
import { checkStageInWords } from "./stage-words.ts";
import type { Verdict } from "./verdict.ts";

const quotedLines = 6;
const shownStages = 8;
/** Characters of each output stream: as much as was read of it, 4,096 bytes and the mark of the cut. */
export const longestTail = 4200;

/** What stands below the first line, for a person who reads the whole message. `tailLimit`: characters of each output stream. */
export function verdictBody(verdict: Verdict, tailLimit: number = longestTail): readonly string[] {
  return [
    ...revisedPart(verdict),
    ...causePart(verdict),
    ...observePart(verdict),
    ...remarkPart(verdict),
    ...verdict.warnings.map((warning) => `Warning: ${warning}`),
    ...besidePart(verdict),
    ...stagesPart(verdict),
    ...outputPart(verdict, tailLimit),
    ...reportPart(verdict),
  ];
}

function revisedPart({ revised }: Verdict): readonly string[] {
  return revised === undefined ? [] : [`First verdict, now revised: ${revised.firstLine}`];
}

function causePart(verdict: Verdict): readonly string[] {
  const { end } = verdict;
  if (end.kind === "not-checked") return [`Why: ${end.error.message}.`, `Next: ${end.error.hint}.`];
  if (end.kind !== "failed" && end.kind !== "deadline") return [];
  const words = describeFailure(verdict, end);
  return [...explanation(verdict, end), `Next: ${words.nextStep.replace(/\.$/u, "")}.`];
}

function explanation(verdict: Verdict, end: FailedEnd): readonly string[] {
  const diagnosis = verdict.diagnosis?.diagnosis;
  if (diagnosis === undefined) return [];
  const cause = leadingCause(verdict, end);
  if (cause !== undefined) {
    const again = cause.retryable ? "may pass when tried again" : "fails again in the same way on a new machine";
    return [
      `Cause (${cause.confidence} confidence; ${cause.blame}; ${again}): ${cause.explanation}`,
      "Evidence:",
      ...quote(cause.evidence),
    ];
  }
  if (diagnosis.kind === "healthy") return ["Cause: unclassified. The logs show a bootstrap that went through."];
  const lines = decisiveLines(verdict);
  const unclassified =
    lines.length === 0
      ? ["Cause: unclassified, and the logs hold no error line."]
      : ["Cause: unclassified. Decisive lines:", ...quote(lines)];
  return verdict.ownCommand === true ? seenBeside(diagnosis) : unclassified;
}

/** What the machine shows apart from a command that said itself why it failed; it may have nothing to do with it. */
function seenBeside(diagnosis: Diagnosis): readonly string[] {
  if (diagnosis.kind !== "classified") return [];
  const { primary } = diagnosis;
  return [`Also seen on the machine, apart from the command (${primary.reason}): ${primary.summary}`];
}

function quote(lines: readonly EvidenceLine[]): readonly string[] {
  return lines.slice(0, quotedLines).map((line) => `  ${line.origin}: ${cutMiddle(line.text, 300)}`);
}

function observePart(verdict: Verdict): readonly string[] {
  const failed = verdict.end.kind === "failed" || verdict.end.kind === "deadline" || verdict.end.kind === "not-checked";
  return failed && verdict.mode !== "enforce"
    ? [`Mode ${verdict.mode}: this is reported as a success so that it does not fail the VM.`]
    : [];
}

/** What the check saw beside its answer, such as a failed command on a node that joined all the same. */
function remarkPart({ end }: Verdict): readonly string[] {
  if (end.kind !== "passed" && end.kind !== "failed" && end.kind !== "deadline") return [];
  const remark = end.report.facts["remark"];
  return remark === undefined ? [] : [`Note: ${cutAtWord(remark, 600)}`];
}

/** What the packaged check saw while a command ran. */
function besidePart({ end }: Verdict): readonly string[] {
  if (end.kind !== "failed" && end.kind !== "deadline") return [];
  const { beside } = end;
  if (beside === undefined) return [];
  const parts = [
    beside.stage === undefined ? undefined : checkStageInWords(beside.stage),
    beside.reason,
    beside.message,
    beside.facts["look-beside"],
  ];
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? [] : [`The node meanwhile: ${cutAtWord(known.join("; "), 600)}`];
}

/** "0 s waiting for cloud-init → 12 s kubeadm running → 74 s the check failed" */
function stagesPart({ end, timeline }: Verdict): readonly string[] {
  const failed = end.kind === "failed" || end.kind === "deadline";
  const own = timeline.filter(({ seconds }) => seconds >= 0).slice(-shownStages);
  if (!failed || own.length === 0) return [];
  return [`Stages: ${own.map(({ seconds, event }) => `${String(seconds)} s ${event}`).join(" → ")}`];
}

function outputPart({ end }: Verdict, tailLimit: number): readonly string[] {
  if (end.kind === "not-checked" || end.kind === "reported") return [];
  return outputSections(end.output, tailLimit);
}

function reportPart({ reportFile }: Verdict): readonly string[] {
  return reportFile === undefined ? [] : [`Full report on the machine: ${reportFile}`];
}
