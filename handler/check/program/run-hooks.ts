import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../host.ts";
import type { MachineIdentity } from "../../platform/platform.ts";
import { checkEnvironment, type CheckContext } from "../running/check-environment.ts";
import type { CheckReport } from "../../verdict/outcome.ts";
import { readCheckOutput } from "../running/read-check-output.ts";
import { runWithinLimits } from "../running/run-within-limits.ts";
import { findHooks, type FoundHooks, type Hook } from "./find-hooks.ts";

/** A hook is a small check; one that takes longer has no answer. */
const hookLimitMs = 20_000;
/** Between the request to end and the end. */
const graceMs = 2000;
const notYet = 75;

/** The answer of a look before and after the hooks. */
export interface HookedAnswer {
  readonly verdict: "bootstrapped" | "not-yet" | "failed";
  readonly report: CheckReport;
}

export interface HookRequest {
  readonly host: Host;
  readonly settings: CheckContext["settings"];
  readonly identity: MachineIdentity;
  /** Of the hooks alone: ending one ends everything that carries it. */
  readonly marker: string;
  readonly signal: AbortSignal;
  readonly elapsedMs: number;
  /** Private folder for output and what the hooks keep. */
  readonly folder: string;
  /** Over all hooks. */
  readonly limitMs: number;
  /** Called before a hook is started. */
  readonly onStart?: () => void;
  /** Default: those that lie on the machine. */
  readonly found?: FoundHooks;
}

/** Runs the hooks in order; each has the last word over those before. Undefined when it was interrupted. */
export async function runHooks(request: HookRequest, answer: HookedAnswer): Promise<HookedAnswer | undefined> {
  // To find out who can change them takes its time, too.
  const until = request.host.monotonicMs() + request.limitMs;
  const { hooks, remarks } = request.found ?? (await findHooks(request.host, request.folder));
  let current = remarks.reduce(withRemark, answer);
  for (const hook of hooks) {
    const leftMs = until - request.host.monotonicMs();
    const said = await runHook(request, hook, Math.min(hookLimitMs, leftMs));
    if (said === undefined) return undefined;
    current = combine(current, hook, said);
  }
  return current;
}

type HookAnswer =
  | { readonly kind: "code"; readonly code: number; readonly report: CheckReport }
  | { readonly kind: "no-answer"; readonly why: string };

async function runHook(request: HookRequest, hook: Hook, limitMs: number): Promise<HookAnswer | undefined> {
  if (limitMs <= 0) return { kind: "no-answer", why: "there was no time left for it" };
  const { host, folder } = request;
  request.onStart?.();
  const outputFile = join(folder, "hook-output");
  rmSync(outputFile, { force: true, recursive: true });
  const end = await runWithinLimits({
    host,
    argv: hook.command,
    cwd: folder,
    env: checkEnvironment({ ...request, outputFile, stateFolder: folder }),
    stdoutFile: join(folder, "hook-stdout"),
    stderrFile: join(folder, "hook-stderr"),
    marker: request.marker,
    graceMs,
    timeLimitMs: limitMs,
    signal: request.signal,
  });
  switch (end.kind) {
    case "aborted":
      return undefined;
    case "time-limit":
      return { kind: "no-answer", why: `it did not end within ${String(Math.round(limitMs / 1000))} s` };
    case "output-limit":
      return { kind: "no-answer", why: "it wrote more output than allowed (64 MiB)" };
    case "exited": {
      const { exit } = end;
      if (exit.kind === "not-started") return { kind: "no-answer", why: `it could not be started: ${exit.reason}` };
      if (exit.kind === "signal") return { kind: "no-answer", why: `it was ended by ${exit.signal}` };
      // A shell gives what ended its program as 128 and the number of the signal.
      if (exit.code > 128) return { kind: "no-answer", why: `it ended with ${String(exit.code)}, as after a signal` };
      const report = await readCheckOutput(outputFile);
      const why = await host.platform.hooks.refusedBy?.(exit.code, join(folder, "hook-stderr"));
      return why === undefined ? { kind: "code", code: exit.code, report } : { kind: "no-answer", why };
    }
  }
}

/** "Not yet" only holds back a success; any other code is final, for either side. */
function combine(answer: HookedAnswer, { name, place }: Hook, said: HookAnswer): HookedAnswer {
  const hook = join(place, name);
  const code = said.kind === "code" ? said.code : notYet;
  const noted = said.kind === "code" ? answer : withRemark(answer, `${hook} gave no answer: ${said.why}`);
  const words = said.kind === "code" ? wordsOf(said.report) : {};
  const facts = { ...noted.report.facts, hook: `${name} exit ${String(code)}` };
  if (code === 0) {
    const { providers, nextCheckSeconds } = noted.report;
    const kept = {
      ...(providers === undefined ? {} : { providers }),
      ...(nextCheckSeconds === undefined ? {} : { nextCheckSeconds }),
    };
    return { verdict: "bootstrapped", report: { ...kept, stage: "bootstrapped", ...words, facts } };
  }
  if (code === notYet) {
    if (answer.verdict !== "bootstrapped")
      return { ...noted, report: { ...noted.report, ...stageOf(answer, words), facts } };
    const held = { stage: "waiting-for-hook", message: `${hook} says: not yet`, ...words, facts };
    return { verdict: "not-yet", report: { ...noted.report, ...held } };
  }
  const failure = {
    reason: "HookFailed",
    message: `${hook} ended with exit code ${String(code)}.`,
    ...words,
    facts: { ...withoutAdvice(facts), ...adviceOf(said) },
  };
  return { verdict: "failed", report: { ...noted.report, ...failure } };
}

/** What to do, and whether a new machine may pass: the hook's own, not that of the look before it. */
const adviceKeys = ["next", "retryable"] as const;

function withoutAdvice(facts: CheckReport["facts"]): CheckReport["facts"] {
  return Object.fromEntries(Object.entries(facts).filter(([key]) => !adviceKeys.some((advice) => advice === key)));
}

function adviceOf(said: HookAnswer): CheckReport["facts"] {
  const facts = said.kind === "code" ? said.report.facts : {};
  return Object.fromEntries(
    adviceKeys.flatMap((key) => (facts[key] === undefined ? [] : [[key, facts[key]] as const])),
  );
}

/** A hook that says "not yet" beside a failure changes nothing in it, not even its stage. */
function stageOf({ verdict }: HookedAnswer, words: Partial<CheckReport>): Partial<CheckReport> {
  return verdict === "failed" ? {} : words;
}

function wordsOf({ stage, reason, message }: CheckReport): Pick<CheckReport, "stage" | "reason" | "message"> {
  return {
    ...(stage === undefined ? {} : { stage }),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

export function withRemark(answer: HookedAnswer, remark: string): HookedAnswer {
  const { facts } = answer.report;
  const joined = facts["remark"] === undefined ? remark : `${facts["remark"]}; ${remark}`;
  return { ...answer, report: { ...answer.report, facts: { ...facts, remark: joined } } };
}
