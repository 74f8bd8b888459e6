import { stackOf, toHandlerError } from "../../errors/handler-error.ts";
import { usedMs } from "../../state/run-state.ts";
import { openDeadline } from "./open-deadline.ts";
import type { ReadSettings } from "../read-settings.ts";
import { runObtainedCheck, type CheckRun } from "./run-obtained-check.ts";
import type { Run } from "./run.ts";
import type { VerdictEnd } from "../../verdict/verdict.ts";

/** How the wait ended, and what is known of it. */
export interface ReachedEnd {
  readonly end: VerdictEnd;
  /** Of the deadline, over all reboots. */
  readonly elapsedMs: number;
  /** Absent when they could not be read. */
  readonly read?: ReadSettings;
  /** Absent when no check came to an end. */
  readonly check?: CheckRun;
}

/** From the settings to the end of the wait, noted in the timeline. "interrupted": the next start goes on. */
export async function reachEnd(run: Run): Promise<ReachedEnd | "interrupted"> {
  const reached = await waitForEnd(run);
  if (reached !== "interrupted") run.record.note({ event: eventOf(reached.end), elapsedMs: reached.elapsedMs });
  return reached;
}

async function waitForEnd(run: Run): Promise<ReachedEnd | "interrupted"> {
  const read = await run.readSettings().catch((thrown: unknown) => endOfError(run, thrown));
  if (read === "interrupted") return read;
  if ("end" in read) return { ...read, elapsedMs: usedBefore(run) };
  const deadline = openDeadline(run, read.settings.timeoutSeconds);
  const found = await runToEnd(run, read, deadline).catch((thrown: unknown) => endOfError(run, thrown));
  await deadline.close();
  return found === "interrupted" ? found : { ...found, read, elapsedMs: deadline.elapsedMs() };
}

type Found = Pick<ReachedEnd, "end" | "check">;

async function runToEnd(
  run: Run,
  read: ReadSettings,
  deadline: ReturnType<typeof openDeadline>,
): Promise<Found | "interrupted"> {
  if (read.settings.mode === "report") return report(run, read);
  const check = await runObtainedCheck(run, read, deadline);
  return check.outcome.kind === "interrupted" ? "interrupted" : { end: check.outcome, check };
}

/** Mode `report`: what is there, without waiting, without a judgement and without running a check of anybody's. */
async function report(run: Run, { settings }: ReadSettings): Promise<Found | "interrupted"> {
  const { proveNode } = await import("./prove-node.ts");
  const { bootstrapProvider: provider, timeoutSeconds } = settings;
  const proof = await proveNode({ run, provider, timeoutSeconds });
  return run.signal.aborted ? "interrupted" : { end: { kind: "reported", proof } };
}

/** What was thrown on the way is a verdict too, unless we were stopped in the middle of a download. */
function endOfError({ context, signal }: Run, thrown: unknown): Pick<ReachedEnd, "end"> | "interrupted" {
  const error = toHandlerError(thrown);
  context.log.error(`${error.id}: ${error.message}${error.id === "internal" ? `\n${stackOf(thrown)}` : ""}`);
  return error.id === "interrupted" && signal.aborted ? "interrupted" : { end: { kind: "not-checked", error } };
}

function usedBefore({ context, record }: Run): number {
  const { host, identity } = context;
  return usedMs(record.current().clock, { bootId: identity.bootId, monotonicMs: host.monotonicMs() });
}

function eventOf(end: VerdictEnd): string {
  switch (end.kind) {
    case "passed":
      return "bootstrapped";
    case "failed":
      return `the check failed${end.report.reason === undefined ? "" : ` (${end.report.reason})`}`;
    case "deadline":
      return "the deadline was reached";
    case "not-checked":
      return `not checked (${end.error.code.reason})`;
    case "reported":
      return "facts reported";
  }
}
