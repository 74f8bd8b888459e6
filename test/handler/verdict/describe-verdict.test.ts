import { notCheckedStatus } from "../../../handler/verdict/not-checked.ts";
import { replacedStatus } from "../../../handler/verdict/replaced-status.ts";
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
function told(verdict: Verdict): {
  readonly line: string;
  readonly body: string;
  readonly code: number;
  readonly verdict: unknown;
} {
  const status = verdictStatus(verdict);
  const message = status.substatuses.find(({ name }) => name === "BootstrapVerdict")?.message ?? "";
  const [line = "", ...body] = status.message.split("\n");
  return { line, body: body.join("\n"), code: status.code, verdict: JSON.parse(message) };
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

describe("a deadline whose last look had no answer", () => {
  const facts = { "last-check-run": "The check gave no answer: the look did not end within 60 s" };

  test("does not say that nothing ran, which nobody saw", () => {
    const end = { ...late, report: { facts } };
    expect(told(failedVerdict({ end, diagnosis: unknownCause })).verdict).toMatchObject({
      summary: "no success and no failure was seen. The check gave no answer: the look did not end within 60 s",
    });
  });

  test("says of what ran that it was seen before", () => {
    const end = { ...late, report: { facts }, stillRunning: ["kubeadm (74 s)"] };
    expect(told(failedVerdict({ end, diagnosis: unknownCause })).verdict).toMatchObject({
      summary: `still running: kubeadm (74 s) (seen at an earlier look; ${facts["last-check-run"]})`,
    });
  });

  test("that was answered says plainly what ran", () => {
    const end = { ...late, stillRunning: ["kubeadm (74 s)"] };
    const { verdict } = told(failedVerdict({ end, diagnosis: unknownCause }));
    expect(verdict).toMatchObject({ summary: "still running: kubeadm (74 s)" });
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
    expect(seen.line).toMatch(/^Bootstrap failed \(CustomLicenceServerDown\) after 74 s: The licence server/);
    expect(seen.line).toContain("The licence server 10.0.0.9 refuses this node");
  });

  test("has the user's sign and no side that nobody knows", () => {
    expect(seen).toMatchObject({ code: 10, verdict: { reason: "CustomLicenceServerDown" } });
    expect(seen.verdict).not.toHaveProperty("blame");
  });
});

describe("the words of a check of the operator's", () => {
  const message = `The licence server refuses this node: ${"its pool is used up, ".repeat(4)}by 120 of 120`;
  const facts = { next: "Ask the owner of the licences for more", retryable: "false" };
  const seen = told(
    failedVerdict({ end: failedWith({ reason: "CustomLicencesGone", message, facts }), diagnosis: unknownCause }),
  );

  test("stand whole in the first line, and nothing is said of a cause that no rule knows", () => {
    expect(seen.line).toBe(`Bootstrap failed (CustomLicencesGone) after 74 s: ${message}.`);
    expect(seen.body).not.toContain("unclassified");
  });

  test("name the next step and whether a new machine may pass", () => {
    expect(seen.body).toContain("Next: Ask the owner of the licences for more.");
    expect(seen.verdict).toMatchObject({ nextStep: facts.next, retryable: false });
  });

  test("with a next step of their own win over a cause of the catalogue, which is told beside them", () => {
    const end = failedWith({ reason: "ForeignNodeIdentity", message: "Node 7 is taken.", facts });
    const own = told(failedVerdict({ end, diagnosis: causedBy("network") }));
    expect(own.line).toBe(
      "Bootstrap failed (ForeignNodeIdentity) after 74 s: Node 7 is taken. Next: Ask the owner of the licences for more.",
    );
    expect(own.body).toContain("Also seen on the machine, apart from the check (DnsResolutionFailed)");
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

test("settings that others have replaced are told in the words of every verdict that was not reached", () => {
  const error = new HandlerError("interrupted", "the settings of sequence 7 have replaced these before a verdict", {
    hint: "Read 7.status",
  });
  expect(replacedStatus(7)).toEqual(notCheckedStatus(error));
});
