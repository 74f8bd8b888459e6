import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { redactReport } from "./redact-report.ts";
import { renderReportHtml } from "./report-html.ts";
import { renderReportText } from "./report-text.ts";
import type { Report } from "./report.ts";

export interface WriteReport {
  readonly folder: string;
  readonly report: Report;
  /** Redacted ends of the logs, for the bundle; asked for after the report itself is on disk. */
  readonly excerpts: () => readonly LogExcerpt[];
  /** Text of observations.json: what the deciding look saw, redacted. */
  readonly observations?: string;
}

interface LogExcerpt {
  readonly origin: string;
  readonly text: string;
}

export interface WrittenReport {
  readonly json: string;
  readonly text: string;
  readonly html: string;
  readonly bundle: string;
  readonly bundleBytes: Uint8Array;
}

/** Bytes of all files of the bundle before compression. */
const bundleLimit = 10 * 1024 * 1024;

/**
 * Writes report.json, report.txt, report.html, observations.json and report.zip (all of them plus log excerpts) into the folder, each whole or not
 * at all, readable by root only.
 * @throws a system error when the folder cannot be written; the caller has given its verdict before
 */
export async function writeReport({ folder, report, excerpts, observations }: WriteReport): Promise<WrittenReport> {
  const safe = redactReport(report);
  const files = [
    { name: "report.json", content: `${JSON.stringify(safe, undefined, 2)}\n` },
    { name: "report.txt", content: renderReportText(safe) },
    { name: "report.html", content: renderReportHtml(safe) },
    ...(observations === undefined ? [] : [{ name: "observations.json", content: observations }]),
  ];
  await mkdir(folder, { recursive: true });
  for (const { name, content } of files) await replaceFile(join(folder, name), Buffer.from(content, "utf8"));
  const logs = excerpts().map(({ origin, text }, index) => ({
    name: `logs/${String(index + 1).padStart(2, "0")}-${nameOf(origin)}`,
    content: text,
  }));
  const bundleBytes = await packBundle([...files, ...logs]);
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

interface BundleFile {
  readonly name: string;
  readonly content: string;
}

async function packBundle(files: readonly BundleFile[]): Promise<Buffer> {
  const { default: AdmZip } = await import("adm-zip");
  const zip = new AdmZip();
  let left = bundleLimit;
  for (const { name, content } of files) {
    const bytes = Buffer.from(content, "utf8");
    // The report stands first and always fits; of the logs the newest end does.
    const part = bytes.subarray(Math.max(0, bytes.length - left));
    left -= part.length;
    if (part.length > 0) zip.addFile(name, part, "", 0o600);
  }
  return zip.toBuffer();
}

/** `/var/log/cloud-init.log` → `var_log_cloud-init.log`. */
function nameOf(origin: string): string {
  const name = origin
    .split(/[^\w.-]+/)
    .filter(Boolean)
    .join("_")
    .slice(-80);
  return name.endsWith(".log") ? name : `${name}.log`;
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
