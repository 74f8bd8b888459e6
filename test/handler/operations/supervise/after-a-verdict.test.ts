import { expect, test } from "@jest/globals";
import { canStillTurnUp } from "../../../../handler/operations/supervise/aftercare.ts";
import { observationsOf } from "../../../../handler/operations/supervise/observations-of.ts";
import { parseSettings } from "../../../../handler/settings/parse-settings.ts";
import { failedVerdict, passedVerdict } from "../../../support/verdict-samples.ts";

function readOf(aftercareSeconds: number) {
  const parsed = parseSettings({ publicSettings: { aftercareSeconds }, protectedSettings: {} }, "linux");
  if (parsed.kind === "invalid") throw new Error("the settings are not valid");
  return { settings: parsed.settings, warnings: [] };
}

const silent = failedVerdict().end;
const ends = { failed: silent, passed: passedVerdict().end };
const bundle = { kind: "bundle", version: "1", warnings: [] } as const;
const command = { kind: "command", warnings: [] } as const;

test.each([
  ["a failure that the packaged check told", "failed", bundle, 60, true],
  ["a failure of CAPZ's own loop", "failed", { ...command, waits: true }, 60, true],
  ["a failure of another command", "failed", { ...command, waits: false }, 60, false],
  ["a failure without any check", "failed", undefined, 60, false],
  ["a success", "passed", bundle, 60, false],
  ["a failure where nobody wants to look on", "failed", bundle, 0, false],
] as const)("whether a node may still turn up after %s", (_, end, check, seconds, may) => {
  const reached = { end: ends[end], elapsedMs: 1, read: readOf(seconds), ...(check && { check }) };
  expect(canStillTurnUp(reached as Parameters<typeof canStillTurnUp>[0])).toBe(may);
});

test("a failure of settings that could not be read is looked at no more", () => {
  const reached = { end: ends.failed, elapsedMs: 1, check: bundle };
  expect(canStillTurnUp(reached as unknown as Parameters<typeof canStillTurnUp>[0])).toBe(false);
});

const record = {
  context: { system: "linux", provider: "auto", elapsedMs: 0, timeoutMs: 1, memory: {} },
  asked: [],
} as never;

test.each(["passed", "failed", "deadline"] as const)(
  "what the deciding look saw is kept of what has %s",
  async (kind) => {
    const end = { ...(kind === "passed" ? ends.passed : ends.failed), kind, record, stillRunning: [] };
    const observations = await observationsOf({ end } as never);
    expect(observations?.toString()).toContain('"timeoutMs": 1');
    expect(await observationsOf({ end: { ...end, record: undefined } } as never)).toBeUndefined();
  },
);

test("nothing is kept of what was not checked", async () => {
  expect(await observationsOf({ end: { kind: "not-checked", record } } as never)).toBeUndefined();
});
