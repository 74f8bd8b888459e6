import { startDeadline, type Deadline } from "../check/deadline.ts";
import { emptyOlderSettings } from "../contract/settings-file.ts";
import { errorText, toHandlerError } from "../errors/handler-error.ts";
import { usedMs } from "../state/run-state.ts";
import { handlerVersion } from "../version.ts";
import { watchAftercare } from "./aftercare.ts";
import { collectFacts } from "./collect-facts.ts";
import { diagnoseEnd } from "./diagnose-end.ts";
import { publishReport, reportFile } from "./publish-report.ts";
import type { ReadSettings } from "./read-settings.ts";
import { concludeRun, type Run } from "./run.ts";
import { runObtainedCheck, type CheckRun } from "./run-obtained-check.ts";
import type { SuperviseEnd } from "./supervise.ts";
import { verdictStatus } from "./supervise-status.ts";
import type { Verdict, VerdictEnd } from "./verdict.ts";

/** What is known of the run when it ends, apart from the end itself. */
interface Known {
  readonly read: ReadSettings | undefined;
  readonly check: CheckRun | undefined;
  readonly deadline: Deadline | undefined;
}

/** From the settings to the verdict on disk. */
export async function judge(run: Run): Promise<SuperviseEnd> {
  const known: { -readonly [Key in keyof Known]: Known[Key] } = {
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
    run.context.log.error(`${error.id}: ${error.message}${error.id === "internal" ? `\n${stackOf(thrown)}` : ""}`);
    end = { kind: "not-checked", error };
  }
  await known.deadline?.close();
  if (end === "interrupted") return "interrupted";
  return settle(run, end, known);
}

async function reachEnd(
  run: Run,
  known: { -readonly [Key in keyof Known]: Known[Key] },
): Promise<VerdictEnd | "interrupted"> {
  const { read, deadline } = known;
  if (read === undefined || deadline === undefined) throw new Error("The settings are read before the check is run");
  if (read.settings.mode === "report") return { kind: "reported", facts: await collectFacts(run.context) };
  known.check = await runObtainedCheck(run, read, deadline);
  const { outcome } = known.check;
  return outcome.kind === "interrupted" ? "interrupted" : outcome;
}

/** Diagnoses, writes the verdict, then everything that can no longer change it. */
async function settle(run: Run, end: VerdictEnd, known: Known): Promise<SuperviseEnd> {
  const { context } = run;
  const elapsedSeconds = Math.round(elapsedMs(run, known.deadline) / 1000);
  const settings = known.read?.settings;
  const aftercare = known.check?.kind === "probe" && end.kind !== "passed" && (settings?.aftercareSeconds ?? 0) > 0;
  run.record.note({ event: eventOf(end), elapsedMs: elapsedSeconds * 1000 });
  const common: Verdict = {
    end,
    mode: settings?.mode ?? "enforce",
    elapsedSeconds,
    timeoutSeconds: settings?.timeoutSeconds ?? 0,
    time: context.host.now().toISOString(),
    vmId: context.identity.vmId,
    handlerVersion,
    ...(known.check?.version === undefined ? {} : { checkVersion: known.check.version }),
    timeline: run.record.current().timeline,
    warnings: [...(known.read?.warnings ?? []), ...(known.check?.warnings ?? [])],
  };
  const diagnosed = await diagnoseEnd({ run, verdict: common, rules: known.check?.rules });
  const verdict =
    diagnosed.verdict.diagnosis === undefined ? common : { ...diagnosed.verdict, reportFile: reportFile(run) };
  await concludeRun(run, { status: verdictStatus(verdict), elapsedSeconds, final: !aftercare });
  await publishReport({ run, settings, verdict, excerpts: diagnosed.excerpts }).catch((error: unknown) => {
    context.log.warn(`The report could not be written: ${errorText(error)}`);
  });
  await emptyOlderSettings(context.environment.configFolder, context);
  return aftercare ? watchAftercare(run) : "concluded";
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

function elapsedMs(run: Run, deadline: Deadline | undefined): number {
  const { host, identity } = run.context;
  if (deadline !== undefined) return deadline.elapsedMs();
  return usedMs(run.record.current().clock, { bootId: identity.bootId, monotonicMs: host.monotonicMs() });
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

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
