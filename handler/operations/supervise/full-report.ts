import type { ShownReport } from "../../report/report.ts";
import type { ShownBytes } from "../../report/shown-bytes.ts";
import { uploadReport, type UploadOutcome } from "../../report/upload-report.ts";
import { writeReport, writeReportText } from "../../report/write-report.ts";
import type { Secret } from "../../settings/secret.ts";
import type { Settings } from "../../settings/settings.ts";
import { show } from "../../text/shown-text.ts";
import { isAzureStorage, upload } from "../../transfer/upload.ts";
import { linesBelow, longestTail, type VerdictWords } from "../../verdict/verdict-words.ts";
import type { Diagnosed, Verdict } from "../../verdict/verdict.ts";
import type { DiagnosedEnd } from "./diagnose-end.ts";
import { observationsOf } from "./observations-of.ts";
import type { Run } from "./run.ts";

export interface FullReport extends DiagnosedEnd {
  readonly run: Run;
  readonly words: VerdictWords;
  readonly diagnosed: Diagnosed;
}

/** Writes the report's files; the bytes are those of report.zip. */
export async function writeFullReport({ run, verdict, words, excerpts, diagnosed }: FullReport): Promise<ShownBytes> {
  const observations = await observationsOf(verdict);
  const written = await writeReport({
    folder: run.context.environment.logFolder,
    report: toReport(verdict, words, diagnosed),
    excerpts,
    ...(observations === undefined ? {} : { observations }),
  });
  return written.bundleBytes;
}

/** Writes report.txt alone. */
export async function writeShortReport({
  run,
  verdict,
  words,
  diagnosed,
}: Omit<FullReport, "excerpts">): Promise<void> {
  await writeReportText(run.context.environment.logFolder, toReport(verdict, words, diagnosed));
}

export interface SendReport {
  readonly run: Run;
  readonly verdict: Verdict;
  readonly settings: Settings;
  /** The setting reportUploadUri. */
  readonly uri: Secret;
  readonly bytes: ShownBytes;
  readonly limitMs: number;
}

/** Never throws; how it went is a line of the log. */
export async function sendReport({ run, verdict, settings, uri, bytes, limitMs }: SendReport): Promise<UploadOutcome> {
  const { host, identity, log } = run.context;
  const done = new AbortController();
  const limit = new AbortController();
  void host.sleep(limitMs, AbortSignal.any([run.signal, done.signal])).then(() => {
    limit.abort();
  });
  const remote = { host, settings, signal: limit.signal };
  const how = { method: settings.reportUploadMethod, authorization: settings.reportUploadAuthorization };
  const result = await uploadReport({
    uri: uri.reveal(),
    name: `capz-bootstrap/${identity.vmId}/${verdict.time.replaceAll(":", "-")}.zip`,
    bytes,
    contentType: "application/zip",
    isAzureStorage: isAzureStorage(new URL(uri.reveal())),
    upload: (url, content, contentType) => upload({ ...remote, ...how, url }, content, contentType),
  });
  done.abort();
  if (result.kind === "failed") log.warn(`The report could not be uploaded: ${result.reason}`);
  else log.info(`The report is uploaded${result.address === undefined ? "" : ` to ${result.address}`}`);
  return result;
}

function toReport(
  verdict: Verdict,
  words: VerdictWords,
  { diagnosis, evidence, probes, machine }: Diagnosed,
): ShownReport {
  return {
    schemaVersion: 1,
    time: show(verdict.time),
    handlerVersion: show(verdict.handlerVersion),
    outcome: verdict.end.kind === "deadline" ? "deadline" : "failed",
    firstLine: words.line,
    body: linesBelow(words, longestTail),
    vmId: show(verdict.vmId),
    ...(machine === undefined ? {} : { machine }),
    ...(verdict.checkVersion === undefined ? {} : { checkVersion: show(verdict.checkVersion) }),
    elapsedSeconds: verdict.elapsedSeconds,
    timeoutSeconds: verdict.timeoutSeconds,
    diagnosis,
    timeline: words.timeline,
    probes,
    sources: evidence,
    warnings: words.warnings,
  };
}
