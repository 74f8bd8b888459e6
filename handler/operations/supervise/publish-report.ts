import { join } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import { isSystemRoot } from "../../files/system-root.ts";
import { writeConsoleLine } from "../../report/console-line.ts";
import type { Settings } from "../../settings/settings.ts";
import type { VerdictWords } from "../../verdict/verdict-words.ts";
import { observationsOf } from "./observations-of.ts";
import type { Run } from "./run.ts";
import type { Uploaded } from "./upload-before-verdict.ts";

export interface PublishReport extends Uploaded {
  readonly run: Run;
  readonly words: VerdictWords;
  /** Undefined when they could not be read. */
  readonly settings: Settings | undefined;
}

const uploadLimitMs = 60_000;

/** Everything that follows a verdict that stands: console line, report, upload. None of it can change the verdict. */
export async function publishReport(request: PublishReport): Promise<void> {
  const { run, verdict, words, settings, report } = request;
  const { host } = run.context;
  if (settings?.echoToConsole !== false) {
    await writeConsoleLine(host.platform.console(host.root), words.line);
    if (isSystemRoot(host.root)) await announce(request);
  }
  if (report === "uploaded") return;
  // A node that bootstrapped has nothing to explain, and must not wait for us; but it can be asked why we think so.
  if (verdict.diagnosis === undefined) {
    await writeObservations(request);
    return;
  }
  const { sendReport, writeFullReport } = await import("./full-report.ts");
  const bytes = await writeFullReport({ ...request, diagnosed: verdict.diagnosis });
  const uri = settings?.reportUploadUri;
  if (settings !== undefined && uri !== undefined)
    await sendReport({ run, verdict, settings, uri, bytes, limitMs: uploadLimitMs });
}

async function announce({ run, words }: PublishReport): Promise<void> {
  const { host } = run.context;
  await host.platform.announce?.({ line: words.line, failed: words.code !== 0 }, host.run);
}

async function writeObservations({ run, verdict }: PublishReport): Promise<void> {
  const text = await observationsOf(verdict);
  if (text === undefined) return;
  const path = join(run.context.environment.logFolder, "observations.json");
  await replaceFile({ path, bytes: Buffer.from(text), durable: false });
}
