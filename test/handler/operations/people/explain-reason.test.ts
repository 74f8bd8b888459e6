import { expect, test } from "@jest/globals";
import { explainReason } from "../../../../handler/operations/people/explain-reason.ts";
import { judgementWords } from "../../../../handler/diagnosis/judgement.ts";
import { joinShown } from "../../../../handler/text/shown-text.ts";
import { reasons } from "../../../../handler/reasons/reasons.ts";

test("explainReason tells meaning, next step and pages of a reason, in any case and by its cause label", () => {
  const { text, exitCode } = explainReason("DnsResolutionFailed", { json: false });
  expect(exitCode).toBe(0);
  expect(text).toContain(reasons.DnsResolutionFailed.meaning);
  expect(text).toContain(reasons.DnsResolutionFailed.nextStep);
  const { references, blame, retryable } = reasons.DnsResolutionFailed;
  expect(text).toContain(`\n[${joinShown(judgementWords({ blame, retryable }), "; ")}]\n`);
  expect(text).toContain("Cause label: dns-resolution-failed\n");
  expect(references.length).toBeGreaterThan(0);
  expect(text.endsWith(references.map((reference) => `\nSee: ${reference}`).join(""))).toBe(true);
  expect(explainReason("dnsresolutionfailed", { json: false }).text).toBe(text);
  expect(explainReason("dns-resolution-failed", { json: false }).text).toBe(text);
});

test("explainReason prints the row of the table as JSON", () => {
  const { text } = explainReason("DiskFull", { json: true });
  expect(JSON.parse(text)).toMatchObject({ reason: "DiskFull", ...reasons.DiskFull });
});

test("explainReason says nothing of a new machine where that does not follow from the reason alone", () => {
  const { text } = explainReason("CloudInitScriptsFailed", { json: false });
  expect(text).toContain("\n[side: configuration]\n");
  expect(JSON.parse(explainReason("CloudInitScriptsFailed", { json: true }).text)).not.toHaveProperty("retryable");
});

test("explainReason offers the closest name for one that it does not know, and fails", () => {
  const { text, exitCode } = explainReason("DnsResolutonFailed", { json: false });
  expect(exitCode).toBe(64);
  expect(text).toContain("did you mean DnsResolutionFailed?");
  expect(explainReason("dns resolution", { json: false }).text).toContain("did you mean DnsResolutionFailed?");
  expect(explainReason("quota", { json: false }).text).toContain("did you mean AzureQuotaExceeded");
  expect(explainReason("fai", { json: false }).text).toMatch(/did you mean \w+ or \w+ or \w+\?$/u);
  expect(explainReason("a-i", { json: false }).text).toContain("a status names its reason in brackets");
  expect(explainReason("xyzzy", { json: false }).text).toContain("a status names its reason in brackets");
});
