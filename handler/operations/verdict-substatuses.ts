import type { Substatus } from "../contract/status.ts";
import {
  statusSchemaVersion,
  substatusNames,
  type DiagnosisMessage,
  type EvidenceMessage,
  type FindingMessage,
  type TimelineMessage,
  type VerdictMessage,
  type VerdictOutcome,
} from "../contract/verdict-substatus.ts";
import type { Diagnosis, EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import { redact } from "../logging/redact.ts";
import { describeFailure } from "./describe-verdict.ts";
import { verdictCode } from "./supervise-status.ts";
import type { Verdict } from "./verdict.ts";

const mostFindings = 5;
const mostLines = 12;
const mostEntries = 30;

/** The machine-readable part: one JSON text per substatus (manifests/status.schema.json). */
export function verdictSubstatuses(verdict: Verdict, line: string): readonly Substatus[] {
  const diagnosed = verdict.diagnosis;
  return [
    substatus(substatusNames.verdict, verdictMessage(verdict, line)),
    ...(diagnosed === undefined ? [] : [substatus(substatusNames.diagnosis, diagnosisMessage(diagnosed.diagnosis))]),
    substatus(substatusNames.timeline, timelineMessage(verdict)),
    ...(diagnosed === undefined
      ? []
      : [
          substatus(substatusNames.evidence, {
            schemaVersion: statusSchemaVersion,
            lines: evidenceLines(diagnosed.diagnosis).slice(0, mostLines),
            probes: diagnosed.probes,
            sources: diagnosed.evidence.slice(0, mostEntries),
          } satisfies EvidenceMessage),
        ]),
  ];
}

/** These inform; the verdict of the extension stands in the status itself, so their own status is always success. */
function substatus(name: string, message: object): Substatus {
  // Redacted value by value, so that what is cut out never takes a quote or a brace of the JSON with it.
  const safe = (_: string, value: unknown) => (typeof value === "string" ? redact(value) : value);
  return { name, status: "success", code: 0, message: JSON.stringify(message, safe) };
}

export function verdictMessage(verdict: Verdict, line: string): VerdictMessage {
  const { end } = verdict;
  const common = {
    schemaVersion: statusSchemaVersion,
    outcome: outcomeOf(verdict),
    code: verdictCode(verdict),
    mode: verdict.mode,
    elapsedSeconds: verdict.elapsedSeconds,
    timeoutSeconds: verdict.timeoutSeconds,
    time: verdict.time,
    vmId: verdict.vmId,
    handlerVersion: verdict.handlerVersion,
    ...(verdict.checkVersion === undefined ? {} : { checkVersion: verdict.checkVersion }),
    warnings: verdict.warnings,
    ...(verdict.reportFile === undefined ? {} : { reportFile: verdict.reportFile }),
  } as const;
  switch (end.kind) {
    case "passed":
      return { ...common, reason: "Bootstrapped", summary: line, providers: end.report.providers ?? [] };
    case "reported":
      return { ...common, reason: "Reported", summary: line, providers: [] };
    case "not-checked":
      return {
        ...common,
        reason: end.error.code.reason,
        summary: end.error.message,
        nextStep: end.error.hint,
        providers: [],
      };
    case "failed":
    case "deadline": {
      const { reason, where, summary, nextStep } = describeFailure(verdict, end);
      const stage = where === "" ? {} : { stage: where };
      return {
        ...common,
        ...stage,
        ...causeFields(verdict),
        reason,
        summary,
        nextStep,
        providers: end.report.providers ?? [],
      };
    }
  }
}

function causeFields(verdict: Verdict): Pick<VerdictMessage, "retryable" | "blame" | "confidence"> {
  const diagnosis = verdict.diagnosis?.diagnosis;
  if (diagnosis?.kind !== "classified") return {};
  const { retryable, blame, confidence } = diagnosis.primary;
  return { retryable, blame, confidence };
}

function outcomeOf({ end }: Verdict): VerdictOutcome {
  switch (end.kind) {
    case "passed":
      return "bootstrapped";
    case "failed":
      return "failed";
    case "deadline":
      return "deadline";
    case "not-checked":
    case "reported":
      return "not-checked";
  }
}

function diagnosisMessage(diagnosis: Diagnosis): DiagnosisMessage {
  return {
    schemaVersion: statusSchemaVersion,
    kind: diagnosis.kind,
    ...(diagnosis.kind === "classified" ? { primary: findingMessage(diagnosis.primary) } : {}),
    others: diagnosis.others.slice(0, mostFindings).map(findingMessage),
  };
}

function findingMessage({ evidence: _, ...finding }: Finding): FindingMessage {
  return finding;
}

function evidenceLines(diagnosis: Diagnosis): readonly EvidenceLine[] {
  switch (diagnosis.kind) {
    case "classified":
      return [...diagnosis.primary.evidence, ...diagnosis.decisive];
    case "unclassified":
      return diagnosis.decisive;
    case "healthy":
      return [];
  }
}

function timelineMessage({ timeline }: Verdict): TimelineMessage {
  const kept =
    timeline.length <= mostEntries ? timeline : [...timeline.slice(0, 5), ...timeline.slice(5 - mostEntries)];
  return { schemaVersion: statusSchemaVersion, entries: kept };
}
