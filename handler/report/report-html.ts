import type { EvidenceLine, Finding, ProbeResult } from "../diagnosis/diagnosis.ts";
import { escapeHtml } from "./escape-html.ts";
import { reportStyle } from "./report-style.ts";
import { decisiveOf } from "./report-text.ts";
import type { Report } from "./report.ts";
import { drawTimeline } from "./timeline-picture.ts";

/** One page without scripts and without other files; every text of the machine is escaped. */
export function renderReportHtml(report: Report): string {
  const good = report.outcome === "bootstrapped" || report.diagnosis.kind === "healthy";
  const picture = drawTimeline(report.timeline, !good);
  return [
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escapeHtml(report.firstLine)}</title><style>${reportStyle}</style></head><body>`,
    `<h1${good ? ' class="good"' : ""}>${escapeHtml(report.firstLine)}</h1>`,
    `<p class="soft">${escapeHtml(origin(report))}</p>`,
    ...findings(report),
    block("Decisive lines", decisiveOf(report).map(quote)),
    block(
      "Timeline",
      picture === "" ? report.timeline.map(({ time, event }) => paragraph(`${time} ${event}`)) : [picture],
    ),
    block("Probes", report.probes.length === 0 ? [] : [probeTable(report.probes)]),
    block("Evidence that was read", report.sources.length === 0 ? [] : [sourceTable(report)]),
    block("Warnings", report.warnings.map(paragraph)),
    `</body></html>\n`,
  ].join("\n");
}

function origin({ time, handlerVersion, vmId, checkVersion, elapsedSeconds }: Report): string {
  const parts = [
    time,
    ...(vmId === undefined ? [] : [`VM ${vmId}`]),
    ...(elapsedSeconds === undefined ? [] : [`after ${elapsedSeconds} s`]),
    `capz-bootstrap ${handlerVersion}`,
    ...(checkVersion === undefined ? [] : [`check ${checkVersion}`]),
  ];
  return parts.join(" · ");
}

function block(title: string, parts: readonly string[]): string {
  return parts.length === 0 ? "" : `<section><h2>${escapeHtml(title)}</h2>\n${parts.join("\n")}</section>`;
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

function findings({ diagnosis, body }: Report): readonly string[] {
  const cause =
    diagnosis.kind === "classified"
      ? [block("Cause", [findingCard(diagnosis.primary)])]
      : [block("Verdict", body.map(paragraph))];
  return [...cause, block("Also found", diagnosis.others.map(findingCard))];
}

function findingCard(finding: Finding): string {
  const { title, summary, explanation, nextStep, references, evidence, reason, confidence, blame, retryable, role } =
    finding;
  const tags = [
    reason,
    role,
    `confidence ${confidence}`,
    `correct: ${blame}`,
    retryable ? "a new machine may succeed" : "a new machine fails the same way",
  ];
  return [
    `<article class="finding"><h3>${escapeHtml(title)}</h3>`,
    `<p>${tags.map((tag) => `<span class="tag">${escapeHtml(tag)}</span>`).join("")}</p>`,
    paragraph(summary),
    paragraph(explanation),
    `<p class="next">Next: ${escapeHtml(nextStep)}</p>`,
    ...evidence.map(quote),
    ...references.map(
      (url) => `<p class="soft"><a href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(url)}</a></p>`,
    ),
    `</article>`,
  ].join("\n");
}

function quote({ origin: place, line, text }: EvidenceLine): string {
  return `<p class="soft">${escapeHtml(place)}, line ${line}</p><pre>${escapeHtml(text)}</pre>`;
}

const marks = {
  passed: `<td class="ok">✓ ok</td>`,
  failed: `<td class="bad-mark">✗ failed</td>`,
  "not-run": `<td class="soft">– not run</td>`,
} as const;

function probeTable(probes: readonly ProbeResult[]): string {
  const order = { failed: 0, passed: 1, "not-run": 2 } as const;
  const rows = probes
    .toSorted((a, b) => order[a.state] - order[b.state])
    .map(({ name, target, state, message }) => `<tr>${marks[state]}${cell(name)}${cell(target)}${cell(message)}</tr>`);
  return `<table><tr><th>Result</th><th>Probe</th><th>Target</th><th>Answer</th></tr>${rows.join("\n")}</table>`;
}

function sourceTable({ sources }: Report): string {
  const rows = sources.map(
    ({ origin: place, state, bytes, note }) =>
      `<tr>${cell(place)}${cell(state)}${cell(`${bytes}`)}${cell(note ?? "")}</tr>`,
  );
  return `<table><tr><th>Source</th><th>State</th><th>Bytes</th><th>Note</th></tr>${rows.join("\n")}</table>`;
}

function cell(text: string): string {
  return `<td>${escapeHtml(text)}</td>`;
}
