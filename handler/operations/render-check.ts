import type { LookRecord } from "../../scripts/check/look.ts";
import type { HookedAnswer } from "../check/program/run-hooks.ts";
import { redact } from "../logging/redact.ts";
import { renderObservations } from "./look-observations.ts";

const words = { bootstrapped: "bootstrapped", failed: "failed", "not-yet": "not yet" } as const;

/** A line for each thing that was seen, the verdict first. */
export function renderCheck({ verdict, report }: HookedAnswer): string {
  const { "decided-by": decidedBy, remark, running, ...facts } = report.facts;
  const rows: readonly (readonly [name: string, value: string | undefined])[] = [
    ["verdict", words[verdict]],
    ["stage", report.stage],
    ["reason", report.reason],
    ["message", report.message],
    ["decided by", decidedBy],
    ["providers", report.providers?.join(", ")],
    ["running", running],
    ["remark", remark],
    ...Object.entries(facts),
  ];
  // Value by value: "user-data: never" is no secret.
  const lines = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`${`${name}:`.padEnd(13)}${redact(value)}`],
  );
  return `${lines.join("\n")}\n`;
}

/** `record`: what the look saw; `--replay` judges it again. */
export function renderCheckAsJson({ verdict, report }: HookedAnswer, record: LookRecord | undefined): string {
  const seen: unknown = record === undefined ? undefined : JSON.parse(renderObservations(record));
  const text = JSON.stringify(
    { verdict, report, ...(seen === undefined ? {} : { record: seen }) },
    (key, value: unknown) => (typeof value === "string" && key !== "verdict" ? redact(value) : value),
    2,
  );
  return `${text}\n`;
}
