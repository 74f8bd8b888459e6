import type { EvidenceLine, Finding, ProbeResult } from "../diagnosis/diagnosis.ts";
import { judgementWords } from "../diagnosis/judgement.ts";
import { joinShown, ours, show, shownHtml, type Shown, type ShownText } from "../text/shown-text.ts";
import { reportStyle } from "./report-style.ts";
import { decisiveOf } from "./report-text.ts";
import type { ShownReport } from "./report.ts";
import { drawTimeline } from "./timeline-picture.ts";

/** One page without scripts and without other files; every text of the machine is escaped. */
export function renderReportHtml(report: ShownReport): ShownText {
  const good = report.outcome === "bootstrapped" || report.diagnosis.kind === "healthy";
  const picture = drawTimeline(report.timeline, !good);
  const parts = [
    ours`<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    ours`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    ours`<title>${shownHtml(report.firstLine)}</title><style>${reportStyle}</style></head><body>`,
    ours`<h1${good ? ours` class="good"` : ours``}>${shownHtml(report.firstLine)}</h1>`,
    ours`<p class="soft">${shownHtml(origin(report))}</p>`,
    ...findings(report),
    block("Decisive lines", decisiveOf(report).map(quote)),
    block(
      "Timeline",
      picture.length === 0 ? report.timeline.map(({ time, event }) => paragraph(ours`${time} ${event}`)) : [picture],
    ),
    block("Probes", report.probes.length === 0 ? [] : [probeTable(report.probes)]),
    block("Evidence that was read", report.sources.length === 0 ? [] : [sourceTable(report)]),
    block("Warnings", report.warnings.map(paragraph)),
    ours`</body></html>\n`,
  ];
  return joinShown(parts, "\n");
}

function origin({ time, handlerVersion, vmId, checkVersion, elapsedSeconds }: ShownReport): ShownText {
  const parts = [
    time,
    ...(vmId === undefined ? [] : [ours`VM ${vmId}`]),
    ...(elapsedSeconds === undefined ? [] : [ours`after ${elapsedSeconds} s`]),
    ours`capz-bootstrap ${handlerVersion}`,
    ...(checkVersion === undefined ? [] : [ours`check ${checkVersion}`]),
  ];
  return joinShown(parts, " · ");
}

function block(title: string, parts: readonly ShownText[]): ShownText {
  return parts.length === 0
    ? ours``
    : ours`<section><h2>${shownHtml(show(title))}</h2>\n${joinShown(parts, "\n")}</section>`;
}

function paragraph(text: ShownText): ShownText {
  return ours`<p>${shownHtml(text)}</p>`;
}

function findings({ diagnosis, body }: ShownReport): readonly ShownText[] {
  const cause =
    diagnosis.kind === "classified"
      ? [block("Cause", [findingCard(diagnosis.primary)])]
      : [block("Verdict", body.map(paragraph))];
  return [...cause, block("Also found", diagnosis.others.map(findingCard))];
}

function findingCard(finding: Shown<Finding>): ShownText {
  const { title, summary, explanation, nextStep, references, evidence, reason, role } = finding;
  const tags = [reason, show(role), ...judgementWords(finding)];
  const parts = [
    ours`<article class="finding"><h3>${shownHtml(title)}</h3>`,
    ours`<p>${joinShown(
      tags.map((tag) => ours`<span class="tag">${shownHtml(tag)}</span>`),
      "",
    )}</p>`,
    paragraph(summary),
    paragraph(explanation),
    ours`<p class="next">Next: ${shownHtml(nextStep)}</p>`,
    ...evidence.map(quote),
    ...references.map(
      (url) => ours`<p class="soft"><a href="${shownHtml(url)}" rel="noreferrer">${shownHtml(url)}</a></p>`,
    ),
    ours`</article>`,
  ];
  return joinShown(parts, "\n");
}

function quote({ origin: place, line, text }: Shown<EvidenceLine>): ShownText {
  return ours`<p class="soft">${shownHtml(place)}, line ${line}</p><pre>${shownHtml(text)}</pre>`;
}

const marks = {
  passed: ours`<td class="ok">✓ ok</td>`,
  failed: ours`<td class="bad-mark">✗ failed</td>`,
  "not-run": ours`<td class="soft">– not run</td>`,
} as const;

function probeTable(probes: readonly Shown<ProbeResult>[]): ShownText {
  const order = { failed: 0, passed: 1, "not-run": 2 } as const;
  const rows = probes
    .toSorted((a, b) => order[a.state] - order[b.state])
    .map(
      ({ name, target, state, message }) => ours`<tr>${marks[state]}${cell(name)}${cell(target)}${cell(message)}</tr>`,
    );
  return ours`<table><tr><th>Result</th><th>Probe</th><th>Target</th><th>Answer</th></tr>${joinShown(rows, "\n")}</table>`;
}

function sourceTable({ sources }: ShownReport): ShownText {
  const rows = sources.map(
    ({ origin: place, state, bytes, note }) =>
      ours`<tr>${cell(place)}${cell(show(state))}${cell(ours`${bytes}`)}${cell(note ?? ours``)}</tr>`,
  );
  return ours`<table><tr><th>Source</th><th>State</th><th>Bytes</th><th>Note</th></tr>${joinShown(rows, "\n")}</table>`;
}

function cell(text: ShownText): ShownText {
  return ours`<td>${shownHtml(text)}</td>`;
}
