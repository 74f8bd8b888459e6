import type { EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import { decisiveLines, describeFailure, leadingCause, type FailedEnd } from "./describe-verdict.ts";
import { trimStop } from "../text/first-line.ts";
import { cutShown, joinShown, ours, show, showLine, type Shown, type ShownText } from "../text/shown-text.ts";
import { outputSections } from "./output-sections.ts";
import { checkStageInWords } from "./stage-words.ts";
import type { Verdict } from "./verdict.ts";

const quotedLines = 6;
const shownStages = 8;
/** Characters of each output stream: as much as was read of it, 4,096 bytes and the mark of the cut. */
export const longestTail = 4200;

/** What stands below the first line, for a person who reads the whole message. `tailLimit`: characters of each output stream. */
export function verdictBody(verdict: Verdict, tailLimit: number = longestTail): readonly ShownText[] {
  return [
    ...revisedPart(verdict),
    ...causePart(verdict),
    ...observePart(verdict),
    ...remarkPart(verdict),
    ...verdict.warnings.map((warning) => ours`Warning: ${show(warning)}`),
    ...besidePart(verdict),
    ...stagesPart(verdict),
    ...outputPart(verdict, tailLimit),
    ...reportPart(verdict),
  ];
}

function revisedPart({ revised }: Verdict): readonly ShownText[] {
  return revised === undefined ? [] : [ours`First verdict, now revised: ${revised.firstLine}`];
}

function causePart(verdict: Verdict): readonly ShownText[] {
  const { end } = verdict;
  if (end.kind === "not-checked") return [ours`Why: ${show(end.error.message)}.`, ours`Next: ${show(end.error.hint)}.`];
  if (end.kind !== "failed" && end.kind !== "deadline") return [];
  const words = describeFailure(verdict, end);
  return [...explanation(verdict, end), ours`Next: ${trimStop(words.nextStep)}.`];
}

function explanation(verdict: Verdict, end: FailedEnd): readonly ShownText[] {
  const diagnosis = verdict.diagnosis?.diagnosis;
  if (diagnosis === undefined) return [];
  const cause = leadingCause(verdict, end);
  if (cause !== undefined) return causeWords(cause);
  switch (diagnosis.kind) {
    case "healthy":
      return [ours`Cause: unclassified. The logs show a bootstrap that went through.`];
    case "classified":
      return seenBeside(diagnosis.primary);
    case "unclassified": {
      const lines = decisiveLines(verdict);
      if (lines.length > 0) return [ours`Cause: unclassified. Decisive lines:`, ...quote(lines)];
      return verdict.ownCommand === true ? [] : [ours`Cause: unclassified, and the logs hold no error line.`];
    }
  }
}

function causeWords(cause: Shown<Finding>): readonly ShownText[] {
  const again = cause.retryable ? ours`may pass when tried again` : ours`fails again in the same way on a new machine`;
  return [
    ours`Cause (${show(cause.confidence)} confidence; ${show(cause.blame)}; ${again}): ${cause.explanation}`,
    ours`Evidence:`,
    ...quote(cause.evidence),
  ];
}

/** What the machine shows apart from a command that said itself why it failed; it may have nothing to do with it. */
function seenBeside({ reason, summary }: Shown<Finding>): readonly ShownText[] {
  return [ours`Also seen on the machine, apart from the command (${reason}): ${summary}`];
}

function quote(lines: readonly Shown<EvidenceLine>[]): readonly ShownText[] {
  return lines.slice(0, quotedLines).map((line) => ours`  ${line.origin}: ${cutShown.middle(line.text, 300)}`);
}

function observePart(verdict: Verdict): readonly ShownText[] {
  const failed = verdict.end.kind === "failed" || verdict.end.kind === "deadline" || verdict.end.kind === "not-checked";
  return failed && verdict.mode !== "enforce"
    ? [ours`Mode ${show(verdict.mode)}: this is reported as a success so that it does not fail the VM.`]
    : [];
}

/** What the check saw beside its answer, such as a failed command on a node that joined all the same. */
function remarkPart({ end }: Verdict): readonly ShownText[] {
  if (end.kind !== "passed" && end.kind !== "failed" && end.kind !== "deadline") return [];
  const remark = end.report.facts["remark"];
  return remark === undefined ? [] : [ours`Note: ${cutShown.atWord(showLine(remark), 600)}`];
}

/** What the packaged check saw while a command ran. */
function besidePart({ end }: Verdict): readonly ShownText[] {
  if (end.kind !== "failed" && end.kind !== "deadline") return [];
  const { beside } = end;
  if (beside === undefined) return [];
  const stage = beside.stage === undefined ? undefined : checkStageInWords(beside.stage);
  const known = [stage, beside.reason, beside.message, beside.facts["look-beside"]].filter(
    (part) => part !== undefined,
  );
  return known.length === 0 ? [] : [ours`The node meanwhile: ${cutShown.atWord(showLine(known.join("; ")), 600)}`];
}

/** "0 s waiting for cloud-init → 12 s kubeadm running → 74 s the check failed" */
function stagesPart({ end, timeline }: Verdict): readonly ShownText[] {
  const failed = end.kind === "failed" || end.kind === "deadline";
  const own = timeline.filter(({ seconds }) => seconds >= 0).slice(-shownStages);
  if (!failed || own.length === 0) return [];
  const stages = own.map(({ seconds, event }) => ours`${seconds} s ${showLine(event)}`);
  return [ours`Stages: ${joinShown(stages, " → ")}`];
}

function outputPart({ end }: Verdict, tailLimit: number): readonly ShownText[] {
  if (end.kind === "not-checked" || end.kind === "reported") return [];
  return outputSections(end.output, tailLimit);
}

function reportPart({ reportFile }: Verdict): readonly ShownText[] {
  return reportFile === undefined ? [] : [ours`Full report on the machine: ${show(reportFile)}`];
}
