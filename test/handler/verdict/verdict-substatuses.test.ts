import { expect, test } from "@jest/globals";
import { parseStatus } from "../../../handler/contract/parse-status.ts";
import { serialiseStatus } from "../../../handler/contract/status-file.ts";
import type { Diagnosis, EvidenceLine, Finding } from "../../../handler/diagnosis/diagnosis.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import type { Verdict } from "../../../handler/verdict/verdict.ts";
import { show, showAll } from "../../../handler/text/shown-text.ts";
import { failedVerdict, passedVerdict } from "../../support/verdict-samples.ts";

const line: EvidenceLine = {
  source: "kubelet",
  origin: "journalctl -u kubelet",
  line: 4711,
  text: 'E1121 09:14:48 "Failed" err="\\"quoted\\" \\\\ text" '.repeat(14),
};
const finding: Finding = {
  ruleId: "a-rule",
  reason: "SomethingFailed",
  cause: "none",
  stage: "kubelet",
  title: "Something failed on this node",
  summary: 'Something "failed" with many words. '.repeat(4),
  explanation: "Why it fails. ".repeat(30),
  nextStep: "What to do. ".repeat(30),
  references: ["https://example.org/one", "https://example.org/two"],
  retryable: false,
  blame: "configuration",
  confidence: "high",
  evidence: Array.from({ length: 12 }, () => line),
  role: "cause",
};
const verdict: Verdict = {
  end: {
    kind: "failed",
    exit: { kind: "code", code: 1 },
    report: { facts: {} },
    output: { stdout: show("out ".repeat(2000)), stderr: show("err ".repeat(2000)) },
  },
  mode: "enforce",
  elapsedSeconds: 74,
  timeoutSeconds: 900,
  time: "2026-11-21T09:15:00.000Z",
  vmId: "6f1c0f0e-6a39-4c1e-9a51-1f2b3c4d5e6f",
  handlerVersion: "1.0.0",
  timeline: Array.from({ length: 200 }, (_, index) => ({
    time: "2026-11-21T09:14:00.000Z",
    seconds: index,
    event: `event number ${String(index)} of a node that flaps between its stages`,
  })),
  warnings: ["One warning of some length that stands in the status"],
  diagnosis: {
    diagnosis: showAll<Diagnosis>({
      kind: "classified",
      primary: finding,
      others: Array.from({ length: 9 }, () => finding),
      decisive: [line],
    }),
    evidence: Array.from({ length: 60 }, (_, index) => ({
      origin: show(`/var/log/some/long/path/of/a/log/file-${String(index)}.log`),
      source: "system" as const,
      state: "read" as const,
      bytes: 1_000_000,
    })),
    probes: Array.from({ length: 25 }, (_, index) => ({
      name: show(`probe-${String(index)}`),
      target: show("api.example.internal:6443"),
      state: index === 20 ? ("failed" as const) : ("passed" as const),
      message: show("It asked and it got an answer of some length, as probes do"),
      durationMs: 12,
    })),
  },
};

test("the largest status stays valid for the agent, below 16 KiB, and each substatus stays whole JSON", () => {
  const bytes = serialiseStatus({ status: verdictStatus(verdict), sequence: 0, now: new Date(0) });
  expect(bytes.length).toBeLessThanOrEqual(16 * 1024);
  expect(parseStatus(bytes).kind).toBe("valid");
  const [item] = JSON.parse(bytes.toString("utf8")) as { status: { substatus: Part[] } }[];
  const parts = (item?.status.substatus ?? []).filter(({ name }) => name.startsWith("Bootstrap"));
  expect(parts.map(({ name }) => name)).toEqual([
    "BootstrapVerdict",
    "BootstrapDiagnosis",
    "BootstrapTimeline",
    "BootstrapEvidence",
  ]);
  for (const { formattedMessage } of parts) expect(() => JSON.parse(formattedMessage.message) as unknown).not.toThrow();
});

test("of many probes the failed one is kept, and of a long timeline its begin and its end", () => {
  const texts = verdictStatus(verdict).substatuses.map(({ message }) => message);
  expect(texts.join("\n")).toContain("probe-20");
  expect(texts.join("\n")).toContain("event number 0 ");
  expect(texts.join("\n")).toContain("event number 199 ");
});

test("no substatus reads as a success beside a failure, nor as a failure beside a success", () => {
  const statesOf = (one: Verdict) =>
    verdictStatus(one).substatuses.map(({ status, code }) => `${status} ${String(code)}`);
  expect(new Set(statesOf(failedVerdict()))).toEqual(new Set([`error ${String(verdictStatus(failedVerdict()).code)}`]));
  expect(new Set(statesOf(passedVerdict()))).toEqual(new Set(["success 0"]));
  // The extension succeeds in this mode, and so do its parts: the words say what failed.
  expect(new Set(statesOf(failedVerdict({ mode: "observe" })))).toEqual(new Set(["success 0"]));
});

interface Part {
  readonly name: string;
  readonly formattedMessage: { readonly message: string };
}
