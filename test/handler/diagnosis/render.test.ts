import { expect, test } from "@jest/globals";
import type { Diagnosis, Finding } from "../../../handler/diagnosis/diagnosis.ts";
import { renderBody, renderFirstLine } from "../../../handler/diagnosis/render.ts";
import { firstLineLimit } from "../../../handler/text/first-line.ts";

const finding: Finding = {
  ruleId: "dns-lookup-failed",
  reason: "DnsResolutionFailed",
  cause: "dns-resolution-failed",
  stage: "kubeadm-join",
  title: "A name cannot be resolved",
  summary: "api.contoso.example cannot be resolved (no such host, resolver 10.1.0.4)",
  explanation: "The node asks its DNS server and gets no address.",
  nextStep: "Correct AzureCluster spec.networkSpec.vnet. Then create the Machine again",
  references: ["https://kubernetes.io/docs/"],
  retryable: true,
  blame: "network",
  confidence: "high",
  evidence: [{ source: "cloud-init-output", origin: "/var/log/cloud-init-output.log", line: 7, text: "token s3cret" }],
  role: "cause",
};
const classified: Diagnosis = { kind: "classified", primary: finding, others: [], decisive: [] };
const redact = (text: string): string => text.replaceAll("s3cret", "(token)");

test("renderFirstLine names reason, stage, time, cause and the first sentence of the next step", () => {
  expect(renderFirstLine(classified, { elapsedSeconds: 74.2, redact })).toBe(
    "Bootstrap failed (DnsResolutionFailed) in kubeadm join after 74 s: api.contoso.example cannot be resolved (no such host, resolver 10.1.0.4). Next: Correct AzureCluster spec.networkSpec.vnet.",
  );
});

test("renderFirstLine keeps cause and next step within the limit, whatever their length", () => {
  const long = { ...finding, summary: "cause ".repeat(60), nextStep: "step ".repeat(60) };
  const line = renderFirstLine({ ...classified, primary: long }, { redact });
  expect(line.length).toBeLessThanOrEqual(firstLineLimit);
  expect(line).toContain("cause cause");
  expect(line).toContain("Next: step step");
});

test("renderFirstLine says Unclassified and quotes the last error line, redacted", () => {
  const unclassified: Diagnosis = { kind: "unclassified", others: [], decisive: finding.evidence };
  expect(renderFirstLine(unclassified, { redact })).toBe(
    'Bootstrap failed (Unclassified): no known cause; last error: "token (token)". Next: Read the quoted lines below.',
  );
});

test("renderBody gives the evidence with file and line, redacted", () => {
  expect(renderBody(classified, redact)).toContain("  /var/log/cloud-init-output.log:7: token (token)");
});

test("renderBody lists symptoms behind the cause", () => {
  const symptom: Finding = { ...finding, reason: "ApiServerUnreachable", summary: "No answer", role: "symptom" };
  expect(renderBody({ ...classified, others: [symptom] }, redact)).toContain(
    "  [symptom] ApiServerUnreachable: No answer",
  );
});
