import type { HookedAnswer } from "../../handler/check/program/run-hooks.ts";
import type { ExpectedVerdict } from "../../scripts/dev/read-scenarios.ts";

/** What a check says of a machine, however it was asked. */
export interface SaidOfScenario {
  readonly verdict: HookedAnswer["verdict"];
  readonly report: Pick<HookedAnswer["report"], "facts"> & {
    readonly stage?: string | undefined;
    readonly reason?: string | undefined;
    readonly message?: string | undefined;
    readonly providers?: readonly string[] | undefined;
  };
}

const verdicts = { bootstrapped: "success", "not-yet": "waiting", failed: "failed" } as const;

/** What differs from the expected verdict, as sentences; empty when nothing does. */
export function differences(expected: ExpectedVerdict, { verdict, report }: SaidOfScenario): readonly string[] {
  const rows: readonly (readonly [what: string, wanted: string | undefined, actual: string | undefined])[] = [
    ["verdict", expected.verdict, verdicts[verdict]],
    ["stage", expected.stage, report.stage],
    ["providers", expected.providers?.join(","), report.providers?.join(",")],
  ];
  const parts = Object.entries({ ...expected.facts, message: expected.messageContains ?? "" });
  const said = { ...report.facts, message: report.message ?? "" };
  const found = [
    ...rows.flatMap(([what, wanted, actual]) =>
      wanted === undefined || wanted === actual ? [] : [`${what}: wanted ${wanted}, is ${actual ?? "absent"}`],
    ),
    ...(expected.reason === report.reason
      ? []
      : [`reason: wanted ${String(expected.reason)}, is ${String(report.reason)}`]),
    ...parts.flatMap(([key, part]) => {
      const text = new Map(Object.entries(said)).get(key) ?? "absent";
      return text.includes(part) || part === "" ? [] : [`${key}: wanted "…${part}…", is "${text}"`];
    }),
  ];
  const isMute = expected.verdict === "failed" && report.message === undefined;
  return [
    ...found,
    ...(isMute ? ["a failure without a message"] : []),
    ...(found.length > 0 ? [JSON.stringify(report)] : []),
  ];
}
