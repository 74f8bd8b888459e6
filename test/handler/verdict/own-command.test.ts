import { expect, test } from "@jest/globals";
import type { Diagnosis, EvidenceLine, Finding } from "../../../handler/diagnosis/diagnosis.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import type { CheckReport, ProcessExit } from "../../../handler/verdict/outcome.ts";
import type { Verdict } from "../../../handler/verdict/verdict.ts";
import { show, showAll } from "../../../handler/text/shown-text.ts";
import { dnsFinding, failedVerdict, report } from "../../support/verdict-samples.ts";

const probeFinding: Finding = {
  ...dnsFinding,
  reason: "ImdsNoAnswer",
  summary: "169.254.169.254 does not answer: no route to host",
  evidence: [{ source: "probe", origin: "probe imds", line: 1, text: "no route to 169.254.169.254" }],
};
const ownFinding: Finding = {
  ...dnsFinding,
  reason: "DpkgLockHeld",
  evidence: [{ source: "command-output", origin: "stderr of the command", line: 1, text: "Could not get lock" }],
};

interface Given {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly primary?: Finding;
  readonly decisive?: readonly EvidenceLine[];
  readonly beside?: CheckReport;
  readonly others?: readonly Finding[];
  readonly kind?: "failed" | "deadline";
  readonly exit?: ProcessExit;
}

const exitThree: ProcessExit = { kind: "code", code: 3 };

/** The status of a user's own command, which ended with exit code 3 unless it is said otherwise. */
function statusOf({ primary, others = [], decisive = [], beside, ...given }: Given) {
  const { stdout, stderr, exit, kind } = { stdout: "", stderr: "", exit: exitThree, kind: "failed" as const, ...given };
  const output = { stdout: show(stdout), stderr: show(stderr) };
  const end =
    kind === "failed"
      ? ({ kind, exit, report: report(), output } as const)
      : ({ kind, report: report(), output, stillRunning: [] } as const);
  const found: Diagnosis =
    primary === undefined
      ? { kind: "unclassified", others, decisive }
      : { kind: "classified", primary, others, decisive };
  const sample = failedVerdict();
  const diagnosis: Verdict["diagnosis"] =
    sample.diagnosis === undefined ? undefined : { ...sample.diagnosis, diagnosis: showAll(found) };
  const status = verdictStatus({
    ...sample,
    end: beside === undefined ? end : { ...end, beside },
    ownCommand: true,
    ...(diagnosis === undefined ? {} : { diagnosis }),
  });
  const [first = "", ...body] = status.message.split("\n");
  return { status, first, body: body.join("\n") };
}

test.each<[string, ProcessExit, string]>([
  ["SIGKILL", { kind: "signal", signal: "SIGKILL" }, "was ended by SIGKILL"],
  ["the code of one", { kind: "code", code: 137 }, "exited with code 137"],
])(
  "a command that ended with %s is asked after in the kernel's log, also where it printed nothing",
  (_, exit, seen) => {
    for (const stderr of ["", "Killed\n"]) {
      const { first } = statusOf({ exit, stderr });
      expect(first).toContain(seen);
      expect(first).toContain("Next: Look in the kernel's log (journalctl -k) for what killed it");
    }
    expect(statusOf({ stderr: "Killed\n" }).first).not.toContain("what killed it");
  },
);

test("a command that had not ended at the deadline is told to read how far it came, not the node's stages", () => {
  const { first } = statusOf({ kind: "deadline", stdout: "step one\n" });
  expect(first).toContain("Next: See how far the command's output below came");
  expect(statusOf({ kind: "deadline" }).first).toContain("Next: Make the command print how far it is");
});

test("a lone exit 3 is not explained by what a probe found: the hint for a silent command stands there", () => {
  const { status, first, body } = statusOf({ primary: probeFinding });
  expect(status.code).toBe(2);
  expect(first).toContain("Bootstrap failed (CommandFailed) after 74 s: the command exited with code 3");
  expect(first).toContain("Make the command print why it fails");
  expect(body).toContain("Also seen on the machine, apart from the command (ImdsNoAnswer): 169.254.169.254");
});

test("a command's own last words lead, also over a cause that the node's logs show", () => {
  const { first, body } = statusOf({ stderr: "E: no package foo\n", primary: dnsFinding });
  expect(first).toContain("the command exited with code 3: E: no package foo");
  expect(body).toContain("Also seen on the machine, apart from the command (DnsResolutionFailed)");
});

test("a cause that the command's own output shows leads, wherever it was ranked", () => {
  const { first } = statusOf({ stderr: "Could not get lock\n", primary: dnsFinding, others: [ownFinding] });
  expect(first).toContain("Bootstrap failed (DpkgLockHeld)");
});

test("a cause in the command's own output is placed in no step of the node, and its line is quoted as the command's", () => {
  const { first } = statusOf({ stderr: "Could not get lock\n", primary: { ...ownFinding, stage: "kubelet" } });
  expect(first).toMatch(/^Bootstrap failed \(DpkgLockHeld\) after 74 s: /u);
});

test("a guess at the command's own words does not lead, nor is it told as something else on the machine", () => {
  const guess: Finding = { ...ownFinding, confidence: "low", summary: "A script of the user-data ended with an error" };
  const { status, first } = statusOf({ stderr: "x.sh: line 2: syntax error\n", primary: guess });
  expect(first).toContain("the command exited with code 3: x.sh: line 2: syntax error");
  expect(status.message).not.toContain("user-data");
  expect(status.message).not.toContain("Also seen");
});

test("where the node stands is news beside a command, and never where the command stands", () => {
  const beside = { stage: "waiting-for-cloud-init", facts: {} };
  const late = statusOf({ kind: "deadline", stdout: "round 1\n", primary: probeFinding, beside });
  expect(late.first).toContain(
    "Bootstrap failed (DeadlineExceeded) after 74 s: the command had not ended; the node meanwhile: waiting for cloud-init.",
  );
  const silent = statusOf({ primary: probeFinding, beside });
  expect(silent.first).toContain("(CommandFailed) after 74 s: the command exited with code 3; the node meanwhile:");
  const loud = statusOf({ primary: probeFinding, stderr: "no such user\n", beside });
  expect(loud.first).toContain("(CommandFailed) after 74 s: the command exited with code 3: no such user. Next");
  const alone = statusOf({ kind: "deadline", primary: probeFinding });
  expect(alone.first).toContain("(DeadlineExceeded) after 74 s: the command had not ended. Next");
});

test("CAPZ's own loop stands where the node stands", () => {
  const output = { stdout: show(""), stderr: show("") };
  const beside = { stage: "waiting-for-cloud-init", facts: {} };
  const sample = failedVerdict();
  const unclassified: Diagnosis = { kind: "unclassified", others: [], decisive: [] };
  const { message } = verdictStatus({
    ...sample,
    ...(sample.diagnosis === undefined ? {} : { diagnosis: { ...sample.diagnosis, diagnosis: showAll(unclassified) } }),
    end: { kind: "deadline", report: report(), output, stillRunning: [], beside },
  });
  expect(message.split("\n")[0]).toContain("(DeadlineExceeded) in waiting for cloud-init after 74 s: no success");
});

test("what the command said last is said once in the first line", () => {
  const said = "tar: Error is not recoverable: exiting now";
  const decisive = [{ source: "command-output" as const, origin: "stderr of the command", line: 1, text: said }];
  const { first } = statusOf({ stderr: `${said}\n`, decisive });
  expect(first.split(said)).toHaveLength(2);
  expect(first).not.toContain("last error");
});

test("both sections stand at the very end, the one without text too", () => {
  expect(statusOf({ stdout: "a\n", primary: probeFinding }).status.message).toMatch(/\[stdout\]\na\n\[stderr\]\n*$/u);
  expect(statusOf({ stderr: "b\n", primary: probeFinding }).status.message).toMatch(/\[stdout\]\n\n\[stderr\]\nb$/u);
  expect(statusOf({ primary: probeFinding }).status.message).not.toContain("[std");
});

test("of a command that says nothing, or waits to its deadline, a cause in the node's logs leads, a probe's never", () => {
  expect(statusOf({ primary: dnsFinding }).first).toContain("Bootstrap failed (DnsResolutionFailed)");
  const waiting = { stdout: "waiting\n", kind: "deadline" } as const;
  expect(statusOf({ ...waiting, primary: dnsFinding }).first).toContain("Bootstrap failed (DnsResolutionFailed)");
  expect(statusOf({ ...waiting, primary: probeFinding }).first).toContain("Bootstrap failed (DeadlineExceeded)");
});

test("4,096 bytes of each stream stand in the status, and the end of stderr is never what the limit takes", () => {
  const stdout = `${"out word ".repeat(455)}END-OF-STDOUT`;
  const stderr = `${"err word ".repeat(455)}END-OF-STDERR`;
  const { status } = statusOf({ stdout, stderr, primary: probeFinding });
  expect(status.message).toContain(stdout);
  expect(status.message).toContain(stderr);
});

test("output that grows in JSON gives way at its front, and its end stays", () => {
  const heavy = `${'"\\\\ '.repeat(1000)}THE-END`;
  const { status } = statusOf({ stdout: heavy, stderr: heavy, primary: probeFinding });
  // The first line keeps the end of the last words, too.
  expect(status.message.match(/THE-END/gu)).toHaveLength(3);
  expect(status.message).toContain("[… cut]");
});
