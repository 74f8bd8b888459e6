import { describe, expect, test } from "@jest/globals";
import { judgementWords } from "../../../handler/diagnosis/judgement.ts";
import { renderBody } from "../../../handler/diagnosis/render.ts";
import { HandlerError } from "../../../handler/errors/handler-error.ts";
import { explain } from "../../../handler/explain/explain.ts";
import { renderExplanation } from "../../../handler/explain/render-explanation.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { linesBelow, longestTail, wordsOf } from "../../../handler/verdict/verdict-words.ts";
import type { Verdict } from "../../../handler/verdict/verdict.ts";
import { renderReportHtml } from "../../../handler/report/report-html.ts";
import { renderReportText } from "../../../handler/report/report-text.ts";
import type { Report } from "../../../handler/report/report.ts";
import { firstLineLimit } from "../../../handler/text/first-line-parts.ts";
import { ours, showAll } from "../../../handler/text/shown-text.ts";
import { cloneProof, dnsFinding, failedVerdict, passedVerdict, report } from "../../support/verdict-samples.ts";

const silent = { stdout: ours``, stderr: ours`` };
const exit = { kind: "code", code: 1 } as const;
const token = "abcdef.0123456789abcdef";

describe("wordsOf", () => {
  test("gives a failure its reason, place, sentence, evidence, next step and judgement, each once", () => {
    expect(wordsOf(failedVerdict())).toMatchObject({
      line: expect.stringMatching(/^Bootstrap failed \(DnsResolutionFailed\) in kubeadm join after 74 s: the name /),
      outcome: "failed",
      reason: "DnsResolutionFailed",
      code: 10,
      where: "kubeadm join",
      summary: dnsFinding.summary,
      evidence: dnsFinding.evidence,
      nextStep: dnsFinding.nextStep,
      judgement: { confidence: "high", blame: "network", retryable: true },
      providers: ["kubeadm"],
    });
  });

  test("gives a success no next step, no judgement and the code 0", () => {
    const words = wordsOf(passedVerdict());
    expect(words).toMatchObject({
      outcome: "bootstrapped",
      reason: "Bootstrapped",
      code: 0,
      judgement: {},
      evidence: [],
    });
    expect([words.nextStep, words.summary]).toEqual([undefined, words.line]);
  });

  test("keeps the code of a failure in a mode that reports a success", () => {
    const verdict = failedVerdict({ mode: "observe" });
    expect([wordsOf(verdict).code, verdictStatus(verdict).code]).toEqual([10, 0]);
  });

  const long = "a very long sentence of a check ".repeat(40);
  test.each<readonly [string, Verdict["end"]]>([
    ["passed", { kind: "passed", report: report({ message: long }), output: silent }],
    ["failed", { kind: "failed", exit, report: report({ message: long, stage: long }), output: silent }],
    ["deadline", { kind: "deadline", report: report({ message: long }), output: silent, stillRunning: [long] }],
    ["not checked", { kind: "not-checked", error: new HandlerError("settingsInvalid", long) }],
    ["reported", { kind: "reported", proof: { ...cloneProof, image: long } }],
  ])("bounds the first line and keeps the next step in it: %s", (_name, end) => {
    // The sample of a success brings no diagnosis that would speak instead.
    const { line } = wordsOf(passedVerdict({ end }));
    expect(line.length).toBeLessThanOrEqual(firstLineLimit);
    if (end.kind === "failed" || end.kind === "not-checked") expect(line).toContain(" Next: ");
  });

  test("shows no secret, wherever it stands in the verdict", () => {
    const message = `the token ${token} is refused`;
    const verdict = passedVerdict({
      end: {
        kind: "failed",
        exit,
        report: report({ message, stage: message, facts: { remark: message } }),
        output: silent,
      },
      timeline: [{ time: "2026-01-31T12:00:00Z", seconds: 1, event: message }],
      warnings: [message],
    });
    expect(JSON.stringify(wordsOf(verdict))).not.toContain(token.slice(7));
  });
});

describe("who takes the words of a verdict", () => {
  const verdict = failedVerdict({ warnings: ["pollSecond is not a setting"] });
  const words = wordsOf(verdict);
  const status = verdictStatus(verdict, words);

  test("the status begins with their line and goes on with their body", () => {
    expect(status.message).toBe([words.line, ...linesBelow(words, longestTail)].join("\n"));
  });

  test("the substatus says the same of reason, sentence, next step and judgement", () => {
    const message = status.substatuses.find(({ name }) => name === "BootstrapVerdict")?.message ?? "";
    const { reason, code, summary, nextStep, judgement, warnings, where: stage } = words;
    expect(JSON.parse(message)).toMatchObject({ reason, code, summary, nextStep, warnings, stage, ...judgement });
  });

  test("status, report, diagnose and explain judge in one wording", async () => {
    const { diagnosis: diagnosed } = verdict;
    if (diagnosed === undefined) throw new Error("the sample has a diagnosis");
    const full = { ...showAll<Report>(reportOf(verdict)), ...diagnosed, sources: diagnosed.evidence };
    const judged = judgementWords(dnsFinding);
    expect(judged).toEqual(["high confidence", "side: network", "a new machine may pass"]);
    for (const text of [
      status.message,
      renderReportText(full),
      renderBody(diagnosed.diagnosis).join("\n"),
      renderExplanation(await explain(status.message)),
    ]) {
      expect(text).toContain(judged.join("; "));
    }
    for (const part of judged) expect(renderReportHtml(full)).toContain(`<li>${part}</li>`);
  });
});

test.each([
  ["high confidence; network; may pass when tried again", true],
  ["high confidence; network; fails again in the same way on a new machine", false],
  ["high confidence; side: network; a new machine may pass", true],
  ["high confidence; side: network; a new machine fails in the same way", false],
])("explain reads the judgement of this version and of 1.0.0: %s", async (judged, retryable) => {
  const line = "Bootstrap failed (SomethingUnheardOf) in kubeadm join after 74 s: it failed. Next: look at it.";
  const explanation = await explain(`${line}\nCause (${judged}): why it fails.\nNext: look at it.`);
  const answer = explanation.kind === "explained" ? explanation.answers[0] : undefined;
  expect(answer).toMatchObject({ confidence: "high", blame: "network", retryable, explanation: "why it fails." });
});

test("explain reads that nobody knows as nothing known, also where the reason's row would guess", async () => {
  const line = "Bootstrap failed (CloudInitScriptsFailed) in cloud-init after 74 s: it failed. Next: look at it.";
  const judged = judgementWords({ confidence: "medium", blame: "configuration" }).join("; ");
  const explanation = await explain(`${line}\nCause (${judged}): why it fails.\nNext: look at it.`);
  const answer = explanation.kind === "explained" ? explanation.answers[0] : undefined;
  expect(answer).toMatchObject({ confidence: "medium", blame: "configuration" });
  expect(answer).not.toHaveProperty("retryable");
});

function reportOf({ time, handlerVersion }: Verdict): Report {
  return {
    schemaVersion: 1,
    time,
    handlerVersion,
    outcome: "failed",
    firstLine: "",
    body: [],
    diagnosis: { kind: "healthy", others: [] },
    timeline: [],
    probes: [],
    sources: [],
    warnings: [],
  };
}
