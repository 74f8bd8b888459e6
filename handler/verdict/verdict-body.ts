import type { EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import { judgementWords } from "../diagnosis/judgement.ts";
import { trimStop } from "../text/first-line.ts";
import { cutShown, joinShown, ours, show, showLine, type Shown, type ShownText } from "../text/shown-text.ts";
import { isOfCommand } from "./describe-verdict.ts";
import { checkStageInWords } from "./stage-words.ts";
import type { VerdictHead } from "./verdict-head.ts";
import type { Verdict } from "./verdict.ts";

const quotedLines = 6;
const shownStages = 8;

/** What stands between the first line and the output of the check or the command. */
export interface VerdictBody {
  readonly body: readonly ShownText[];
}

export function bodyOf(verdict: Verdict, head: VerdictHead): VerdictBody {
  return {
    body: [
      ...revisedPart(verdict),
      ...causePart(verdict, head),
      ...observePart(verdict),
      ...remarkPart(verdict),
      ...head.warnings.map((warning) => ours`Warning: ${warning}`),
      ...besidePart(verdict),
      ...stagesPart(verdict, head),
      ...reportPart(verdict),
    ],
  };
}

function revisedPart({ revised }: Verdict): readonly ShownText[] {
  return revised === undefined ? [] : [ours`First verdict, now revised: ${revised.firstLine}`];
}

function causePart(verdict: Verdict, head: VerdictHead): readonly ShownText[] {
  if (head.nextStep === undefined) return [];
  const why = verdict.end.kind === "not-checked" ? [ours`Why: ${head.summary}.`] : explanation(verdict, head);
  return [...why, ours`Next: ${trimStop(head.nextStep)}.`];
}

function explanation(verdict: Verdict, head: VerdictHead): readonly ShownText[] {
  const { diagnosis: diagnosed, ownCommand } = verdict;
  if (head.isOwn) return ownWords(verdict, head);
  if (diagnosed === undefined) return [];
  const { diagnosis } = diagnosed;
  if (head.cause !== undefined) return causeWords(head.cause);
  switch (diagnosis.kind) {
    case "healthy":
      return [ours`Cause: unclassified. The logs show a bootstrap that went through.`];
    case "classified":
      // A guess at the command's own words is no news of the machine.
      return isOfCommand(diagnosis.primary) ? [] : seenBeside(diagnosis.primary, ours`the command`);
    case "unclassified":
      if (diagnosis.notMade !== undefined)
        return [ours`Cause: not known, because the diagnosis could not be made (${diagnosis.notMade}).`];
      if (head.evidence.length > 0)
        return [...wholeSummary(head), ours`Cause: unclassified. Decisive lines:`, ...quote(head.evidence)];
      return ownCommand === true ? [] : [ours`Cause: unclassified, and the logs hold no error line.`];
  }
}

/** A check of the operator's has said why; what the machine's logs show is an appendix, and no cause is guessed beside it. */
function ownWords({ diagnosis: diagnosed }: Verdict, head: VerdictHead): readonly ShownText[] {
  const why = wholeSummary(head);
  if (diagnosed?.diagnosis.kind === "classified")
    return [...why, ...seenBeside(diagnosed.diagnosis.primary, ours`the check`)];
  return head.evidence.length === 0 ? why : [...why, ours`Last errors in the logs:`, ...quote(head.evidence)];
}

/** What the first line had no room for: also what was still running. */
function wholeSummary({ line, summary }: VerdictHead): readonly ShownText[] {
  return line.includes(summary) ? [] : [ours`Why: ${trimStop(summary)}.`];
}

function causeWords(cause: Shown<Finding>): readonly ShownText[] {
  return [
    ours`Cause (${joinShown(judgementWords(cause), "; ")}): ${cause.explanation}`,
    ours`Evidence:`,
    ...quote(cause.evidence),
  ];
}

/** What the machine shows apart from a command or a check that said itself why it failed; it may have nothing to do with it. */
function seenBeside({ reason, summary }: Shown<Finding>, who: ShownText): readonly ShownText[] {
  return [ours`Also seen on the machine, apart from ${who} (${reason}): ${summary}`];
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
function stagesPart({ end }: Verdict, { timeline }: VerdictHead): readonly ShownText[] {
  const failed = end.kind === "failed" || end.kind === "deadline";
  const own = timeline.filter(({ seconds }) => seconds >= 0).slice(-shownStages);
  if (!failed || own.length === 0) return [];
  const stages = own.map(({ seconds, event }) => ours`${seconds} s ${cutShown.oneLine(event)}`);
  return [ours`Stages: ${joinShown(stages, " → ")}`];
}

function reportPart({ reportUri, reportFile }: Verdict): readonly ShownText[] {
  return [
    ...(reportUri === undefined ? [] : [ours`Full report: ${show(reportUri)}`]),
    ...(reportFile === undefined ? [] : [ours`Full report on the machine: ${show(reportFile)}`]),
  ];
}
