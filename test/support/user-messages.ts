import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessExit } from "../../handler/verdict/outcome.ts";
import type { Status } from "../../handler/contract/status.ts";
import type { Diagnosis, Finding } from "../../handler/diagnosis/diagnosis.ts";
import { loadRules } from "../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../handler/diagnosis/match.ts";
import { rankFindings } from "../../handler/diagnosis/rank.ts";
import { errorCodes, type ErrorId } from "../../handler/errors/error-codes.ts";
import { HandlerError } from "../../handler/errors/handler-error.ts";
import { verdictStatus } from "../../handler/verdict/verdict-status.ts";
import type { Diagnosed, Verdict } from "../../handler/verdict/verdict.ts";
import { waitingStatus } from "../../handler/verdict/waiting-status.ts";
import { ours, show, showAll, type Shown } from "../../handler/text/shown-text.ts";
import { readRuleLogs, ruleLog } from "../../scripts/dev/read-rule-logs.ts";
import { evidenceOf } from "./evidence-of.ts";
import { cloneProof, failedVerdict, passedVerdict, report } from "./verdict-samples.ts";

const repository = join(import.meta.dirname, "..", "..");

export interface UserMessage {
  readonly name: string;
  readonly status: Status;
}

/** One status for each kind of outcome, for each code of the table and for each rule of the catalogue. */
export async function userMessages(): Promise<readonly UserMessage[]> {
  return [...waits(), ...successes(), ...ends(), ...codes(), ...(await catalogue())];
}

function waits(): readonly UserMessage[] {
  const facts = { stage: undefined, elapsedSeconds: 0, timeoutSeconds: undefined, lastEvent: undefined, warnings: [] };
  const of = { vmId: "6f1c0f0e-6a39-4c1e-9a51-1f2b3c4d5e6f", sequence: 0, time: new Date(0) };
  const later = {
    ...facts,
    stage: "waiting-for-cloud-init",
    elapsedSeconds: 45,
    timeoutSeconds: 900,
    of: { ...of, mode: "enforce" } as const,
  };
  return [
    { name: "waiting, just started", status: waitingStatus({ ...facts, of }) },
    { name: "waiting, in a stage", status: waitingStatus(later) },
    {
      name: "waiting, with the last event and a warning",
      status: waitingStatus({
        ...later,
        lastEvent: "kubeadm join began",
        warnings: ["pollSecond is not a setting; did you mean pollSeconds?"],
      }),
    },
  ];
}

function successes(): readonly UserMessage[] {
  const output = { stdout: ours``, stderr: ours`` };
  const late = { firstLine: show(verdictStatus(failedVerdict()).message.split("\n")[0] ?? ""), lateBySeconds: 40 };
  const passed = (message: string): Verdict["end"] => ({ kind: "passed", report: report({ message }), output });
  return [
    { name: "bootstrapped", status: verdictStatus(passedVerdict()) },
    {
      name: "bootstrapped, with what the check saw",
      status: verdictStatus(passedVerdict({ end: passed("the kubelet is healthy; no sentinel file, as MicroK8s") })),
    },
    {
      name: "bootstrapped after all, behind a first verdict",
      status: verdictStatus(passedVerdict({ elapsedSeconds: 940, revised: late })),
    },
    { name: "bootstrapped, with its proof", status: verdictStatus(passedVerdict({ proof: cloneProof })) },
    {
      name: "reported, mode report",
      status: verdictStatus(passedVerdict({ mode: "report", end: { kind: "reported", proof: cloneProof } })),
    },
  ];
}

const exits: readonly ProcessExit[] = [
  { kind: "code", code: 1 },
  { kind: "signal", signal: "SIGKILL" },
  { kind: "not-started", reason: "/bin/sh does not exist" },
];
const decisive = {
  source: "cloud-init-output",
  origin: "/var/log/cloud-init-output.log",
  line: 90,
  text: "E: something nobody has seen before",
} as const;

function ends(): readonly UserMessage[] {
  const silent = { stdout: ours``, stderr: ours`` };
  const spoken = { stdout: show("waiting for the node\n"), stderr: show("sh: 1: kubelet: not found\n") };
  const unclassified = diagnosed(showAll<Diagnosis>({ kind: "unclassified", others: [], decisive: [decisive] }));
  const nothing = diagnosed({ kind: "unclassified", others: [], decisive: [] });
  const healthy = diagnosed({ kind: "healthy", others: [] });
  const seen = report({
    stage: "cloud-init",
    reason: "CloudInitFailed",
    message: "cloud-final.service failed (exit-code)",
  });
  const failed = (name: string, parts: Partial<Verdict>): UserMessage => ({
    name,
    status: verdictStatus(failedVerdict(parts)),
  });
  const deadline = (stillRunning: readonly string[]): Verdict["end"] => ({
    kind: "deadline",
    report: report({ stage: "kubeadm-join" }),
    output: silent,
    stillRunning,
  });
  return [
    failed("failed, named cause, mode observe", { mode: "observe" }),
    failed("failed, recognised by the check, no rule applies", {
      end: { kind: "failed", exit: { kind: "code", code: 1 }, report: seen, output: silent },
      diagnosis: unclassified,
    }),
    ...exits.flatMap((exit) =>
      [silent, spoken].map((output) =>
        failed(
          `failed, a command that ${exit.kind === "not-started" ? "did not start" : `ended by ${exit.kind}`}, ${output === silent ? "silent" : "with output"}`,
          {
            end: { kind: "failed", exit, report: report(), output },
            diagnosis: nothing,
          },
        ),
      ),
    ),
    failed("failed, though the logs show a good bootstrap", {
      end: { kind: "failed", exit: { kind: "code", code: 3 }, report: report(), output: silent },
      diagnosis: healthy,
    }),
    failed("deadline, named cause", { end: deadline([]), elapsedSeconds: 900 }),
    failed("deadline, something still ran", {
      end: deadline(["kubeadm join (pid 812)"]),
      diagnosis: nothing,
      elapsedSeconds: 900,
    }),
    failed("deadline, nothing ran", { end: deadline([]), diagnosis: unclassified, elapsedSeconds: 900 }),
    failed("failed, with warnings", {
      warnings: ["check 1.1.0 could not be downloaded; the check in the package was used"],
    }),
  ];
}

function diagnosed(diagnosis: Shown<Diagnosis>): Diagnosed {
  return { diagnosis, evidence: [], probes: [] };
}

/** What the handler itself can fail with; the title stands for the sentence of the place that fails. */
function codes(): readonly UserMessage[] {
  return Object.keys(errorCodes)
    .filter(isErrorId)
    .filter((id) => !verdictIds.has(id))
    .map((id) => ({
      name: `not checked, code ${String(errorCodes[id].number)}`,
      status: verdictStatus(
        passedVerdict({ end: { kind: "not-checked", error: new HandlerError(id, errorCodes[id].title) } }),
      ),
    }));
}

/** These are verdicts on the node; `ends` shows them. */
const verdictIds: ReadonlySet<string> = new Set([
  "commandFailed",
  "commandNotStarted",
  "bootstrapFailed",
  "deadlineExceeded",
]);

function isErrorId(key: string): key is ErrorId {
  return key in errorCodes;
}

/** Each rule's own log, through the real matcher and ranking. */
async function catalogue(): Promise<readonly UserMessage[]> {
  const ruleSet = loadRules(await readFile(join(repository, "scripts", "rules.json"), "utf8"));
  const logs = readRuleLogs();
  return ruleSet.rules
    .filter((rule) => rule.kind === "failure")
    .map((rule) => {
      const matcher = createMatcher(ruleSet, { platform: rule.platforms[0] ?? "linux" });
      matcher.feed(evidenceOf(rule), ruleLog(logs, rule.id, "match"));
      const finding = findingOf(rankFindings(matcher.finish()), rule.id);
      const diagnosis = diagnosed({ kind: "classified", primary: finding, others: [], decisive: [] });
      return { name: `rule ${rule.id}`, status: verdictStatus(failedVerdict({ diagnosis })) };
    });
}

function findingOf(diagnosis: Shown<Diagnosis>, ruleId: string): Shown<Finding> {
  const all = [...(diagnosis.kind === "classified" ? [diagnosis.primary] : []), ...diagnosis.others];
  const found = all.find((finding) => finding.ruleId === ruleId);
  if (found === undefined) throw new Error(`the log of the rule ${ruleId} does not show it`);
  return found;
}
