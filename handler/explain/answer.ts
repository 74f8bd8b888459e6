import { findAzureError, isPlainScriptFailure } from "./azure-errors.ts";
import { describeReason, openReasons } from "../reasons/reasons.ts";
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
  | "reportUri"
  | "time"
  | "handlerVersion"
  | "vmId"
  | "sequence"
>;

function mergeVerdict({ verdict }: ReadSubstatuses, message: ReadMessage | undefined): VerdictPart {
  if (verdict !== undefined) return withoutKey(verdict);
  if (message === undefined) return { outcome: "unknown", summary: "", providers: [], warnings: [] };
  const { outcome, reason, stage, elapsedSeconds, summary, nextStep, providers, warnings, reportFile, reportUri } =
    message;
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
    ...(reportUri === undefined ? {} : { reportUri }),
  };
}

/** The schema number is ours to read, not the reader's to see. */
function withoutKey({ schemaVersion: _, ...verdict }: NonNullable<ReadSubstatuses["verdict"]>): VerdictPart {
  return verdict;
}

type CausePart = Partial<Pick<Answer, "explanation" | "retryable" | "blame" | "confidence">>;

/** The later source wins: the message may be cut, the verdict is the shortest and the surest. */
function cause({ verdict, primary }: ReadSubstatuses, message: ReadMessage | undefined): CausePart {
  const reason = verdict?.reason ?? message?.reason;
  return { ...ofTable(reason), ...causeOf(message), ...causeOf(primary), ...causeOf(verdict) };
}

/** The message may be cut behind its first words: the reason alone still says something. */
function ofTable(reason: string | undefined): CausePart {
  // "The deadline ran out" does not say whose side it is.
  const known = reason === undefined || openReasons.has(reason) ? undefined : describeReason(reason);
  return known === undefined
    ? {}
    : { explanation: `${known.meaning}.`, retryable: known.retryable, blame: known.blame };
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
  return { ...common, summary: unknownSummary(found.message), nextStep: askInstanceView(found.machine) };
}

/** An instance of a Uniform scale set is no VM resource; its name ends in its number. */
function askInstanceView(machine: string | undefined): string {
  const instance = /^(?<pool>.+)_(?<number>\d+)$/u.exec(machine ?? "")?.groups;
  const command =
    instance === undefined
      ? "az vm get-instance-view --resource-group GROUP --name MACHINE"
      : `az vmss get-instance-view --resource-group GROUP --name ${instance["pool"] ?? ""} --instance-id ${instance["number"] ?? ""}`;
  return `Ask Azure for the whole answer: ${command} | capz-bootstrap explain -`;
}

function unknownSummary(message: string): string {
  const line = message.trim().split("\n")[0] ?? "";
  if (line === "") return "No verdict: the status has no message.";
  return `No verdict in the text: "${line.length > 160 ? `${line.slice(0, 159)}…` : line}"`;
}
