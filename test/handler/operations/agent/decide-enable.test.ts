import { describe, expect, test } from "@jest/globals";
import { decideEnable, type EnableFacts } from "../../../../handler/operations/agent/decide-enable.ts";
import { ours } from "../../../../handler/text/shown-text.ts";
import type { RunState } from "../../../../handler/state/run-state.ts";

const state: RunState = {
  version: 1,
  sequence: 7,
  vmId: "this-vm",
  handlerVersion: "1.0.0",
  startedAt: "2026-11-21T09:00:00.000Z",
  clock: { bootId: "boot", usedMs: 0, atMonotonicMs: 0 },
  timeline: [],
};
const verdict = {
  status: { kind: "error", operation: "Enable", code: 10, message: ours`Bootstrap failed`, substatuses: [] },
  decidedAt: "2026-11-21T09:01:00.000Z",
  afterSeconds: 60,
  final: true,
} as const;
const facts: EnableFacts = {
  sequence: 7,
  lastSequence: 7,
  vmId: "this-vm",
  state,
  supervisor: undefined,
  statusFile: "transitioning",
};

describe("decideEnable()", () => {
  test("leaves a living supervisor of the same sequence alone", () => {
    expect(decideEnable({ ...facts, supervisor: "ours" })).toEqual({ kind: "running" });
  });

  test("killed mid-run, enable again: goes on instead of transitioning for ever (Custom Script exits 0 and does nothing)", () => {
    expect(decideEnable(facts)).toEqual({ kind: "resume", statusLost: false, stopOther: false });
  });

  test("goes on and writes the waiting status again when the status file was lost in mid-run", () => {
    expect(decideEnable({ ...facts, statusFile: "none" })).toEqual({
      kind: "resume",
      statusLost: true,
      stopOther: false,
    });
  });

  test("status lost, done before: writes the verdict again (Custom Script leaves transitioning for ever)", () => {
    const decision = decideEnable({ ...facts, state: { ...state, verdict }, statusFile: "none" });
    expect(decision).toEqual({ kind: "concluded", verdict, statusLost: true });
  });

  test("rewrites a verdict that somebody replaced by a transitioning placeholder", () => {
    const decision = decideEnable({ ...facts, state: { ...state, verdict }, statusFile: "transitioning" });
    expect(decision).toMatchObject({ kind: "concluded", statusLost: true });
  });

  test("leaves the status file alone when the verdict stands in it", () => {
    const decision = decideEnable({ ...facts, state: { ...state, verdict }, statusFile: "error" });
    expect(decision).toMatchObject({ kind: "concluded", statusLost: false });
  });

  test("adopts a verdict that a crash kept out of the state", () => {
    expect(decideEnable({ ...facts, statusFile: "success" })).toEqual({ kind: "adopt" });
  });

  test("stops the supervisor that an update left behind, and goes on with the wait in the folder of this version", () => {
    const decision = decideEnable({ ...facts, supervisor: "other" });
    expect(decision).toEqual({ kind: "resume", statusLost: false, stopOther: true });
  });

  test("goes on with the aftercare of a failed node after a crash", () => {
    const late = { ...state, verdict: { ...verdict, final: false } };
    expect(decideEnable({ ...facts, state: late, statusFile: "error" })).toEqual({
      kind: "resume",
      statusLost: false,
      stopOther: false,
    });
  });

  test.each([
    ["a higher number", 6],
    ["a lower number: numbers can go down", 9],
  ])("begins when the agent asks for %s, and stops the supervisor of the other settings", (_, lastSequence) => {
    const decision = decideEnable({ ...facts, lastSequence, supervisor: "other" });
    expect(decision).toEqual({ kind: "begin", why: "other-sequence", stopOther: true });
  });

  test("begins anew when the number comes back after another one, even where a verdict of it is left", () => {
    const decision = decideEnable({ ...facts, lastSequence: 8, state: { ...state, verdict }, statusFile: "error" });
    expect(decision).toMatchObject({ kind: "begin" });
  });

  test("captured image: state, mrseq and a good status of another VM count for nothing", () => {
    const donor = {
      ...state,
      vmId: "donor",
      verdict: { ...verdict, status: { ...verdict.status, kind: "success" as const } },
    };
    const decision = decideEnable({ ...facts, state: donor, statusFile: "success" });
    expect(decision).toEqual({ kind: "begin", why: "foreign", stopOther: false });
  });

  test("begins when the agent copied mrseq and status but our private state is gone", () => {
    expect(decideEnable({ ...facts, state: undefined, statusFile: "success" })).toMatchObject({ kind: "begin" });
  });

  test("begins when the extension was removed and attached again under the same number", () => {
    const decision = decideEnable({
      ...facts,
      lastSequence: undefined,
      state: { ...state, verdict },
      statusFile: "none",
    });
    expect(decision).toEqual({ kind: "begin", why: "new", stopOther: false });
  });
});
