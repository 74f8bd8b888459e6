import type { TimelineEntry, VerdictOutcome } from "../contract/verdict-substatus.ts";
import type { EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import type { Judgement } from "../diagnosis/judgement.ts";
import { proofWords } from "../proof/proof-words.ts";
import { firstLineLimit } from "../text/first-line-parts.ts";
import { firstLine } from "../text/first-line.ts";
import { cutShown, ours, showAll, showLine, type Shown, type ShownText } from "../text/shown-text.ts";
import {
  decisiveLines,
  describeFailure,
  judgementOf,
  leadingCause,
  leadsItself,
  type FailedEnd,
} from "./describe-verdict.ts";
import { notCheckedWords } from "./not-checked.ts";
import type { Verdict } from "./verdict.ts";

/** The answer itself: what happened, why, and what to do. */
export interface VerdictHead {
  /** The first line, at most `firstLineLimit` characters: verdict, cause, evidence, next step. */
  readonly line: ShownText;
  readonly outcome: VerdictOutcome;
  readonly reason: ShownText;
  /** Number of docs/codes.md, whatever the mode; 0 for a success. */
  readonly code: number;
  /** Where it failed, behind "in"; empty when not known. */
  readonly where: ShownText;
  /** One sentence: what happened. */
  readonly summary: ShownText;
  /** Undefined for a success. */
  readonly nextStep: ShownText | undefined;
  /** Whose side it is, how sure that is, and whether to try again. */
  readonly judgement: Judgement;
  /** The check or the command gave the reason and the words; the diagnosis only adds to them. */
  readonly isOwn: boolean;
  /** The finding of the diagnosis that the verdict names. */
  readonly cause: Shown<Finding> | undefined;
  /** The lines that show it, most telling first. */
  readonly evidence: readonly Shown<EvidenceLine>[];
  /** Bootstrap providers whose evidence was found. */
  readonly providers: readonly ShownText[];
  readonly warnings: readonly ShownText[];
  /** Oldest first. */
  readonly timeline: readonly Shown<TimelineEntry>[];
}

/** Characters of the place in the first line: a check of somebody else's may name its stages as it likes. */
const placeLimit = 60;

type Answer = Omit<VerdictHead, "warnings" | "timeline">;

const nothingFound = { isOwn: false, cause: undefined, evidence: [], judgement: {}, where: ours`` } as const;

export function headOf(verdict: Verdict): VerdictHead {
  return { ...answerOf(verdict), warnings: showAll(verdict.warnings), timeline: showAll(verdict.timeline) };
}

function answerOf(verdict: Verdict): Answer {
  const { end } = verdict;
  switch (end.kind) {
    case "passed":
      return passed(verdict, end);
    case "failed":
    case "deadline":
      return failed(verdict, end);
    case "not-checked":
      return notChecked(end);
    case "reported":
      return reported(end);
  }
}

type End<Kind extends Verdict["end"]["kind"]> = Extract<Verdict["end"], { kind: Kind }>;

function passed({ elapsedSeconds, revised }: Verdict, { report }: End<"passed">): Answer {
  const names = report.providers ?? [];
  const provider = names.length === 0 ? ours`` : ours` (${showLine(names.join(", "))})`;
  const late = revised === undefined ? ours`` : ours`, late by ${revised.lateBySeconds} s`;
  const detail = report.message === undefined ? ours`` : ours`: ${showLine(report.message)}`;
  return good("bootstrapped", {
    reason: ours`Bootstrapped`,
    line: ours`Bootstrapped in ${elapsedSeconds} s${provider}${late}${detail}`,
    providers: showAll(names),
  });
}

function reported({ proof }: End<"reported">): Answer {
  const line = ours`Bootstrap reported, not judged: ${showLine(proofWords(proof).join("; "))}`;
  return good("not-checked", { reason: ours`Reported`, line, providers: [] });
}

function good(outcome: VerdictOutcome, told: Pick<Answer, "reason" | "line" | "providers">): Answer {
  const line = cutShown.atWord(told.line, firstLineLimit);
  return { ...nothingFound, ...told, line, outcome, code: 0, summary: line, nextStep: undefined };
}

function failed(verdict: Verdict, end: FailedEnd): Answer {
  const cause = leadingCause(verdict, end);
  const { code, ...words } = describeFailure(verdict, end, cause);
  const isOwn = leadsItself(end);
  const where = isOwn || words.where.length === 0 ? ours`` : ours` in ${cutShown.atWord(words.where, placeLimit)}`;
  return {
    ...words,
    line: firstLine({
      head: ours`Bootstrap failed (${words.reason})${where} after ${verdict.elapsedSeconds} s`,
      summary: words.summary,
      nextStep: words.nextStep,
      keepSummary: isOwn,
    }),
    outcome: end.kind,
    isOwn,
    code: code.number,
    cause,
    evidence: cause?.evidence ?? decisiveLines(verdict),
    providers: showAll(end.report.providers ?? []),
  };
}

function notChecked({ error }: End<"not-checked">): Answer {
  return {
    ...nothingFound,
    ...notCheckedWords(error),
    outcome: "not-checked",
    judgement: judgementOf(error.code.reason),
    providers: [],
  };
}
