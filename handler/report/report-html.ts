import type { EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import { judgementWords } from "../diagnosis/judgement.ts";
import { cutShown, joinShown, ours, show, shownHtml, type Shown, type ShownText } from "../text/shown-text.ts";
import { machineRows } from "./machine-words.ts";
import { probeTable, sourceTable } from "./report-tables.ts";
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
    ours`<title>${shownHtml(titleOf(report, good))}</title><style>${reportStyle}</style></head><body><main>`,
    ours`<h1${good ? ours` class="good"` : ours``}>${shownHtml(report.firstLine)}</h1>`,
    facts(report),
    ...findings(report),
    block("Decisive lines", linesBesideCause(report).map(quote)),
    block(
      "Timeline",
      picture.length === 0 ? report.timeline.map(({ time, event }) => paragraph(ours`${time} ${event}`)) : [picture],
    ),
    block("Probes", probeTable(report)),
    block("What was read", sourceTable(report)),
    block("Warnings", report.warnings.map(paragraph)),
    ours`</main></body></html>\n`,
  ];
  return joinShown(
    parts.filter((part) => part !== ""),
    "\n",
  );
}

/** For a tab or a list of files: what it is and of which machine, not the whole verdict. */
function titleOf({ diagnosis, machine, vmId }: ShownReport, good: boolean): ShownText {
  const reason = diagnosis.kind === "classified" ? diagnosis.primary.reason : ours`Unclassified`;
  const who = machine?.hostName ?? vmId;
  const words = [good ? ours`Bootstrapped` : reason, ...(who === undefined ? [] : [cutShown.text(who, 40, "…")])];
  return joinShown(words, " · ");
}

function facts(report: ShownReport): ShownText {
  const { time, handlerVersion, checkVersion, elapsedSeconds } = report;
  const rows = [
    ...machineRows(report),
    [ours`written`, show(time.replace("T", " ").replace(/(?:\.\d+)?Z$/u, " UTC"))] as const,
    ...(elapsedSeconds === undefined ? [] : [[ours`after`, ours`${elapsedSeconds} s`] as const]),
    [
      ours`program`,
      ours`capz-bootstrap ${handlerVersion}${checkVersion === undefined ? ours`` : ours`, check ${checkVersion}`}`,
    ] as const,
  ];
  const cells = rows.map(
    ([name, value]) => ours`<div><dt>${shownHtml(capital(name))}</dt><dd>${shownHtml(value)}</dd></div>`,
  );
  return ours`<dl class="facts">${joinShown(cells, "\n")}</dl>`;
}

function capital(name: ShownText): ShownText {
  return ours`${show(name.slice(0, 1).toUpperCase())}${cutShown.from(name, 1)}`;
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
      ? [block("Cause", [findingCard(diagnosis.primary, "cause")])]
      : [block("Verdict", body.map(paragraph))];
  return [
    ...cause,
    block(
      "Also found",
      diagnosis.others.map((finding) => findingCard(finding, "other")),
    ),
  ];
}

function findingCard(finding: Shown<Finding>, place: "cause" | "other"): ShownText {
  const { title, summary, explanation, nextStep, references, evidence, reason, role } = finding;
  const tags = [reason, show(role), ...judgementWords(finding)];
  const parts = [
    ours`<article class="finding${place === "cause" ? ours` cause` : ours``}"><h3>${shownHtml(title)}</h3>`,
    ours`<ul class="tags">${joinShown(
      tags.map((tag) => ours`<li>${shownHtml(tag)}</li>`),
      "",
    )}</ul>`,
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

/** The cause's card quotes its own. */
function linesBesideCause(report: ShownReport): readonly Shown<EvidenceLine>[] {
  const { diagnosis } = report;
  const quoted = diagnosis.kind === "classified" ? diagnosis.primary.evidence : [];
  const places = new Set(quoted.map(({ origin, line }) => `${origin}:${line}`));
  return decisiveOf(report).filter(({ origin, line }) => !places.has(`${origin}:${line}`));
}

function quote({ origin, line, text }: Shown<EvidenceLine>): ShownText {
  return ours`<figure><figcaption>${shownHtml(origin)}, line ${line}</figcaption><pre>${shownHtml(text)}</pre></figure>`;
}
