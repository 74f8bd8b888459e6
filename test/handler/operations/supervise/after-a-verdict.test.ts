import { expect, test } from "@jest/globals";
import type { LookRecord } from "../../../../scripts/check/look.ts";
import { HandlerError } from "../../../../handler/errors/handler-error.ts";
import { canStillTurnUp } from "../../../../handler/operations/supervise/aftercare.ts";
import { observationsOf } from "../../../../handler/operations/supervise/observations-of.ts";
import type { ReachedEnd } from "../../../../handler/operations/supervise/reach-end.ts";
import { parseSettings } from "../../../../handler/settings/parse-settings.ts";
import { ours } from "../../../../handler/text/shown-text.ts";
import type { VerdictEnd } from "../../../../handler/verdict/verdict.ts";
import { failedVerdict, passedVerdict } from "../../../support/verdict-samples.ts";

function readOf(aftercareSeconds: number) {
  const parsed = parseSettings({ publicSettings: { aftercareSeconds }, protectedSettings: {} }, "linux");
  if (parsed.kind === "invalid") throw new Error("the settings are not valid");
  return { settings: parsed.settings, warnings: [] };
}

const silent = { stdout: ours``, stderr: ours`` };
const { end: failed } = failedVerdict();
const { end: passed } = passedVerdict();
const run = { outcome: { kind: "interrupted", report: { facts: {} } }, warnings: [] } as const;
const bundle = { ...run, kind: "bundle", version: "1" } as const;
const command = { ...run, kind: "command" } as const;

const rows: readonly (readonly [what: string, reached: Pick<ReachedEnd, "end" | "check">, aftercareSeconds: number])[] =
  [
    ["a failure of another command", { end: failed, check: command }, 60],
    ["a failure without any check", { end: failed }, 60],
    ["a success", { end: passed, check: bundle }, 60],
    ["a failure where nobody wants to look on", { end: failed, check: bundle }, 0],
  ];

test.each(rows)("a node cannot turn up any more after %s", (...[, reached, seconds]) => {
  expect(canStillTurnUp({ ...reached, elapsedMs: 1, read: readOf(seconds) })).toBe(false);
});

test("a node may still turn up after a failure that the packaged check told, or CAPZ's own loop, where settings are known", () => {
  const reached = { end: failed, elapsedMs: 1, read: readOf(60) };
  expect(canStillTurnUp({ ...reached, check: bundle })).toBe(true);
  expect(canStillTurnUp({ ...reached, check: { ...command, waits: true } })).toBe(true);
  expect(canStillTurnUp({ end: failed, elapsedMs: 1, check: bundle })).toBe(false);
});

const record: LookRecord = {
  protocol: 2,
  context: { system: "linux", provider: "auto", elapsedMs: 0, timeoutMs: 1, memory: {} },
  observations: [],
  result: {
    verdict: "not-yet",
    stage: "kubeadm-join",
    providers: [],
    running: [],
    remarks: [],
    facts: {},
    nextLookMs: 250,
    decidedBy: [],
    memory: {},
  },
};
const common = { report: { facts: {} }, output: silent, record };
const kept: readonly VerdictEnd[] = [
  { ...common, kind: "passed" },
  { ...common, kind: "failed", exit: { kind: "code", code: 1 } },
  { ...common, kind: "deadline", stillRunning: [] },
];

test.each(kept)("what the deciding look saw is kept: $kind", async (end) => {
  expect(String(await observationsOf(failedVerdict({ end })))).toContain('"timeoutMs": 1');
});

test("nothing is kept where nobody looked", async () => {
  const error = new HandlerError("interrupted", "it was cut off");
  expect(await observationsOf(failedVerdict({ end: { kind: "not-checked", error } }))).toBeUndefined();
  expect(await observationsOf(failedVerdict())).toBeUndefined();
});
