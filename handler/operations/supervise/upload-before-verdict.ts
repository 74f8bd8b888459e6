import { errorText } from "../../errors/handler-error.ts";
import type { Settings } from "../../settings/settings.ts";
import type { ShownText } from "../../text/shown-text.ts";
import { wordsOf } from "../../verdict/verdict-words.ts";
import type { DiagnosedEnd } from "./diagnose-end.ts";
import type { Run } from "./run.ts";

/** What a verdict waits for its report at most: a person who is given the failure should find the report behind its address. */
const mostMs = 15_000;

/** `report`: "uploaded", or what is still to be done once the verdict stands. */
export interface Uploaded extends DiagnosedEnd {
  readonly report: "uploaded" | "to-do";
}

/**
 * Sends the report before the error is told, since CAPZ may delete the machine at once. Never throws, and never takes longer than
 * its cap; a report that did not arrive by then is tried again after the verdict.
 */
export async function uploadBeforeVerdict(
  run: Run,
  end: DiagnosedEnd,
  settings: Settings | undefined,
): Promise<Uploaded> {
  if (settings?.reportUploadUri === undefined || end.verdict.diagnosis === undefined)
    return { ...end, report: "to-do" };
  const { host, log } = run.context;
  const done = new AbortController();
  try {
    const sent = await Promise.race([
      send(run, end, settings),
      host.sleep(mostMs, AbortSignal.any([run.signal, done.signal])).then(() => undefined),
    ]);
    if (sent === undefined) return { ...end, report: "to-do" };
    const verdict = sent.address === undefined ? end.verdict : { ...end.verdict, reportUri: sent.address };
    return { ...end, verdict, report: "uploaded" };
  } catch (error) {
    log.warn(`The report could not be made before the verdict: ${errorText(error)}`);
    return { ...end, report: "to-do" };
  } finally {
    done.abort();
  }
}

async function send(
  run: Run,
  end: DiagnosedEnd,
  settings: Settings,
): Promise<{ readonly address: ShownText | undefined } | undefined> {
  const { verdict } = end;
  if (verdict.diagnosis === undefined || settings.reportUploadUri === undefined) return undefined;
  const { sendReport, writeFullReport } = await import("./full-report.ts");
  const bytes = await writeFullReport({ ...end, run, words: wordsOf(verdict), diagnosed: verdict.diagnosis });
  const request = { run, verdict, settings, uri: settings.reportUploadUri, bytes, limitMs: mostMs };
  const result = await sendReport(request);
  return result.kind === "uploaded" ? { address: result.address } : undefined;
}
