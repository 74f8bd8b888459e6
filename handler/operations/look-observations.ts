import type { LookRecord, Observation } from "../../scripts/check/look.ts";
import { redact } from "../logging/redact.ts";

/** UTF-16 units of one text and of all texts: the newest part of a long log says most. */
const longestText = 512 * 1024;
const longestRecord = 2 * 1024 * 1024;

/**
 * observations.json: what the deciding look asked and was told, so that its verdict can be had again anywhere (`capz-bootstrap
 * check --replay`). Redacted text by text; the questions are the check's own words and stay as they are.
 */
export function renderObservations(record: LookRecord): string {
  let left = longestRecord;
  const observations = record.observations.map(({ question, answer }): Observation => {
    const shown = mapTexts(answer, (text) => {
      const cut = lastPart(redact(text), Math.min(longestText, left));
      left -= cut.length;
      return cut;
    });
    return { question, answer: shown };
  });
  const { protocol } = record;
  const context = mapTexts(record.context, redact);
  const result = mapTexts(record.result, redact);
  return `${JSON.stringify({ protocol, context, observations, result }, undefined, 2)}\n`;
}

/** The same value with every text in it put through `change`; names of fields stay. */
function mapTexts<Value>(value: Value, change: (text: string) => string): Value;
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [
      key,
      key === "kind" ? item : mapTexts(item, change),
    ]),
  );
}

function lastPart(text: string, length: number): string {
  return text.length <= length ? text : text.slice(text.length - length).toWellFormed();
}
