import type { LookRecord } from "../../../scripts/check/look.ts";
import type { HookedAnswer } from "../../check/program/run-hooks.ts";
import { joinShown, ours, show, showAll, showLine, shownJson, type ShownText } from "../../text/shown-text.ts";
import { shownRecord } from "../supervise/look-observations.ts";

const words = { bootstrapped: "bootstrapped", failed: "failed", "not-yet": "not yet" } as const;
const nameWidth = 13;

/** A line for each thing that was seen, the verdict first. */
export function renderCheck({ verdict, report }: HookedAnswer): ShownText {
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
  const lines = rows.flatMap(([name, value]) =>
    // Value by value: "user-data: never" is no secret.
    value === undefined ? [] : [ours`${show(`${name}:`.padEnd(nameWidth))}${showLine(value)}`],
  );
  return ours`${joinShown(lines, "\n")}\n`;
}

/** `record`: what the look saw; `--replay` judges it again. */
export function renderCheckAsJson({ verdict, report }: HookedAnswer, record: LookRecord | undefined): ShownText {
  const seen = record === undefined ? {} : { record: shownRecord(record) };
  return ours`${shownJson({ verdict, report: showAll(report), ...seen }, 2)}\n`;
}

/** What a bundle or a hook came to, and the status that the operator would read. */
export function renderTried(answer: HookedAnswer, message: ShownText): ShownText {
  return ours`${renderCheck(answer)}\nThe status would say:\n\n${message}\n`;
}

export function renderTriedAsJson({ verdict, report }: HookedAnswer, message: ShownText): ShownText {
  return ours`${shownJson({ verdict, report: showAll(report), message }, 2)}\n`;
}
