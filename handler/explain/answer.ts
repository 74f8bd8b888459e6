import { findAzureError, isPlainScriptFailure } from "./azure-errors.ts";
import type { Answer, FoundStatus, QuotedLine } from "./explanation.ts";
import { findVerdictText } from "./find-verdict-text.ts";
import { readMessage, type ReadMessage } from "./read-message.ts";
import { readSubstatuses, type ReadSubstatuses } from "./read-substatuses.ts";

/** Turns a found status into an answer: the substatuses lead, the message fills what they lack. */
export function answer(found: FoundStatus): Answer {
  const text = findVerdictText(found.message);
  const message = text === undefined ? undefined : readMessage(text);
  const parts = readSubstatuses(found.substatuses);
  const notes = [...found.notes, ...parts.unreadable.map(unreadableNote)];
  if (parts.verdict === undefined && message === undefined) return unknownAnswer({ ...found, notes });
  return {
    ...identity(found),
    ...mergeVerdict(parts, message),
    ...cause(parts, message),
    evidence: withoutRepeats(parts.evidence.length > 0 ? parts.evidence : (message?.evidence ?? [])),
    probes: parts.probes,
    timeline: parts.timeline,
    otherFindings: parts.otherFindings,
    notes: [...notes, ...(message?.summary.endsWith("…") === true && parts.verdict === undefined ? [cutNote] : [])],
  };
}

/** The line that decides is often evidence of the named cause too. */
function withoutRepeats(lines: readonly QuotedLine[]): readonly QuotedLine[] {
  return [...new Map(lines.map((line) => [`${line.origin}\n${line.text}`, line])).values()];
}

const cutNote = "The text was cut. The instance view of the machine and the report on the machine hold all of it.";

function unreadableNote(name: string): string {
  return `The substatus ${name} could not be read: it was cut, or a later version wrote it. The message is used instead.`;
}

function identity(found: FoundStatus): Pick<Answer, "machine" | "from"> {
  return { ...(found.machine === undefined ? {} : { machine: found.machine }), from: found.from };
}

type VerdictPart = Pick<
  Answer,
  | "outcome"
  | "reason"
  | "code"
  | "mode"
  | "stage"
  | "elapsedSeconds"
  | "summary"
  | "nextStep"
  | "providers"
  | "warnings"
  | "reportFile"
  | "time"
  | "handlerVersion"
  | "vmId"
  | "sequence"
>;

function mergeVerdict({ verdict }: ReadSubstatuses, message: ReadMessage | undefined): VerdictPart {
  if (verdict !== undefined) return withoutKey(verdict);
  if (message === undefined) return { outcome: "unknown", summary: "", providers: [], warnings: [] };
  const { outcome, reason, stage, elapsedSeconds, summary, nextStep, providers, warnings, reportFile } = message;
  return {
    outcome,
    reason,
    summary,
    providers,
    warnings,
    ...(stage === undefined ? {} : { stage }),
    ...(elapsedSeconds === undefined ? {} : { elapsedSeconds }),
    ...(nextStep === undefined ? {} : { nextStep }),
    ...(reportFile === undefined ? {} : { reportFile }),
  };
}

/** The schema number is ours to read, not the reader's to see. */
function withoutKey({ schemaVersion: _, ...verdict }: NonNullable<ReadSubstatuses["verdict"]>): VerdictPart {
  return verdict;
}

type CausePart = Partial<Pick<Answer, "explanation" | "retryable" | "blame" | "confidence">>;

/** The later source wins: the message may be cut, the verdict is the shortest and the surest. */
function cause({ verdict, primary }: ReadSubstatuses, message: ReadMessage | undefined): CausePart {
  return { ...causeOf(message), ...causeOf(primary), ...causeOf(verdict) };
}

function causeOf(source: CausePart | undefined): CausePart {
  if (source === undefined) return {};
  const { explanation, retryable, blame, confidence } = source;
  return {
    ...(explanation === undefined ? {} : { explanation }),
    ...(retryable === undefined ? {} : { retryable }),
    ...(blame === undefined ? {} : { blame }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}

const nothing = {
  providers: [],
  evidence: [],
  probes: [],
  timeline: [],
  otherFindings: [],
  warnings: [],
} as const;

function unknownAnswer(found: FoundStatus): Answer {
  const azure = findAzureError(found.message);
  const common = { ...identity(found), ...nothing, outcome: "unknown", notes: found.notes } as const;
  if (azure !== undefined) {
    return { ...common, reason: azure.code, summary: `${azure.summary}.`, nextStep: `${azure.nextStep}.` };
  }
  if (isPlainScriptFailure(found.message)) {
    return {
      ...common,
      summary:
        "A script extension reports that its command failed. It does not say why the node failed to bootstrap; this is not the answer of our extension.",
      nextStep:
        "Read /var/log/cloud-init-output.log on the machine, or attach this extension and create the machine again.",
    };
  }
  return { ...common, summary: unknownSummary(found.message), nextStep: askInstanceView };
}

const askInstanceView =
  "Ask Azure for the whole answer: az vm get-instance-view --resource-group GROUP --name MACHINE | capz-bootstrap explain -";

function unknownSummary(message: string): string {
  const line = message.trim().split("\n")[0] ?? "";
  if (line === "") return "No verdict: the status has no message.";
  return `No verdict in the text: "${line.length > 160 ? `${line.slice(0, 159)}…` : line}"`;
}
