import { emptyOlderSettings } from "../../contract/settings-file.ts";
import { errorText } from "../../errors/handler-error.ts";
import { addProof } from "./add-proof.ts";
import { canStillTurnUp, watchAftercare } from "./aftercare.ts";
import { buildVerdict } from "./build-verdict.ts";
import { concludeRun } from "./conclude-run.ts";
import type { SequenceContext } from "../context.ts";
import { diagnoseEnd } from "./diagnose-end.ts";
import { createForesight } from "./foresight.ts";
import { openState } from "./open-state.ts";
import { publishReport } from "./publish-report.ts";
import { putStatus } from "../put-status.ts";
import { reachEnd } from "./reach-end.ts";
import { keepRecord } from "./run-record.ts";
import type { Run } from "./run.ts";
import { checkMarker } from "../supervisor.ts";
import { takeLock } from "./take-lock.ts";
import { reportBeforeVerdict } from "./report-before-verdict.ts";
import { uploadBeforeVerdict } from "./upload-before-verdict.ts";
import { wordsOf } from "../../verdict/verdict-words.ts";

/** `interrupted`: stopped before a verdict; the next start goes on. */
export type SuperviseEnd = "concluded" | "not-needed" | "interrupted";

/** The long-running part: waits for the verdict and writes it before it ends, whatever happens. */
export async function supervise(
  context: SequenceContext,
  { signal, readSettings }: Pick<Run, "signal" | "readSettings">,
): Promise<SuperviseEnd> {
  const { host, instance, sequence } = context;
  const marker = checkMarker(instance, sequence);
  if (!(await takeLock(context, marker, signal))) return "not-needed";
  const state = openState(context);
  if (state === undefined) return "not-needed";
  const told = new AbortController();
  const record = keepRecord(host, instance, state);
  const run: Run = {
    context,
    marker,
    signal,
    told: told.signal,
    readSettings,
    record,
    foresight: createForesight(host),
  };
  const tell = (): void => {
    told.abort();
  };
  if (state.verdict !== undefined) await putStatus(context, state.verdict.status);
  else if ((await giveVerdict(run, tell).finally(tell)) === "interrupted") return "interrupted";
  return reviseVerdict(run);
}

/** From the settings to the verdict on disk, then everything that can no longer change it. */
async function giveVerdict(run: Run, onTold: () => void): Promise<"given" | "interrupted"> {
  const { context } = run;
  const reached = await reachEnd(run);
  if (reached === "interrupted") return "interrupted";
  const settings = reached.read?.settings;
  const diagnosed = await diagnoseEnd({ run, verdict: buildVerdict(run, reached), rules: reached.check?.rules });
  const uploaded = await uploadBeforeVerdict(run, diagnosed, settings);
  const { verdict } = uploaded;
  const words = wordsOf(verdict);
  await reportBeforeVerdict(run, uploaded, words);
  const told = await concludeRun(run, { verdict, words, final: !canStillTurnUp(reached) });
  if (told === "nobody-reads") return "interrupted";
  onTold();
  await publishReport({ run, settings, words, ...uploaded }).catch((error: unknown) => {
    context.log.warn(`The report could not be written: ${errorText(error)}`);
  });
  await emptyOlderSettings(context.environment.configFolder, context);
  await addProof({ run, read: reached.read, verdict, words });
  return "given";
}

/** A failed node that comes up after all is told once more; nothing here can fail it again. */
async function reviseVerdict(run: Run): Promise<"concluded" | "interrupted"> {
  const first = run.record.current().verdict;
  if (first === undefined || first.final) return "concluded";
  try {
    const late = await watchAftercare(run, first);
    if (late === "interrupted") return "interrupted";
    if (late !== undefined) {
      const verdict = buildVerdict(run, late);
      const words = wordsOf(verdict);
      const told = await concludeRun(run, { verdict, words, final: true });
      if (told === "nobody-reads") return "interrupted";
      await addProof({ run, read: late.read, verdict, words });
      return "concluded";
    }
  } catch (error) {
    run.context.log.warn(`Aftercare ends early: ${String(error)}`);
  }
  await run.record.saveVerdict({ ...first, final: true });
  return "concluded";
}
