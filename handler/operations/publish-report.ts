import { join } from "node:path";
import { replaceFile } from "../contract/replace-file.ts";
import { writeConsoleLine } from "../report/console-line.ts";
import type { ShownReport } from "../report/report.ts";
import type { ShownBytes } from "../report/shown-bytes.ts";
import type { Settings } from "../settings/settings.ts";
import { show, type ShownText } from "../text/shown-text.ts";
import type { Diagnosed, Verdict } from "./verdict.ts";
import type { DiagnosedEnd } from "./diagnose-end.ts";
import type { Run } from "./run.ts";
import { linesBelow, longestTail, type VerdictWords } from "./verdict-words.ts";

export interface PublishReport extends DiagnosedEnd {
  readonly run: Run;
  readonly words: VerdictWords;
  /** Undefined when they could not be read. */
  readonly settings: Settings | undefined;
}

/** Everything that follows a verdict that stands: console line, report, upload. None of it can change the verdict. */
export async function publishReport(request: PublishReport): Promise<void> {
  const { run, verdict, words, settings } = request;
  const { host } = run.context;
  if (settings?.echoToConsole !== false) {
    await writeConsoleLine(host.platform.console(host.root), words.line);
  }
  // A node that bootstrapped has nothing to explain, and must not wait for us; but it can be asked why we think so.
  if (verdict.diagnosis === undefined) await writeObservations(request);
  else await writeFullReport(request, verdict.diagnosis);
}

async function writeObservations({ run, verdict }: PublishReport): Promise<void> {
  const text = await observationsOf(verdict);
  if (text === undefined) return;
  const path = join(run.context.environment.logFolder, "observations.json");
  await replaceFile({ path, bytes: Buffer.from(text), durable: false });
}

/** What the deciding look saw; a check that is a script or a command has told nothing of it. */
async function observationsOf({ end }: Verdict): Promise<ShownText | undefined> {
  const record = end.kind === "passed" || end.kind === "failed" || end.kind === "deadline" ? end.record : undefined;
  if (record === undefined) return undefined;
  const { renderObservations } = await import("./look-observations.ts");
  return renderObservations(record);
}

async function writeFullReport(
  { run, verdict, words, excerpts, settings }: PublishReport,
  diagnosed: Diagnosed,
): Promise<void> {
  const { writeReport } = await import("../report/write-report.ts");
  const folder = run.context.environment.logFolder;
  const observations = await observationsOf(verdict);
  const written = await writeReport({
    folder,
    report: toReport(verdict, words, diagnosed),
    excerpts,
    ...(observations === undefined ? {} : { observations }),
  });
  if (settings?.reportUploadUri !== undefined) await upload(run, settings, written.bundleBytes);
}

function toReport(verdict: Verdict, words: VerdictWords, { diagnosis, evidence, probes }: Diagnosed): ShownReport {
  return {
    schemaVersion: 1,
    time: show(verdict.time),
    handlerVersion: show(verdict.handlerVersion),
    outcome: verdict.end.kind === "deadline" ? "deadline" : "failed",
    firstLine: words.line,
    body: linesBelow(words, longestTail),
    vmId: show(verdict.vmId),
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

const uploadLimitMs = 60_000;

async function upload(run: Run, settings: Settings, bytes: ShownBytes): Promise<void> {
  const { host, identity, log } = run.context;
  const { uploadReport } = await import("../report/upload-report.ts");
  const { uploadBlob } = await import("../check/azure-storage.ts");
  const limit = new AbortController();
  const done = new AbortController();
  void host.sleep(uploadLimitMs, AbortSignal.any([run.signal, done.signal])).then(() => {
    limit.abort();
  });
  const result = await uploadReport({
    uri: settings.reportUploadUri?.reveal() ?? "",
    name: `capz-bootstrap/${identity.vmId}/${host.now().toISOString().replaceAll(":", "-")}.zip`,
    bytes,
    contentType: "application/zip",
    upload: (url, content, contentType) =>
      uploadBlob({ host, settings, url, signal: limit.signal }, content, contentType),
  });
  // Else the supervisor would live on until the limit.
  done.abort();
  if (result.kind === "failed") log.warn(`The report could not be uploaded: ${result.reason}`);
  else log.info("The report is uploaded");
}
