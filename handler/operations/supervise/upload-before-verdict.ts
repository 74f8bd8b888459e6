import { errorText } from "../../errors/handler-error.ts";
import type { Settings } from "../../settings/settings.ts";
import type { ShownText } from "../../text/shown-text.ts";
import { wordsOf } from "../../verdict/verdict-words.ts";
import type { Diagnosed } from "../../verdict/verdict.ts";
import type { DiagnosedEnd } from "./diagnose-end.ts";
import type { SendReport } from "./full-report.ts";
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
  const uri = settings?.reportUploadUri;
  const diagnosed = end.verdict.diagnosis;
  if (settings === undefined || uri === undefined || diagnosed === undefined) return { ...end, report: "to-do" };
  const { host, log } = run.context;
  const done = new AbortController();
  try {
    const sent = await Promise.race([
      send({ ...end, run, settings, uri, diagnosed }),
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

interface Sending extends DiagnosedEnd, Pick<SendReport, "run" | "settings" | "uri"> {
  readonly diagnosed: Diagnosed;
}

async function send(sending: Sending): Promise<{ readonly address: ShownText | undefined } | undefined> {
  const { sendReport, writeFullReport } = await import("./full-report.ts");
  const bytes = await writeFullReport({ ...sending, words: wordsOf(sending.verdict) });
  const result = await sendReport({ ...sending, bytes, limitMs: mostMs });
  return result.kind === "uploaded" ? { address: result.address } : undefined;
}
