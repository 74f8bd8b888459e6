import { startDeadline, type Deadline } from "../check/deadline.ts";
import { toHandlerError } from "../errors/handler-error.ts";
import { collectFacts } from "./collect-facts.ts";
import type { Run } from "./run.ts";
import { runObtainedCheck } from "./run-obtained-check.ts";
import { settle, type Known } from "./settle.ts";
import type { SuperviseEnd } from "./supervise.ts";
import type { VerdictEnd } from "./verdict.ts";

type Growing = { -readonly [Key in keyof Known]: Known[Key] };

/** From the settings to the verdict on disk. */
export async function judge(run: Run): Promise<SuperviseEnd> {
  const known: Growing = {
    read: undefined,
    check: undefined,
    deadline: undefined,
  };
  let end: VerdictEnd | "interrupted";
  try {
    known.read = await run.readSettings();
    known.deadline = openDeadline(run, known.read.settings.timeoutSeconds);
    end = await reachEnd(run, known);
  } catch (thrown) {
    const error = toHandlerError(thrown);
    // Stopped in the middle of a download: the next start goes on.
    const stopped = error.id === "interrupted" && run.signal.aborted;
    run.context.log.error(`${error.id}: ${error.message}${error.id === "internal" ? `\n${stackOf(thrown)}` : ""}`);
    end = stopped ? "interrupted" : { kind: "not-checked", error };
  }
  await known.deadline?.close();
  if (end === "interrupted") return "interrupted";
  return settle(run, end, known);
}

async function reachEnd(run: Run, known: Growing): Promise<VerdictEnd | "interrupted"> {
  const { read, deadline } = known;
  if (read === undefined || deadline === undefined) throw new Error("The settings are read before the check is run");
  if (read.settings.mode === "report") return { kind: "reported", facts: await collectFacts(run.context) };
  known.check = await runObtainedCheck(run, read, deadline);
  const { outcome } = known.check;
  return outcome.kind === "interrupted" ? "interrupted" : outcome;
}

function openDeadline(run: Run, timeoutSeconds: number): Deadline {
  const { host, identity } = run.context;
  return startDeadline({
    host,
    budgetMs: timeoutSeconds * 1000,
    bootId: identity.bootId,
    stored: run.record.current().clock,
    persist: (clock) => run.record.saveClock(clock),
  });
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
