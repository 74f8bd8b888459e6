import { combine } from "./combine.ts";
import type { Evidence } from "./evidence.ts";
import { observeFailureReport, type FailureReport } from "./failure-report.ts";
import { waiting, type Judgement } from "./judgement.ts";
import type { Look, LookContext, LookResult, Memory } from "./look.ts";
import type { Observed } from "./look-parts.ts";
import type { Moment } from "./observed.ts";
import { observeLinux } from "./observe-linux.ts";
import { observeWindows } from "./observe-windows.ts";
import type { Answer, Question } from "./questions.ts";
import { askAll, type Asking } from "./ask-many.ts";
import { kubeadmRuns } from "./processes.ts";
import { observeRemarks } from "./remarks.ts";

const nextLookMs = 5000;

/** The check of protocol 2: one look at the machine, as a generator of questions. A defect of its own is never a verdict. */
export function* check(context: LookContext): Look {
  const unanswered: string[] = [];
  const inner = lookOnce(context, unanswered);
  try {
    let step = inner.next([]);
    while (step.done !== true) {
      const questions: readonly Question[] = step.value;
      const answers: readonly Answer[] = yield questions;
      questions.forEach((question, index) => {
        noteUnanswered(unanswered, question, answers[index]);
      });
      step = inner.next(answers);
    }
    return step.value;
  } catch (error) {
    return undecided(context, error instanceof Error ? error.message : String(error));
  }
}

/** What answers nothing takes nothing away from a failure: these only add words, or prove a success. */
const mayStayOpen = ["healthz", "log"];

function noteUnanswered(unanswered: string[], question: Question, answer: Answer | undefined): void {
  if (answer?.kind === "known") return;
  const mark = mayStayOpen.includes(question.ask) ? "" : "!";
  unanswered.push([`${mark}${question.ask}`, ...subjectOf(question)].join(" "));
}

/** What a question is about, for people. */
function subjectOf(question: Question): readonly string[] {
  if ("path" in question) return [question.path];
  if ("folder" in question) return [question.folder];
  if ("names" in question) return question.names;
  if ("key" in question) return [question.key];
  if ("port" in question) return [String(question.port)];
  return "unit" in question ? [`of ${question.unit}`] : [];
}

function* lookOnce(context: LookContext, unanswered: readonly string[]): Asking<LookResult> {
  const moment = yield* observeMoment(context);
  if (moment === undefined) return undecided(context, "nothing tells the time, the boot or the machine");
  const setting = context.provider === "" ? "auto" : context.provider;
  const observed =
    context.system === "linux" ? yield* observeLinux(moment, setting) : yield* observeWindows(moment, setting);
  const report = yield* observeFailureReport(moment, context.system);
  const judgement = yield* judge(observed);
  const remarks = yield* observeRemarks(observed, judgement);
  return resultOf({ moment, observed, report, judgement, remarks, unanswered });
}

/** A kubeadm that runs may still make the node, whoever began it: so nothing has failed, whatever provider speaks. */
function* judge(observed: Observed): Asking<Judgement> {
  const judgement = combine(observed);
  if (judgement.kind !== "failed" || !(yield* runsKubeadm(observed.evidence))) return judgement;
  return waiting("kubeadm-running", judgement.message);
}

/** On Windows it costs the start of a program, so it is asked when nothing else is left but a failure. */
function* runsKubeadm({ system, kubeadm }: Evidence): Asking<boolean> {
  return system === "linux" ? kubeadm.runs : yield* kubeadmRuns();
}

function* observeMoment(context: LookContext): Asking<Moment | undefined> {
  const [boot] = yield* askAll([{ ask: "boot" }]);
  const [machine] = yield* askAll([{ ask: "machine" }]);
  const [time] = yield* askAll([{ ask: "time" }]);
  if (boot === undefined || machine === undefined || time === undefined) return undefined;
  return {
    boot: { ...boot, id: boot.id.replaceAll(" ", "_") },
    machine,
    ...time,
    memory: context.memory,
    remember: firstSeen(context.memory),
  };
}

/** What the first look of this machine saw stays, also over looks that do not ask for it. */
function firstSeen(memory: Memory): Record<string, string> {
  return Object.fromEntries(Object.entries(memory).filter(([name]) => name.startsWith("first ")));
}

interface Parts {
  readonly moment: Moment;
  readonly observed: Observed;
  readonly report: FailureReport | undefined;
  readonly judgement: Judgement;
  readonly remarks: readonly string[];
  readonly unanswered: readonly string[];
}

function resultOf(parts: Parts): LookResult {
  const { moment, observed, report, judgement, unanswered } = parts;
  const { evidence, providers } = observed;
  const open = unanswered.map((what) => what.replace(/^!/u, ""));
  const remarks = open.length === 0 ? parts.remarks : [...parts.remarks, openWords(open)];
  const common = {
    providers,
    running: judgement.kind === "bootstrapped" ? [] : evidence.running,
    remarks,
    facts: factsOf(observed),
    nextLookMs,
    memory: moment.remember,
  };
  if (report !== undefined && judgement.kind !== "bootstrapped") return { ...common, ...reported(report) };
  if (isOpen(parts)) {
    const words = judgement.kind === "failed" ? `: ${judgement.message}` : "";
    const message = `Not everything could be looked at (${open.slice(0, 3).join(", ")}), so this is no verdict yet${words}`;
    return { ...common, verdict: "not-yet", stage: "check-incomplete", message, decidedBy: [] };
  }
  return { ...common, ...wordsOf(judgement, evidence.provisioning.stage) };
}

/**
 * A failure needs every answer that could change it; so does a success that rests on no provider having left a trace. The node itself is a
 * proof only where nothing speaks against it: a log or a script without an answer might.
 */
function isOpen({ judgement, observed, unanswered }: Parts): boolean {
  if (judgement.kind === "waiting") return false;
  const { evidence, providers } = observed;
  const isSuccess = judgement.kind === "bootstrapped";
  if (isSuccess && evidence.sentinel.state !== "counts" && unanswered.some((what) => !what.startsWith("healthz")))
    return true;
  if (isSuccess && evidence.sentinel.state === "counts" && doubtsSentinel(judgement.because, observed, unanswered))
    return true;
  if (!unanswered.some((what) => what.startsWith("!"))) return false;
  return !isSuccess || providers.every((name) => name === "custom" || name === "none");
}

/** Whose sentinel it is must be known, and what its provider's own service and node say, where another node is the proof. */
function doubtsSentinel(
  because: readonly string[],
  { evidence, providersAreSure }: Observed,
  unanswered: readonly string[],
): boolean {
  if (because.includes(evidence.sentinel.because)) return providersAreSure === false;
  return unanswered.some((what) => /^!(?:certificate|units|mentions)/u.test(what));
}

function wordsOf(
  judgement: Judgement,
  stage: string,
): Pick<LookResult, "verdict" | "stage" | "reason" | "message" | "decidedBy"> {
  switch (judgement.kind) {
    case "bootstrapped":
      return { verdict: "bootstrapped", stage: "bootstrapped", decidedBy: judgement.because };
    case "waiting": {
      const { stage: at, message } = judgement;
      return { verdict: "not-yet", stage: at, ...(message !== undefined && { message }), decidedBy: [] };
    }
    case "failed":
      return {
        verdict: "failed",
        stage,
        reason: judgement.reason,
        message: judgement.message,
        decidedBy: judgement.because,
      };
  }
}

function reported(
  report: FailureReport,
): Pick<LookResult, "verdict" | "stage" | "reason" | "message" | "next" | "retryable" | "decidedBy"> {
  const { path, reason, message, next, retryable } = report;
  return {
    verdict: "failed",
    stage: "bootstrap-reported-failed",
    reason,
    message: message === "" ? `${path} says that the bootstrap failed.` : message,
    ...(next !== undefined && { next }),
    ...(retryable !== undefined && { retryable }),
    decidedBy: [`${path} was written in this boot`],
  };
}

function factsOf({ evidence }: Observed): Readonly<Record<string, string>> {
  const { sentinel, provisioning } = evidence;
  const words = { counts: "fresh", stale: "stale", absent: "absent" };
  return { sentinel: words[sentinel.state], "user-data": provisioning.userData };
}

function openWords(open: readonly string[]): string {
  const more = open.length > 3 ? ` and ${open.length - 3} more` : "";
  return `no answer to: ${open.slice(0, 3).join(", ")}${more}`;
}

/** A defect of the check, or a machine that cannot be looked at, is never a verdict. */
function undecided(context: LookContext, problem: string): LookResult {
  return {
    verdict: "not-yet",
    stage: "check-incomplete",
    message: `The check could not look at everything: ${problem}`,
    providers: [],
    running: [],
    remarks: [],
    facts: {},
    nextLookMs,
    decidedBy: [],
    memory: context.memory,
  };
}
