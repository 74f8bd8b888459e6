import { readFileSync } from "node:fs";
import { createMachine } from "../answers/answer-questions.ts";
import { firstQuestions } from "../answers/ask-ahead.ts";
import type { Looker, LookerRequest, LookerAnswer } from "../looker.ts";
import { ours } from "../../text/shown-text.ts";
import type { CheckReport } from "../../verdict/outcome.ts";
import { prepareOutputFiles, type OutputFiles } from "../running/output-files.ts";
import { openCheckMemory, type CheckMemory } from "./check-memory.ts";
import { loadProgram, type CheckProgram } from "./load-program.ts";
import { answerOf } from "./look-report.ts";
import { runHooks, type HookedAnswer } from "./run-hooks.ts";
import { runLook, type LookEnd } from "./run-look.ts";

/** After a look that a kept answer had a part in. */
const againMs = 1000;

/** Looks by a program of protocol 2, inside this process, and by the hooks that lie on the machine. */
export async function createProgramLooker(request: LookerRequest, path: string): Promise<Looker> {
  // Without a folder the check forgets over restarts and no hook can be run; a node must not fail for a full disk.
  const files = await prepareOutputFiles(request.workFolder).catch(() => undefined);
  const view: View = {
    lastReport: { facts: {} },
    lastPaths: "",
    hasRunHooks: false,
    request,
    files,
    program: loadProgram(readFileSync(path, "utf8"), request.check.origin === "embedded" ? { limitMs: "none" } : {}),
    memory: openCheckMemory(files?.state, request.identity.vmId),
    machine: createMachine(request.host, request.identity, {
      onNearFailure: request.onNearFailure,
      expected: firstQuestions,
    }),
  };
  return {
    look: (limitMs) => lookOnce(view, limitMs),
    forget: (what) => {
      if (what === "all") view.machine.forgetKeptAnswers();
      else view.machine.forgetSettledAnswers();
    },
    mayHaveLeftOvers: () => view.hasRunHooks,
    // It prints nothing: what it has to say stands in its result.
    tails: () => Promise.resolve({ stdout: ours``, stderr: ours`` }),
  };
}

interface View {
  readonly request: LookerRequest;
  readonly files: OutputFiles | undefined;
  readonly program: CheckProgram;
  readonly memory: CheckMemory;
  readonly machine: ReturnType<typeof createMachine>;
  /** Of the last look that came to a result. */
  lastReport: CheckReport;
  /** The files as that one saw them. */
  lastPaths: string;
  hasRunHooks: boolean;
}

async function lookOnce(view: View, limitMs: number): Promise<LookerAnswer> {
  const { request, machine, memory } = view;
  const { host } = request;
  const startedMs = host.monotonicMs();
  const leftMs = (): number => limitMs - (host.monotonicMs() - startedMs);
  // What the last look sees is told of the node as it is then.
  if (request.deadline.remainingMs() === 0) machine.forgetSettledAnswers();
  let end = await lookNow(view, limitMs);
  if (mustLookAgain(view, end)) {
    machine.forgetSettledAnswers();
    end = await lookNow(view, leftMs());
  }
  if (end.kind === "interrupted") return end;
  const answer = answerOf(end, view.lastReport);
  if (end.kind === "result") {
    memory.keep(end.result.memory);
    view.lastReport = answer.report;
    view.lastPaths = pathsOf(end);
  }
  const hooked = await askHooks(view, answer, leftMs());
  if (hooked === undefined) return { kind: "interrupted" };
  return toAnswer(end, hooked, machine.usedKeptAnswers());
}

/** Where no event told that a file has changed, the look itself sees it; and a verdict is of this moment. */
function mustLookAgain({ machine, lastPaths }: View, end: LookEnd): boolean {
  if (end.kind !== "result" || !machine.usedSettledAnswers()) return false;
  return end.result.verdict !== "not-yet" || pathsOf(end) !== lastPaths;
}

function pathsOf({ record }: Extract<LookEnd, { kind: "result" }>): string {
  return JSON.stringify(record.observations.filter(({ question }) => question.ask === "path"));
}

function lookNow({ request, machine, memory, program }: View, limitMs: number): Promise<LookEnd> {
  const { host, settings, deadline, signal } = request;
  machine.beginLook();
  return runLook({
    host,
    program,
    answer: machine.answer,
    limitMs,
    signal,
    context: {
      system: host.platform.name,
      provider: settings.bootstrapProvider,
      elapsedMs: deadline.elapsedMs(),
      timeoutMs: settings.timeoutSeconds * 1000,
      memory: memory.current(),
    },
  });
}

async function askHooks(view: View, answer: HookedAnswer, limitMs: number): Promise<HookedAnswer | undefined> {
  const { request, files } = view;
  if (files === undefined) return answer;
  const onStart = (): void => {
    view.hasRunHooks = true;
  };
  const elapsedMs = request.deadline.elapsedMs();
  return runHooks({ ...request, elapsedMs, folder: files.state, limitMs, onStart }, answer);
}

function toAnswer(
  end: Exclude<LookEnd, { kind: "interrupted" }>,
  { verdict, report }: HookedAnswer,
  usedKept: boolean,
): LookerAnswer {
  const record = end.kind === "result" ? { record: end.record } : {};
  switch (verdict) {
    case "bootstrapped":
      return { kind: "passed", report, ...record };
    case "failed":
      return { kind: "failed", report, exit: { kind: "code", code: 1 }, ...record };
    case "not-yet":
      return { kind: "not-yet", report, stillRunning: [], ...record, ...(usedKept ? { againMs } : {}) };
  }
}
