import type { OutputTails } from "../check/outcome.ts";
import type { Diagnosis, EvidenceLine } from "../diagnosis/diagnosis.ts";
import { describeFailure } from "./describe-verdict.ts";
import { trimStop } from "../text/first-line.ts";
import { cutShown, joinShown, ours, show, showLine, type Shown, type ShownText } from "../text/shown-text.ts";
import type { Verdict } from "./verdict.ts";

const quotedLines = 6;
const shownStages = 8;
/** Room of each output tail in the message; the whole status stays below 16 KiB. */
const tailLimit = 2000;

/** What stands below the first line, for a person who reads the whole message. */
export function verdictBody(verdict: Verdict): readonly ShownText[] {
  return [
    ...revisedPart(verdict),
    ...causePart(verdict),
    ...observePart(verdict),
    ...remarkPart(verdict),
    ...verdict.warnings.map((warning) => ours`Warning: ${show(warning)}`),
    ...stagesPart(verdict),
    ...outputPart(verdict),
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
  return [...explanation(verdict.diagnosis?.diagnosis), ours`Next: ${trimStop(words.nextStep)}.`];
}

function explanation(diagnosis: Shown<Diagnosis> | undefined): readonly ShownText[] {
  if (diagnosis === undefined) return [];
  switch (diagnosis.kind) {
    case "classified": {
      const { primary } = diagnosis;
      const again = primary.retryable
        ? ours`may pass when tried again`
        : ours`fails again in the same way on a new machine`;
      return [
        ours`Cause (${show(primary.confidence)} confidence; ${show(primary.blame)}; ${again}): ${primary.explanation}`,
        ours`Evidence:`,
        ...quote(primary.evidence),
      ];
    }
    case "unclassified":
      return diagnosis.decisive.length === 0
        ? [ours`Cause: unclassified, and the logs hold no error line.`]
        : [ours`Cause: unclassified. Decisive lines:`, ...quote(diagnosis.decisive)];
    case "healthy":
      return [ours`Cause: unclassified. The logs show a bootstrap that went through.`];
  }
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

/** "0 s waiting for cloud-init → 12 s kubeadm running → 74 s the check failed" */
function stagesPart({ end, timeline }: Verdict): readonly ShownText[] {
  const failed = end.kind === "failed" || end.kind === "deadline";
  const own = timeline.filter(({ seconds }) => seconds >= 0).slice(-shownStages);
  if (!failed || own.length === 0) return [];
  const stages = own.map(({ seconds, event }) => ours`${seconds} s ${showLine(event)}`);
  return [ours`Stages: ${joinShown(stages, " → ")}`];
}

function outputPart(verdict: Verdict): readonly ShownText[] {
  const { end } = verdict;
  if (end.kind === "not-checked" || end.kind === "reported") return [];
  return outputTails(end.output);
}

function outputTails(output: OutputTails): readonly ShownText[] {
  return [
    ...(output.stdout.trim() === "" ? [] : [ours`[stdout]`, tailOf(output.stdout)]),
    ...(output.stderr.trim() === "" ? [] : [ours`[stderr]`, tailOf(output.stderr)]),
  ];
}

function tailOf(text: ShownText): ShownText {
  const whole = cutShown.head(text, text.trimEnd().length);
  if (whole.length <= tailLimit) return whole;
  const tail = cutShown.tail(whole, tailLimit);
  return ours`[… cut]${cutShown.from(tail, Math.max(0, tail.indexOf("\n")))}`;
}

function reportPart({ reportFile }: Verdict): readonly ShownText[] {
  return reportFile === undefined ? [] : [ours`Full report on the machine: ${show(reportFile)}`];
}
