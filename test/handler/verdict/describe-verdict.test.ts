import { describe, expect, test } from "@jest/globals";
import type { Finding } from "../../../handler/diagnosis/diagnosis.ts";
import { HandlerError } from "../../../handler/errors/handler-error.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import type { Diagnosed, Verdict } from "../../../handler/verdict/verdict.ts";
import { blames, type Blame } from "../../../handler/reasons/reason-row.ts";
import { ours, type Shown } from "../../../handler/text/shown-text.ts";
import { dnsFinding, failedVerdict, report } from "../../support/verdict-samples.ts";

const silent = { stdout: ours``, stderr: ours`` };
const exit = { kind: "code", code: 1 } as const;
const failedWith = (parts: Parameters<typeof report>[0]): Verdict["end"] => ({
  kind: "failed",
  exit,
  report: report({ stage: "cloud-init-finished", ...parts }),
  output: silent,
});
const late: Verdict["end"] = { kind: "deadline", report: report(), output: silent, stillRunning: [] };
const causedBy = (blame: Blame): Diagnosed => {
  const primary: Shown<Finding> = { ...dnsFinding, blame };
  return { diagnosis: { kind: "classified", primary, others: [], decisive: [] }, evidence: [], probes: [] };
};
const unknownCause: Diagnosed = {
  diagnosis: { kind: "unclassified", others: [], decisive: [] },
  evidence: [],
  probes: [],
};

/** The verdict as a program reads it. */
function told(verdict: Verdict): { readonly line: string; readonly code: number; readonly verdict: unknown } {
  const status = verdictStatus(verdict);
  const message = status.substatuses.find(({ name }) => name === "BootstrapVerdict")?.message ?? "";
  return { line: status.message.split("\n")[0] ?? "", code: status.code, verdict: JSON.parse(message) };
}

describe("the code of a failure", () => {
  test.each(blames)("has the sign of its side, failed and late: %s", (blame) => {
    const codes = [failedWith({}), late].map((end) => told(failedVerdict({ end, diagnosis: causedBy(blame) })).code);
    expect(codes.map(Math.sign)).toEqual(blame === "platform" ? [-1, -1] : [1, 1]);
    expect(new Set(codes).size).toBe(2);
  });

  test("is the platform's for a plain command, too, and stands in the substatus that Azure counts by", () => {
    const end = { kind: "failed", exit, report: { facts: {} }, output: silent } as const;
    const status = verdictStatus(failedVerdict({ end, diagnosis: causedBy("platform") }));
    const clarification = status.substatuses.find(({ name }) => name === "ErrorClarification");
    expect([status.code, clarification?.code]).toEqual([-20, -20]);
  });

  test("stands in the verdict of the mode observe, which reports success", () => {
    const seen = told(failedVerdict({ mode: "observe", diagnosis: causedBy("platform") }));
    expect(seen).toMatchObject({ code: 0, verdict: { code: -20, blame: "platform" } });
  });
});

describe("a reason that only the check gives", () => {
  const verdict = failedVerdict({
    end: failedWith({ reason: "ForeignNodeIdentity", message: "The certificate belongs to another node." }),
    diagnosis: unknownCause,
  });

  test("has its next step, side and retry from the table", () => {
    const seen = told(verdict);
    expect(seen.line).toContain("(ForeignNodeIdentity)");
    expect(seen.line).toContain("Next: Make the image anew from a machine that never joined a cluster");
    expect(seen.verdict).toMatchObject({ reason: "ForeignNodeIdentity", retryable: false, blame: "image" });
    expect(seen.verdict).not.toHaveProperty("confidence");
  });

  test("gives way to a named cause", () => {
    const seen = told({ ...verdict, diagnosis: causedBy("network") });
    expect(seen.verdict).toMatchObject({ reason: "DnsResolutionFailed", blame: "network", confidence: "high" });
  });

  test("that says no more than that it failed leaves side and retry open", () => {
    const seen = told(failedVerdict({ end: late, diagnosis: unknownCause }));
    expect(seen.verdict).toMatchObject({ reason: "DeadlineExceeded", code: 11 });
    expect(seen.verdict).not.toHaveProperty("blame");
    expect(seen.verdict).not.toHaveProperty("retryable");
  });
});

describe("the reason of a hook", () => {
  const seen = told(
    failedVerdict({
      end: failedWith({ reason: "CustomLicenceServerDown", message: "The licence server 10.0.0.9 refuses this node." }),
      diagnosis: causedBy("platform"),
    }),
  );

  test("leads the first line with its message, also where the diagnosis finds a cause", () => {
    expect(seen.line).toMatch(/^Bootstrap failed \(CustomLicenceServerDown\) in .* after 74 s: /);
    expect(seen.line).toContain("The licence server 10.0.0.9 refuses this node");
  });

  test("has the user's sign and no side that nobody knows", () => {
    expect(seen).toMatchObject({ code: 10, verdict: { reason: "CustomLicenceServerDown" } });
    expect(seen.verdict).not.toHaveProperty("blame");
  });
});

test("a verdict that settings prevented says whose side it is and that a new machine fails the same way", () => {
  const end = { kind: "not-checked", error: new HandlerError("settingsInvalid", "timeoutSeconds is 5") } as const;
  expect(told(failedVerdict({ end, diagnosis: unknownCause })).verdict).toMatchObject({
    reason: "SettingsInvalid",
    blame: "configuration",
    retryable: false,
  });
});
