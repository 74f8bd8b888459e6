import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import AdmZip from "adm-zip";
import { Ajv2020 } from "ajv/dist/2020.js";
import { toConsoleText, writeConsoleLine } from "../../../handler/report/console-line.ts";
import { renderReportHtml } from "../../../handler/report/report-html.ts";
import { renderReportText } from "../../../handler/report/report-text.ts";
import type { Report } from "../../../handler/report/report.ts";
import { drawTimeline } from "../../../handler/report/timeline-picture.ts";
import { reportUrl, uploadReport } from "../../../handler/report/upload-report.ts";
import { packShown } from "../../../handler/report/shown-bytes.ts";
import { ours, show, showAll } from "../../../handler/text/shown-text.ts";
import { writeReport } from "../../../handler/report/write-report.ts";
import { generateSecrets } from "../text/generate-secrets.ts";
import { sampleReport } from "./sample-report.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "report-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function schema() {
  const text = await readFile("manifests/report.schema.json", "utf8");
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== "object" || parsed === null) throw new Error("The schema is not an object");
  return new Ajv2020({ allErrors: true }).compile(parsed);
}

const none = () => [];

test("writes the report in three forms and a bundle, readable by root only", async () => {
  const written = await writeReport({
    folder,
    report: sampleReport,
    excerpts: () => [{ origin: show("/var/log/cloud-init.log"), text: show("line\n") }],
  });
  expect(JSON.parse(await readFile(written.json, "utf8"))).toEqual(sampleReport);
  expect(await readFile(written.text, "utf8")).toBe(renderReportText(sampleReport));
  for (const path of [written.json, written.text, written.html, written.bundle])
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  const zip = new AdmZip(written.bundle);
  expect(
    zip
      .getEntries()
      .map((entry) => entry.entryName)
      .toSorted(),
  ).toEqual(["logs/01-var_log_cloud-init.log", "report.html", "report.json", "report.txt"]);
  expect(zip.readAsText("logs/01-var_log_cloud-init.log")).toBe("line\n");
});

test("report.json keeps to the published schema, whatever the kind of diagnosis", async () => {
  const validate = await schema();
  const others: Report[] = [
    sampleReport,
    { ...sampleReport, diagnosis: { kind: "unclassified", others: [], decisive: [] } },
    { ...sampleReport, outcome: "diagnosed", diagnosis: { kind: "healthy", others: [] }, timeline: [] },
  ];
  for (const report of others) {
    validate(JSON.parse(JSON.stringify(report)));
    expect(validate.errors ?? []).toEqual([]);
  }
  expect(validate({ ...sampleReport, outcome: "fine" })).toBe(false);
  expect(validate({ ...sampleReport, schemaVersion: 2 })).toBe(false);
});

test("no secret that was put into any text of a report gets into its files", async () => {
  const secrets = generateSecrets(99, 400);
  for (let at = 0; at < secrets.length; at += 40) {
    const part = secrets.slice(at, at + 40);
    const text = part.map((one) => one.text).join("\n");
    const line = { source: "kubelet", origin: "journalctl -u kubelet", line: 1, text } as const;
    const report: Report = {
      ...sampleReport,
      firstLine: text,
      body: [text],
      warnings: [text],
      diagnosis: { kind: "unclassified", others: [], decisive: [line] },
      timeline: [{ time: sampleReport.time, event: text }],
      probes: [{ name: "x", target: "y", state: "failed", message: text, durationMs: 1 }],
      sources: [{ origin: "x", source: "kubelet", state: "read", bytes: 1, note: text }],
    };
    const written = await writeReport({ folder, report: showAll(report), excerpts: none });
    const files = await Promise.all([written.json, written.text, written.html].map((path) => readFile(path, "utf8")));
    const shown = `${files.join("\n")}\n${toConsoleText(show(text))}`;
    expect(
      part.filter((one) => shown.includes(one.secret) || shown.includes(JSON.stringify(one.secret).slice(1, -1))),
    ).toEqual([]);
  }
});

test("the bundle stays below its size, and the report itself is always whole", async () => {
  const text = show("x y ".repeat(1.5 * 1024 * 1024));
  const written = await writeReport({
    folder,
    report: sampleReport,
    excerpts: () => ["a", "b", "c"].map((origin) => ({ origin: show(origin), text })),
  });
  const entries = new AdmZip(written.bundle).getEntries();
  expect(entries.reduce((sum, entry) => sum + entry.header.size, 0)).toBe(10 * 1024 * 1024);
  expect(entries.map((entry) => entry.entryName).toSorted()).toEqual([
    "logs/01-a.log",
    "logs/02-b.log",
    "report.html",
    "report.json",
    "report.txt",
  ]);
});

test("a folder that cannot be written leaves no half of a file", async () => {
  // A folder that is not empty stands where the second file should go.
  await mkdir(join(folder, "report.txt", "in-the-way"), { recursive: true });
  await expect(writeReport({ folder, report: sampleReport, excerpts: none })).rejects.toThrow("report.txt");
  expect((await readdir(folder)).toSorted()).toEqual(["report.json", "report.txt"]);
  expect(JSON.parse(await readFile(join(folder, "report.json"), "utf8"))).toMatchObject({
    firstLine: sampleReport.firstLine,
  });
});

test("report.txt says verdict, cause, next step, probes and evidence", () => {
  const text = renderReportText(sampleReport);
  expect(text.split("\n")[0]).toBe(sampleReport.firstLine);
  expect(text).toContain("  Next: Link the private DNS zone");
  expect(text).toContain("  [FAILED] dns cp.example.internal via 10.0.0.10: NXDOMAIN");
  expect(text).toContain("  [not run] sysctl net.bridge.bridge-nf-call-iptables: no such setting");
  expect(text).toContain("Not there or empty: crictl ps -a");
  expect(text.split("\n")[1]).toMatch(/^Machine: host workload-control-plane-x7k2p · .* · VM id 6f1c1d2e/u);
  expect(text.trimEnd().split("\n").at(-1)).toBe(sampleReport.firstLine);
  expect(text).toContain("+72 s  [cloud-init] cloud-init modules-final finished with 1 error");
});

test("report.html needs nothing beside it and runs nothing", () => {
  const html = renderReportHtml(sampleReport);
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(html).not.toMatch(/<script/i);
  expect(html).not.toMatch(/<(?:link|img|iframe)\b|\bsrc=|@import|url\(/i);
  expect(html).toContain('<ol class="timeline"');
  expect(html).toContain("prefers-color-scheme: dark");
});

test("the picture's bars follow the times and need two of them", () => {
  expect(drawTimeline([], true)).toBe("");
  expect(drawTimeline(sampleReport.timeline.slice(0, 1), true)).toBe("");
  const picture = drawTimeline(sampleReport.timeline, true);
  const widths = [...picture.matchAll(/width:([\d.]{1,9})%/g)].map((match) => Number(match[1]));
  expect(widths[3]).toBeCloseTo((39 / 74) * 100, 1);
  expect(picture.match(/class="bar bad"/g)).toHaveLength(1);
  expect(drawTimeline(sampleReport.timeline, false)).not.toContain("bad");
});

test("a timeline of many events shows the newest, and says how many it left out", () => {
  const [event] = sampleReport.timeline;
  if (event === undefined) throw new Error("The sample has events");
  const at = (second: number) => show(new Date(Date.parse(event.time) + second * 1000).toISOString());
  const many = Array.from({ length: 50 }, (_, index) => ({ ...event, time: at(index), seconds: index }));
  const picture = drawTimeline(many, false);
  expect(picture).toContain("10 earlier events are in report.json");
  expect(picture.match(/<li>/g)).toHaveLength(40);
});

test("writes one clean line to the console", async () => {
  const device = join(folder, "console");
  await writeFile(device, "");
  expect(
    await writeConsoleLine(device, show("Bootstrap failed\u001b[31m: token abcdef.0123456789abcdef\nsecond")),
  ).toBe(true);
  expect(await readFile(device, "utf8")).toBe(
    "\r\ncapz-bootstrap: Bootstrap failed: token <redacted:join-token> second\r\n",
  );
  expect(toConsoleText(show("word ".repeat(200))).length).toBe(400);
});

test("a console without a reader, or full, is left alone at once", async () => {
  const fifo = join(folder, "fifo");
  await promisify(execFile)("mkfifo", [fifo]);
  expect(await writeConsoleLine(fifo, ours`verdict`)).toBe(false);
  const reader = await open(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const filler = await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  await filler.write(Buffer.alloc(65_536));
  expect(await writeConsoleLine(fifo, ours`verdict`)).toBe(false);
  await filler.close();
  await reader.close();
  expect(await writeConsoleLine(join(folder, "none"), ours`verdict`)).toBe(false);
  expect(await writeConsoleLine(undefined, ours`verdict`)).toBe(false);
});

test("an upload's failure is a value without secrets", async () => {
  const request = {
    uri: "https://a.blob.core.windows.net/reports?sv=1&sig=abc",
    name: "vm/1.zip",
    bytes: await packShown([{ name: ours`report.txt`, content: ours`text` }], 100),
    contentType: "application/zip",
    isAzureStorage: true,
  };
  const asked: string[] = [];
  const good = await uploadReport({
    ...request,
    upload: (url) => Promise.resolve((asked.push(url.href), { kind: "uploaded" as const, location: url.href })),
  });
  expect(good).toEqual({ kind: "uploaded", address: "https://a.blob.core.windows.net/reports/vm/1.zip" });
  expect(asked).toEqual(["https://a.blob.core.windows.net/reports/vm/1.zip?sv=1&sig=abc"]);
  const thrown = await uploadReport({
    ...request,
    upload: () => Promise.reject(new Error("403 at https://a/?sig=abcdef")),
  });
  expect(thrown).toEqual({ kind: "failed", reason: "403 at https://a/?sig=<redacted:sas>" });
  expect(
    await uploadReport({ ...request, uri: "no url", upload: () => Promise.resolve({ kind: "uploaded" }) }),
  ).toMatchObject({ kind: "failed" });
});

test.each([
  ["https://a/c?sig=x", true, "https://a/c/vm/1.zip?sig=x"],
  ["https://a/c/own.zip?x", true, "https://a/c/own.zip?x"],
  ["https://a/c/folder/?x", true, "https://a/c/folder/vm/1.zip?x"],
  ["https://hooks.example.com/upload", false, "https://hooks.example.com/upload"],
  ["https://hooks.example.com/", false, "https://hooks.example.com/vm/1.zip"],
])("a report for %s goes to its place there", (uri, isAzureStorage, place) => {
  expect(reportUrl({ uri, name: "vm/1.zip", isAzureStorage }).href).toBe(place);
});
