import type { Deadline } from "../check/deadline.ts";
import { emptyOlderSettings } from "../contract/settings-file.ts";
import { errorText } from "../errors/handler-error.ts";
import { usedMs } from "../state/run-state.ts";
import { handlerVersion } from "../version.ts";
import { watchAftercare } from "./aftercare.ts";
import { diagnoseEnd } from "./diagnose-end.ts";
import { publishReport, reportFile } from "./publish-report.ts";
import type { ReadSettings } from "./read-settings.ts";
import { concludeRun, type Run } from "./run.ts";
import type { CheckRun } from "./run-obtained-check.ts";
import type { SuperviseEnd } from "./supervise.ts";
import { verdictStatus } from "./supervise-status.ts";
import type { Verdict, VerdictEnd } from "./verdict.ts";
import { wordsOf } from "./verdict-words.ts";

/** What is known of the run when it ends, apart from the end itself. */
export interface Known {
  readonly read: ReadSettings | undefined;
  readonly check: CheckRun | undefined;
  readonly deadline: Deadline | undefined;
}

/** Diagnoses, writes the verdict, then everything that can no longer change it. */
export async function settle(run: Run, end: VerdictEnd, known: Known): Promise<SuperviseEnd> {
  const { context } = run;
  const elapsedSeconds = Math.round(elapsedMs(run, known.deadline) / 1000);
  run.record.note({ event: eventOf(end), elapsedMs: elapsedSeconds * 1000 });
  const { verdict, excerpts } = await diagnose(run, verdictOf(run, { end, known, elapsedSeconds }), known);
  const words = wordsOf(verdict);
  const aftercare = canStillTurnUp(end, known);
  const told = await concludeRun(run, { status: verdictStatus(verdict, words), elapsedSeconds, final: !aftercare });
  if (told === "nobody-reads") return "interrupted";
  await publishReport({ run, settings: known.read?.settings, verdict, words, excerpts }).catch((error: unknown) => {
    context.log.warn(`The report could not be written: ${errorText(error)}`);
  });
  await emptyOlderSettings(context.environment.configFolder, context);
  return aftercare ? watchAftercare(run) : "concluded";
}

async function diagnose(run: Run, verdict: Verdict, known: Known): ReturnType<typeof diagnoseEnd> {
  const diagnosed = await diagnoseEnd({ run, verdict, rules: known.check?.rules });
  if (diagnosed.verdict.diagnosis === undefined) return diagnosed;
  return { ...diagnosed, verdict: { ...diagnosed.verdict, reportFile: reportFile(run) } };
}

/** Only what the check bundle says of a node can be revised, also beside CAPZ's loop; a user's command has said its word. */
function canStillTurnUp(end: VerdictEnd, { read, check }: Known): boolean {
  const failed = end.kind === "failed" || end.kind === "deadline";
  const canLook = check?.kind === "probe" || check?.waits === true;
  return failed && canLook && (read?.settings.aftercareSeconds ?? 0) > 0;
}

interface Ended {
  readonly end: VerdictEnd;
  readonly known: Known;
  readonly elapsedSeconds: number;
}

function verdictOf({ context, record }: Run, { end, known, elapsedSeconds }: Ended): Verdict {
  const { read, check } = known;
  return {
    end,
    mode: read?.settings.mode ?? "enforce",
    elapsedSeconds,
    timeoutSeconds: read?.settings.timeoutSeconds ?? 0,
    time: context.host.now().toISOString(),
    vmId: context.identity.vmId,
    handlerVersion,
    ...(check?.version === undefined ? {} : { checkVersion: check.version }),
    ...ownCommandOf(check),
    timeline: record.current().timeline,
    warnings: [...(read?.warnings ?? []), ...(check?.warnings ?? [])],
  };
}

function ownCommandOf(check: CheckRun | undefined): Pick<Verdict, "ownCommand"> {
  return check?.ownCommand === true ? { ownCommand: true } : {};
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
