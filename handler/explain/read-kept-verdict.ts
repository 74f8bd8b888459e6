import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import type { Answer, FoundStatus, QuotedLine } from "./explanation.ts";
import { findVerdictText } from "./find-verdict-text.ts";
import { listOf, textOf } from "./json-fields.ts";
import type { TimelineEntry } from "../contract/verdict-substatus.ts";

/**
 * A BootstrapVerdict of the management side (manifests/management/crd), from the API server or as `kubectl describe` prints it, where
 * every value is text. It holds more than its first line, which is cut: the whole next step, the evidence, the judgement.
 */
export function readKeptVerdict(value: JsonObject): FoundStatus | undefined {
  const verdict = value["verdict"];
  if (value["kind"] !== "BootstrapVerdict" || !isJsonObject(verdict)) return undefined;
  const firstLine = textOf(verdict["firstLine"]) ?? "";
  const machine = isJsonObject(value["machine"]) ? textOf(value["machine"]["name"]) : undefined;
  return {
    ...(machine === undefined ? {} : { machine }),
    from: "BootstrapVerdict",
    message: firstLine,
    substatuses: [],
    notes: notesOn(value, verdict),
    known: { ...ownOutcome(verdict, firstLine), ...judgementOf(verdict), ...placesOf(verdict) },
  };
}

const outcomes = ["waiting", "failed", "deadline", "bootstrapped", "unknown"] as const;

/** The line may be the management side's own: "The extension reports success". Then the object's outcome is all there is. */
function ownOutcome(verdict: JsonObject, firstLine: string): Partial<Answer> {
  const outcome = outcomes.find((one) => one === verdict["outcome"]);
  if (outcome === undefined || findVerdictText(firstLine) !== undefined) return {};
  return { outcome, summary: firstLine, ...texts(verdict, ["reason"]) };
}

function judgementOf(verdict: JsonObject): Partial<Answer> {
  const retryable = booleanOf(verdict["retryable"]);
  const evidence = listOf(verdict["evidence"]).flatMap(quotedLine);
  const timeline = listOf(verdict["timeline"]).flatMap(timelineEntry);
  return {
    ...texts(verdict, ["nextStep", "blame", "confidence", "stage", "mode"]),
    ...(retryable === undefined ? {} : { retryable }),
    ...(evidence.length === 0 ? {} : { evidence }),
    ...(timeline.length === 0 ? {} : { timeline }),
  };
}

function placesOf(verdict: JsonObject): Partial<Answer> {
  const elapsedSeconds = numberOf(verdict["elapsedSeconds"]);
  const sequence = numberOf(verdict["sequence"]);
  return {
    ...texts(verdict, ["reportFile", "reportUri", "vmId", "time"]),
    ...(elapsedSeconds === undefined ? {} : { elapsedSeconds }),
    ...(sequence === undefined ? {} : { sequence }),
  };
}

function notesOn(value: JsonObject, verdict: JsonObject): readonly string[] {
  const gone = textOf(value["machineGone"]);
  return [
    ...(verdict["source"] === "capzCondition"
      ? ["The management side has this from a condition that CAPZ wrote; the instance view of the machine holds more."]
      : []),
    ...(gone === undefined ? [] : [`The Machine is gone since ${gone}.`]),
  ];
}

type TextField =
  "reason" | "nextStep" | "blame" | "confidence" | "stage" | "mode" | "reportFile" | "reportUri" | "vmId" | "time";

function texts(verdict: JsonObject, names: readonly TextField[]): Partial<Answer> {
  const found: Partial<Record<TextField, string>> = {};
  for (const name of names) {
    const text = textOf(verdict[name]);
    if (text !== undefined) found[name] = text;
  }
  return found;
}

function quotedLine(value: unknown): readonly QuotedLine[] {
  if (!isJsonObject(value)) return [];
  const origin = textOf(value["origin"]);
  const text = textOf(value["text"]);
  const line = numberOf(value["line"]);
  if (origin === undefined || text === undefined) return [];
  return [{ origin, ...(line === undefined ? {} : { line }), text }];
}

function timelineEntry(value: unknown): readonly TimelineEntry[] {
  if (!isJsonObject(value)) return [];
  const time = textOf(value["time"]);
  const event = textOf(value["event"]);
  const stage = textOf(value["stage"]);
  const seconds = numberOf(value["seconds"]);
  if (time === undefined || event === undefined || seconds === undefined) return [];
  return [{ time, seconds, event, ...(stage === undefined ? {} : { stage }) }];
}

function booleanOf(value: unknown): boolean | undefined {
  if (value === "true" || value === true) return true;
  return value === "false" || value === false ? false : undefined;
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
}
