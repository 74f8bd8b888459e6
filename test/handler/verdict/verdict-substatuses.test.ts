import { expect, test } from "@jest/globals";
import { parseStatus } from "../../../handler/contract/parse-status.ts";
import { parseCheckOutput } from "../../../handler/check/running/read-check-output.ts";
import { serialiseStatus } from "../../../handler/contract/status-file.ts";
import type { Diagnosis, EvidenceLine, Finding } from "../../../handler/diagnosis/diagnosis.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import type { Verdict } from "../../../handler/verdict/verdict.ts";
import type { ProofMessage } from "../../../handler/contract/verdict-substatus.ts";
import { show, showAll } from "../../../handler/text/shown-text.ts";
import { cloneProof, failedVerdict, passedVerdict } from "../../support/verdict-samples.ts";

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

/** What a hook or an own check of somebody else's may say of itself, in the largest status. */
function wordy(letter: string): Verdict {
  const text = letter.repeat(2000);
  const keys = ["stage", "message", "next", "providers", "remark"];
  const said = ["reason=CustomCheckFailed", ...keys.map((key) => `${key}=${text}`)].join("\n");
  const { end } = verdict;
  return end.kind === "failed" ? { ...verdict, end: { ...end, report: parseCheckOutput(Buffer.from(said)) } } : verdict;
}

test.each([
  ["words of other alphabets", wordy("\u6f22")],
  ["quotes", wordy('"')],
  ["backslashes", wordy("\\")],
  [
    "warnings",
    { ...verdict, warnings: Array.from({ length: 300 }, (_, index) => `${String(index)} ${"w ".repeat(200)}`) },
  ],
  ["address of the report", { ...verdict, reportUri: show(`https://reports.example/${"r-".repeat(7000)}`) }],
])("%s of any length leave every substatus whole JSON, and the message its first lines", (_, one) => {
  const bytes = serialiseStatus({ status: verdictStatus(one), sequence: 0, now: new Date(0) });
  expect(bytes.length).toBeLessThanOrEqual(16 * 1024);
  const [item] = JSON.parse(bytes.toString("utf8")) as { status: Part & { substatus: Part[] } }[];
  const parts = (item?.status.substatus ?? []).filter(({ name }) => name.startsWith("Bootstrap"));
  expect(parts).toHaveLength(4);
  for (const { formattedMessage } of parts) expect(() => JSON.parse(formattedMessage.message) as unknown).not.toThrow();
  expect(item?.status.formattedMessage.message).toContain("Next: ");
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

test("a proof of any length stays whole JSON of a bounded size, and what dates the node is never cut", () => {
  const long = 'a "long" text \\ of the machine '.repeat(200);
  const one = {
    path: long,
    name: long,
    issuer: long,
    notBefore: "2026-01-31T11:56:10.000Z",
    notAfter: "2027-01-31T12:01:10.000Z",
  };
  const proof: ProofMessage = {
    ...cloneProof,
    hostName: long,
    check: { says: "bootstrapped", stage: long, decidedBy: Array.from({ length: 50 }, () => long) },
    certificates: Array.from({ length: 50 }, () => one),
    kubelet: { health: "ok", version: long },
    versions: { handler: long, check: long, containerd: long, system: long, kernel: long },
    image: long,
    origin: { kind: "another-machine", why: long },
  };
  const status = verdictStatus(passedVerdict({ proof, timeline: verdict.timeline }));
  expect(serialiseStatus({ status, sequence: 0, now: new Date(0) }).length).toBeLessThanOrEqual(16 * 1024);
  const message = status.substatuses.find(({ name }) => name === "BootstrapProof")?.message ?? "";
  expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(3500);
  expect(JSON.parse(message)).toMatchObject({
    verifiedAt: proof.verifiedAt,
    vmId: proof.vmId,
    sentinel: proof.sentinel,
  });
});
