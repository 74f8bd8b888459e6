import { expect, test } from "@jest/globals";
import type { Diagnosis, Finding } from "../../../handler/diagnosis/diagnosis.ts";
import { renderBody, renderFirstLine } from "../../../handler/diagnosis/render.ts";
import { firstLineLimit } from "../../../handler/text/first-line-parts.ts";
import { showAll } from "../../../handler/text/shown-text.ts";

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
  evidence: [
    {
      source: "cloud-init-output",
      origin: "/var/log/cloud-init-output.log",
      line: 7,
      text: "token abcdef.0123456789abcdef",
    },
  ],
  role: "cause",
};
const classified: Diagnosis = { kind: "classified", primary: finding, others: [], decisive: [] };

test("renderFirstLine names reason, stage, cause and the first sentence of the next step", () => {
  expect(renderFirstLine(showAll(classified))).toBe(
    "Bootstrap failed (DnsResolutionFailed) in kubeadm join: api.contoso.example cannot be resolved (no such host, resolver 10.1.0.4). Next: Correct AzureCluster spec.networkSpec.vnet.",
  );
});

test("renderFirstLine keeps cause and next step within the limit, whatever their length", () => {
  const long = { ...finding, summary: "cause ".repeat(60), nextStep: "step ".repeat(60) };
  const line = renderFirstLine(showAll<Diagnosis>({ ...classified, primary: long }));
  expect(line.length).toBeLessThanOrEqual(firstLineLimit);
  expect(line).toContain("cause cause");
  expect(line).toContain("Next: step step");
});

test("renderFirstLine says Unclassified and quotes the last error line, redacted", () => {
  const unclassified: Diagnosis = { kind: "unclassified", others: [], decisive: finding.evidence };
  expect(renderFirstLine(showAll(unclassified))).toBe(
    'Bootstrap failed (Unclassified): no known cause; last error: "token <redacted:join-token>". Next: Read the quoted lines below.',
  );
});

test("renderBody gives the evidence with file and line, redacted", () => {
  expect(renderBody(showAll(classified))).toContain("  /var/log/cloud-init-output.log:7: token <redacted:join-token>");
});

test("renderBody lists symptoms behind the cause", () => {
  const symptom: Finding = { ...finding, reason: "ApiServerUnreachable", summary: "No answer", role: "symptom" };
  expect(renderBody(showAll<Diagnosis>({ ...classified, others: [symptom] }))).toContain(
    "  [symptom] ApiServerUnreachable: No answer",
  );
});
