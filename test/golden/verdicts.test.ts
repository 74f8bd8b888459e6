import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Diagnosis, EvidenceLine, Finding } from "../../handler/diagnosis/diagnosis.ts";
import { HandlerError } from "../../handler/errors/handler-error.ts";
import { ours, show, showAll } from "../../handler/text/shown-text.ts";
import { verdictStatus } from "../../handler/verdict/verdict-status.ts";
import type { Diagnosed, Verdict, VerdictEnd } from "../../handler/verdict/verdict.ts";
import { cloneProof, dnsFinding, failedVerdict, passedVerdict, report } from "../support/verdict-samples.ts";

const silent = { stdout: ours``, stderr: ours`` };
type Failed = Extract<VerdictEnd, { kind: "failed" }>;
const failedEnd = (parts: Partial<Failed> = {}): Failed => ({
  kind: "failed",
  exit: { kind: "code", code: 1 },
  report: report(),
  output: silent,
  ...parts,
});
const late = (parts: object = {}): VerdictEnd => ({
  kind: "deadline",
  report: report(),
  output: silent,
  stillRunning: [],
  ...parts,
});
const line = (source: EvidenceLine["source"], origin: string, text: string): EvidenceLine => ({
  source,
  origin,
  line: 1,
  text,
});
const found = (diagnosis: Diagnosis): Diagnosed => ({ diagnosis: showAll(diagnosis), evidence: [], probes: [] });
const nothing = found({ kind: "unclassified", others: [], decisive: [] });
const lines = found({
  kind: "unclassified",
  others: [],
  decisive: [
    line("kubelet", "journalctl -u kubelet", "kubelet: it broke"),
    line("command-output", "stderr of the check", "E: broken"),
    ...Array.from({ length: 6 }, (_, index) => line("system", "syslog", `more ${String(index)}`)),
  ],
});
const healthy = found({ kind: "healthy", others: [] });
const probe: Finding = {
  ...dnsFinding,
  reason: "ImdsNoAnswer",
  summary: "169.254.169.254 does not answer",
  evidence: [line("probe", "probe imds", "no route")],
};
const symptom: Finding = {
  ...dnsFinding,
  role: "symptom",
  evidence: [line("command-output", "stderr of the check", "a symptom")],
};
const mixed: Finding = {
  ...dnsFinding,
  reason: "DpkgLockHeld",
  evidence: [line("system", "syslog", "locked"), line("command-output", "stderr of the check", "locked")],
};

const withoutFile = ({ reportFile: _, ...verdict }: Verdict): Verdict => verdict;
const withoutDiagnosis = ({ diagnosis: _, ...verdict }: Verdict): Verdict => verdict;
const withoutVersion = ({ checkVersion: _, ...verdict }: Verdict): Verdict => verdict;
const bare = (parts: Partial<Verdict>): Verdict =>
  withoutFile(failedVerdict({ timeline: [], diagnosis: nothing, ...parts }));

/** Every part of a verdict once with and once without it, where the messages for users show the usual ones. */
const verdicts: Readonly<Record<string, Verdict>> = {
  passed: passedVerdict({ end: { kind: "passed", report: report(), output: silent } }),
  passedMessage: passedVerdict({
    end: {
      kind: "passed",
      report: report({ providers: ["kubeadm", "k3s"], message: "all there", facts: { remark: "one program failed" } }),
      output: { stdout: show("  \n"), stderr: show("warned\n") },
    },
    warnings: ["a warning", "another"],
    revised: { firstLine: ours`Bootstrap failed before`, lateBySeconds: 7 },
    sequence: 4,
    reportUri: "https://reports.example/7",
  }),
  observedPass: passedVerdict({ mode: "observe" }),
  reported: passedVerdict({ end: { kind: "reported", proof: cloneProof }, mode: "report" }),
  notChecked: bare({ end: { kind: "not-checked", error: new HandlerError("settingsInvalid", "timeoutSeconds is 5") } }),
  notCheckedObserve: bare({
    mode: "observe",
    end: { kind: "not-checked", error: new HandlerError("settingsInvalid", "timeoutSeconds is 5") },
  }),
  sample: failedVerdict({ sequence: 3 }),
  observed: failedVerdict({ mode: "observe" }),
  signal: bare({ end: failedEnd({ exit: { kind: "signal", signal: "SIGKILL" } }) }),
  notStarted: bare({ end: failedEnd({ exit: { kind: "not-started", reason: "no such file" } }) }),
  notStartedStage: bare({
    end: failedEnd({
      exit: { kind: "not-started", reason: "no such file" },
      report: report({ stage: "kubeadm-join" }),
    }),
  }),
  lastWords: bare({
    end: failedEnd({
      output: { stdout: show("out\n"), stderr: show("err\n   \n") },
      report: report({ stage: "kubeadm--join_now" }),
    }),
  }),
  lastOut: bare({ end: failedEnd({ output: { stdout: show("one\ntwo\n"), stderr: show(" \n") } }) }),
  blankOut: bare({ ownCommand: true, end: failedEnd({ output: { stdout: show(" \n"), stderr: show("") } }) }),
  reasonOnly: bare({ end: failedEnd({ report: report({ reason: "KubeadmFailed" }) }) }),
  reasonStage: bare({ end: failedEnd({ report: report({ reason: "KubeadmFailed", stage: "kubeadm-join" }) }) }),
  unknownReason: bare({ end: failedEnd({ report: report({ reason: "NoSuchReason", message: "what was seen" }) }) }),
  decisive: bare({ diagnosis: lines, end: failedEnd({ report: report({ stage: "kubelet" }) }) }),
  decisiveOwn: bare({ diagnosis: lines, ownCommand: true, end: failedEnd() }),
  nothingOwn: bare({ ownCommand: true, end: failedEnd() }),
  healthy: bare({ diagnosis: healthy, end: late() }),
  lateRunning: bare({ end: late({ stillRunning: ["kubeadm (74 s)", "curl"] }) }),
  lateCause: failedVerdict({ end: late() }),
  undiagnosed: withoutVersion(withoutDiagnosis(bare({ end: failedEnd() }))),
  beside: bare({
    ownCommand: true,
    end: failedEnd({
      beside: {
        stage: "kubeadm-join",
        reason: "KubeadmFailed",
        message: "it failed",
        facts: { "look-beside": "It ended early: x" },
      },
    }),
  }),
  besideStage: bare({ ownCommand: true, end: late({ beside: { stage: "kubelet", facts: {} } }) }),
  besideNothing: bare({ ownCommand: true, end: failedEnd({ beside: { facts: {} } }) }),
  remark: bare({ end: failedEnd({ report: report({ facts: { remark: "a program failed" } }) }) }),
  ownReason: bare({
    diagnosis: lines,
    end: failedEnd({ report: report({ reason: "CustomLicence", message: "it is gone", stage: "kubelet" }) }),
  }),
  ownLong: bare({
    end: failedEnd({ report: report({ reason: "CustomLicence", message: `it is gone ${"and more ".repeat(80)}` }) }),
  }),
  ownProbe: bare({
    ownCommand: true,
    diagnosis: found({ kind: "classified", primary: probe, others: [], decisive: [] }),
    end: failedEnd({ output: { stdout: show("x"), stderr: show("") } }),
  }),
  ownSymptom: bare({
    ownCommand: true,
    diagnosis: found({ kind: "classified", primary: probe, others: [symptom], decisive: [] }),
    end: failedEnd({ output: { stdout: show("x"), stderr: show("") } }),
  }),
  ownMixed: bare({
    ownCommand: true,
    diagnosis: found({ kind: "classified", primary: mixed, others: [], decisive: [] }),
    end: failedEnd({ output: { stdout: show("x"), stderr: show("") } }),
  }),
  probeMixed: bare({
    ownCommand: true,
    diagnosis: found({
      kind: "classified",
      primary: { ...probe, evidence: [...probe.evidence, line("system", "syslog", "no route")] },
      others: [],
      decisive: [],
    }),
    end: failedEnd(),
  }),
  manyStages: bare({
    end: failedEnd(),
    timeline: Array.from({ length: 12 }, (_, index) => ({
      time: "2026-01-31T12:00:00Z",
      seconds: index - 2,
      event: `event\n${String(index)}`,
    })),
  }),
  healthyReported: passedVerdict({ diagnosis: healthy }),
  longest: failedVerdict({
    end: failedEnd({
      report: report({
        stage: "a-stage-of-somebody-else-".repeat(10),
        message: "many words ".repeat(200),
        providers: Array.from({ length: 9 }, (_, index) => `provider-${String(index)}`),
      }),
    }),
    diagnosis: nothing,
    checkVersion: "1.0.0-".repeat(200),
    reportUri: `https://reports.example/${"r-".repeat(488)}`,
    warnings: Array.from({ length: 14 }, (_, index) => `warning ${String(index)} ${"so it goes on ".repeat(30)}`),
  }),
  tooLongAddress: passedVerdict({ reportUri: `https://reports.example/${"r-".repeat(488)}r` }),
  evidence: failedVerdict({
    diagnosis: {
      ...lines,
      probes: showAll(
        ["passed", "failed", "not-run", "failed"].map((state, index) => ({
          name: `probe-${String(index)}`,
          target: "t",
          state: state as "failed",
          message: "m",
          durationMs: 1,
        })),
      ),
      evidence: showAll(
        ["read", "cut", "read", "not-available"].map((state, index) => ({
          origin: `log-${String(index)}`,
          source: "system" as const,
          state: state as "read",
          bytes: 1,
        })),
      ),
    },
    timeline: Array.from({ length: 30 }, (_, index) => ({ time: "t", seconds: index, event: "e" })),
  }),
  longTimeline: passedVerdict({
    timeline: Array.from({ length: 31 }, (_, index) => ({ time: "t", seconds: index, event: "e" })),
  }),
  longEvidence: failedVerdict({
    diagnosis: found({
      kind: "unclassified",
      others: [],
      decisive: Array.from({ length: 14 }, (_, index) =>
        line("system", "syslog", `${String(index)} ${"so it goes on ".repeat(30)}`),
      ),
    }),
  }),
  proof: passedVerdict({ proof: cloneProof }),
  smallProof: passedVerdict({
    proof: {
      schemaVersion: 1,
      verifiedAt: "2026-01-31T12:01:15.000Z",
      vmId: "vm-1",
      check: { says: "not-yet", decidedBy: [] },
      sentinel: { path: "/run/cluster-api/bootstrap-success.complete", state: "absent" },
      certificates: [],
      kubelet: { health: "no-answer" },
      versions: { handler: "2.0.0" },
      origin: { kind: "no-trace" },
    },
  }),
};

const golden = join(import.meta.dirname, "verdicts.golden.txt");

test("every part of a verdict stands in its message and its substatuses as in the golden file (UPDATE_GOLDEN=1 writes it again)", async () => {
  const text = Object.entries(verdicts)
    .map(([name, verdict]) => {
      const { kind, code, message, substatuses } = verdictStatus(verdict);
      const parts = substatuses.map((part) => `${part.name} ${part.status} ${String(part.code)}: ${part.message}`);
      return [`## ${name}`, `${kind} ${String(code)}`, message, ...parts, ""].join("\n");
    })
    .join("\n");
  if (process.env["UPDATE_GOLDEN"] === "1") await writeFile(golden, text);
  expect(text).toBe(await readFile(golden, "utf8"));
});
