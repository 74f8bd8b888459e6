import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cutShown, ours, show, shownJson, type ShownText } from "../text/shown-text.ts";
import { renderReportHtml } from "./report-html.ts";
import { renderReportText } from "./report-text.ts";
import type { Report, ShownReport } from "./report.ts";
import { packShown, type ShownBytes } from "./shown-bytes.ts";

export interface WriteReport {
  readonly folder: string;
  readonly report: ShownReport;
  /** Ends of the logs, for the bundle; asked for after the report itself is on disk. */
  readonly excerpts: () => readonly LogExcerpt[];
  /** Text of observations.json: what the deciding look saw, redacted. */
  readonly observations?: ShownText;
}

interface LogExcerpt {
  readonly origin: ShownText;
  readonly text: ShownText;
}

export interface WrittenReport {
  readonly json: string;
  readonly text: string;
  readonly html: string;
  readonly bundle: string;
  readonly bundleBytes: ShownBytes;
}

/** Bytes of all files of the bundle before compression. */
const bundleLimit = 10 * 1024 * 1024;

/**
 * Writes report.json, report.txt, report.html, observations.json and report.zip (all of them plus log excerpts) into the folder, each whole or not
 * at all, readable by root only.
 * @throws a system error when the folder cannot be written; the caller has given its verdict before
 */
export async function writeReport({ folder, report, excerpts, observations }: WriteReport): Promise<WrittenReport> {
  const files = [
    { name: ours`report.json`, content: ours`${shownJson<Report>(report, 2)}\n` },
    { name: ours`report.txt`, content: renderReportText(report) },
    { name: ours`report.html`, content: renderReportHtml(report) },
    ...(observations === undefined ? [] : [{ name: ours`observations.json`, content: observations }]),
  ];
  await mkdir(folder, { recursive: true });
  for (const { name, content } of files) await replaceFile(join(folder, name), Buffer.from(content, "utf8"));
  const logs = excerpts().map(({ origin, text }, index) => ({ name: nameOf(origin, index + 1), content: text }));
  // The report stands first and always fits; of the logs the newest end does.
  const bundleBytes = await packShown([...files, ...logs], bundleLimit);
  const bundle = join(folder, "report.zip");
  await replaceFile(bundle, bundleBytes);
  return {
    json: join(folder, "report.json"),
    text: join(folder, "report.txt"),
    html: join(folder, "report.html"),
    bundle,
    bundleBytes,
  };
}

/** Writes report.txt alone, whole or not at all. @throws a system error when the folder cannot be written */
export async function writeReportText(folder: string, report: ShownReport): Promise<void> {
  await mkdir(folder, { recursive: true });
  await replaceFile(join(folder, "report.txt"), Buffer.from(renderReportText(report), "utf8"));
}

/** `/var/log/cloud-init.log` → `logs/01-var_log_cloud-init.log`. */
function nameOf(origin: ShownText, index: number): ShownText {
  const name = origin
    .split(/[^\w.-]+/)
    .filter(Boolean)
    .join("_");
  const number = show(String(index).padStart(2, "0"));
  const end = name.endsWith(".log") ? ours`` : ours`.log`;
  return ours`logs/${number}-${cutShown.tail(show(name), 80)}${end}`;
}

async function replaceFile(path: string, content: Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  try {
    // A link in its place would lead the bytes to a file of somebody else.
    await rm(temporary, { force: true });
    await writeFile(temporary, content, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
