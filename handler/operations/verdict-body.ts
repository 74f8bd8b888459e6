import type { OutputTails } from "../check/outcome.ts";
import type { Diagnosis, EvidenceLine } from "../diagnosis/diagnosis.ts";
import { describeFailure } from "./describe-verdict.ts";
import { cutMiddle } from "../text/cut-text.ts";
import { cutAtWord } from "../text/first-line.ts";
import type { Verdict } from "./verdict.ts";

const quotedLines = 6;
const shownStages = 8;
/** Room of each output tail in the message; the whole status stays below 16 KiB. */
const tailLimit = 2000;

/** What stands below the first line, for a person who reads the whole message. */
export function verdictBody(verdict: Verdict): readonly string[] {
  return [
    ...revisedPart(verdict),
    ...causePart(verdict),
    ...observePart(verdict),
    ...remarkPart(verdict),
    ...verdict.warnings.map((warning) => `Warning: ${warning}`),
    ...stagesPart(verdict),
    ...outputPart(verdict),
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
  return [...explanation(verdict.diagnosis?.diagnosis), `Next: ${words.nextStep.replace(/\.$/u, "")}.`];
}

function explanation(diagnosis: Diagnosis | undefined): readonly string[] {
  if (diagnosis === undefined) return [];
  switch (diagnosis.kind) {
    case "classified": {
      const { primary } = diagnosis;
      const again = primary.retryable ? "may pass when tried again" : "fails again in the same way on a new machine";
      return [
        `Cause (${primary.confidence} confidence; ${primary.blame}; ${again}): ${primary.explanation}`,
        "Evidence:",
        ...quote(primary.evidence),
      ];
    }
    case "unclassified":
      return diagnosis.decisive.length === 0
        ? ["Cause: unclassified, and the logs hold no error line."]
        : ["Cause: unclassified. Decisive lines:", ...quote(diagnosis.decisive)];
    case "healthy":
      return ["Cause: unclassified. The logs show a bootstrap that went through."];
  }
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

/** "0 s waiting for cloud-init → 12 s kubeadm running → 74 s the check failed" */
function stagesPart({ end, timeline }: Verdict): readonly string[] {
  const failed = end.kind === "failed" || end.kind === "deadline";
  const own = timeline.filter(({ seconds }) => seconds >= 0).slice(-shownStages);
  if (!failed || own.length === 0) return [];
  return [`Stages: ${own.map(({ seconds, event }) => `${String(seconds)} s ${event}`).join(" → ")}`];
}

function outputPart(verdict: Verdict): readonly string[] {
  const { end } = verdict;
  if (end.kind === "not-checked" || end.kind === "reported") return [];
  return outputTails(end.output);
}

function outputTails(output: OutputTails): readonly string[] {
  return [
    ...(output.stdout.trim() === "" ? [] : ["[stdout]", tailOf(output.stdout)]),
    ...(output.stderr.trim() === "" ? [] : ["[stderr]", tailOf(output.stderr)]),
  ];
}

function tailOf(text: string): string {
  const trimmed = text.trimEnd();
  if (trimmed.length <= tailLimit) return trimmed;
  const tail = trimmed.slice(-tailLimit);
  return `[… cut]${tail.slice(tail.indexOf("\n"))}`;
}

function reportPart({ reportFile }: Verdict): readonly string[] {
  return reportFile === undefined ? [] : [`Full report on the machine: ${reportFile}`];
}
