import { waitsForSentinel } from "../check/capz-wait.ts";
import { startDeadline } from "../check/deadline.ts";
import { obtainCheck } from "../check/obtain-check.ts";
import { runProbe } from "../check/run-probe.ts";
import { watchSentinel } from "../check/watch-sentinel.ts";
import type { CheckSettings, Settings } from "../settings/settings.ts";
import { workFolder, type VerdictState } from "../state/run-state.ts";
import { cutShown, ours } from "../text/shown-text.ts";
import { handlerVersion } from "../version.ts";
import { packagedCheck } from "./look-beside-command.ts";
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
    const passed = await waitForLateSuccess(run, { ...settings, check: checkAfter(settings, context.host) }, first);
    if (passed === "interrupted") return "interrupted";
    if (passed !== undefined) {
      const told = await revise(run, first, { ...passed, settings, warnings });
      return told === "told" ? "concluded" : "interrupted";
    }
  } catch (error) {
    context.log.warn(`Aftercare ends early: ${String(error)}`);
  }
  await run.record.saveVerdict({ ...first, final: true });
  return "concluded";
}

/** CAPZ's loop is over; the packaged check looks on in its place, unless the settings do not want it to look. */
function checkAfter({ check }: Settings, host: Run["context"]["host"]): CheckSettings {
  const waits = check.kind === "command" && check.lookBeside && waitsForSentinel(check.command, host);
  return waits ? packagedCheck : check;
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
  const sentinel = watchSentinel(host);
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
      await sentinel.wait(settings.pollSeconds * 1000, AbortSignal.any([signal, deadline.signal]));
      if (signal.aborted) return "interrupted";
    }
    return undefined;
  } finally {
    sentinel.close();
    await deadline.close();
  }
}

async function revise(
  run: Run,
  first: VerdictState,
  late: LateSuccess & { readonly settings: Settings; readonly warnings: readonly string[] },
): ReturnType<typeof concludeRun> {
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
    handlerVersion,
    checkVersion,
    timeline: record.current().timeline,
    warnings,
    revised: { firstLine: cutShown.lines(first.status.message)[0] ?? ours``, lateBySeconds },
  });
  return concludeRun(run, { status, elapsedSeconds, final: true });
}
