import { startDeadline } from "../check/deadline.ts";
import { obtainCheck } from "../check/obtain-check.ts";
import { runProbe } from "../check/run-probe.ts";
import type { Settings } from "../settings/settings.ts";
import { workFolder, type VerdictState } from "../state/run-state.ts";
import { handlerVersion } from "../version.ts";
import { concludeRun, type Run } from "./run.ts";
import type { SuperviseEnd } from "./supervise.ts";
import { verdictStatus } from "./supervise-status.ts";

/**
 * A node that comes up after its failure was reported turns the status into a success, "late by N s"; the first verdict
 * stays in the message and the timeline. Nothing here can fail the node again.
 */
export async function watchAftercare(run: Run): Promise<SuperviseEnd> {
  const first = run.record.current().verdict;
  if (first === undefined || first.final) return "concluded";
  const { context } = run;
  try {
    const { settings, warnings } = await run.readSettings();
    const passed = await waitForLateSuccess(run, settings, first);
    if (passed === "interrupted") return "interrupted";
    if (passed !== undefined) {
      await revise(run, first, { ...passed, settings, warnings });
      return "concluded";
    }
  } catch (error) {
    context.log.warn(`Aftercare ends early: ${String(error)}`);
  }
  await run.record.saveVerdict({ ...first, final: true });
  return "concluded";
}

interface LateSuccess {
  readonly end: Extract<Awaited<ReturnType<typeof runProbe>>, { kind: "passed" }>;
  readonly elapsedSeconds: number;
  readonly checkVersion: string;
}

async function waitForLateSuccess(
  run: Run,
  settings: Settings,
  first: VerdictState,
): Promise<LateSuccess | "interrupted" | undefined> {
  const { context, signal, record } = run;
  const { host, identity } = context;
  const deadline = startDeadline({
    host,
    budgetMs: (first.afterSeconds + settings.aftercareSeconds) * 1000,
    bootId: identity.bootId,
    stored: record.current().clock,
    persist: (clock) => record.saveClock(clock),
  });
  try {
    const folder = workFolder(context.instance, context.sequence);
    const check = await obtainCheck({ host, settings, workFolder: folder, identity, handlerVersion, deadline, signal });
    if (check.kind !== "probe") return undefined;
    while (!deadline.signal.aborted) {
      const outcome = await runProbe({
        host,
        check,
        settings,
        deadline,
        identity,
        signal,
        marker: run.marker,
        workFolder: folder,
        onProgress: () => undefined,
      });
      if (outcome.kind === "passed") {
        return { end: outcome, elapsedSeconds: Math.round(deadline.elapsedMs() / 1000), checkVersion: check.version };
      }
      if (outcome.kind === "interrupted") return "interrupted";
      await host.sleep(settings.pollSeconds * 1000, AbortSignal.any([signal, deadline.signal]));
      if (signal.aborted) return "interrupted";
    }
    return undefined;
  } finally {
    await deadline.close();
  }
}

async function revise(
  run: Run,
  first: VerdictState,
  late: LateSuccess & { readonly settings: Settings; readonly warnings: readonly string[] },
): Promise<void> {
  const { context, record } = run;
  const { elapsedSeconds, end, settings, warnings, checkVersion } = late;
  const lateBySeconds = elapsedSeconds - first.afterSeconds;
  record.note({ event: `bootstrapped, late by ${String(lateBySeconds)} s`, elapsedMs: elapsedSeconds * 1000 });
  const status = verdictStatus({
    end,
    mode: settings.mode,
    elapsedSeconds,
    timeoutSeconds: settings.timeoutSeconds,
    time: context.host.now().toISOString(),
    vmId: context.identity.vmId,
    sequence: context.sequence,
    handlerVersion,
    checkVersion,
    timeline: record.current().timeline,
    warnings,
    revised: { firstLine: first.status.message.split("\n", 1)[0] ?? "", lateBySeconds },
  });
  await concludeRun(run, { status, elapsedSeconds, final: true });
}
