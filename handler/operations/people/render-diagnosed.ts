import type { DiagnosisRun } from "../../diagnosis/diagnosis-run.ts";
import { renderBody, renderFirstLine } from "../../diagnosis/render.ts";
import type { Host } from "../../host.ts";
import { renderBrief, withVerdictLast } from "../../report/report-brief.ts";
import { renderReportHtml } from "../../report/report-html.ts";
import { renderReportText } from "../../report/report-text.ts";
import type { Report, ShownReport } from "../../report/report.ts";
import { joinShown, ours, show, showAll, showLine, shownJson, type ShownText } from "../../text/shown-text.ts";
import { handlerVersion } from "../../version.ts";

export type DiagnoseFormat = "text" | "brief" | "json" | "html";

/** One machine of those that were named: its diagnosis, or why there is none, in whole sentences. */
export type Diagnosed = Found & {
  /** Which of several it is; empty for the only one. */
  readonly label: string;
};

/** `notes`: what was not read of an archive. */
export type Found = { readonly notes: readonly string[] } & (
  { readonly kind: "diagnosed"; readonly run: DiagnosisRun } | { readonly kind: "refused"; readonly why: ShownText }
);

/** 0 the logs end in success, 1 a cause was found, 2 no known cause, 3 there is nothing to judge by, 64 wrong use. */
const exitCodes = { healthy: 0, classified: 1, unclassified: 2 } as const;
/** Of several machines: the one that most wants a look. */
const gravest = [1, 2, 3, 0] as const;

export function renderDiagnosed(
  found: readonly Diagnosed[],
  host: Host,
  format: DiagnoseFormat,
): { readonly text: ShownText; readonly exitCode: number } {
  const codes = found.map(exitCodeOf);
  const exitCode = gravest.find((code) => codes.includes(code)) ?? 3;
  const [only] = found;
  if (found.length === 1 && only !== undefined) return { text: renderOne(only, host, format), exitCode };
  if (format === "html") {
    const places = joinShown(found.map(labelOf), "; ");
    return {
      text: ours`capz-bootstrap diagnose: --html shows one machine. Next: Name one of ${places}.\n`,
      exitCode: 64,
    };
  }
  return { text: renderSeveral(found, host, format), exitCode };
}

function exitCodeOf(one: Diagnosed): 0 | 1 | 2 | 3 {
  return one.kind === "refused" ? 3 : exitCodes[one.run.diagnosis.kind];
}

function renderOne(one: Diagnosed, host: Host, format: DiagnoseFormat): ShownText {
  if (one.kind === "refused") return ours`capz-bootstrap diagnose: ${one.why}\n${noteLines(one.notes)}`;
  const report = toReport(one.run, one.notes, host);
  switch (format) {
    case "json":
      return ours`${shownJson<Report>(report, 2)}\n`;
    case "html":
      return renderReportHtml(report);
    case "brief":
      return renderBrief(report);
    case "text":
      return renderReportText(report);
  }
}

/** A line for each machine first and last, the reports between them. */
function renderSeveral(found: readonly Diagnosed[], host: Host, format: "text" | "brief" | "json"): ShownText {
  const lines = found.map(lineOf);
  const head = ours`${found.length} machines`;
  switch (format) {
    case "json": {
      const reports = found.map((one) => {
        const place = show(one.label);
        return one.kind === "refused"
          ? { place, error: one.why }
          : { place, report: toReport(one.run, one.notes, host) };
      });
      return ours`${shownJson({ machines: reports }, 2)}\n`;
    }
    case "brief":
      // What does not fit is left out from the end.
      return withVerdictLast(gravestFirst(found).map(lineOf), head);
    case "text": {
      const reports = found.map((one) => ours`=== ${labelOf(one)} ===\n\n${renderOne(one, host, "text")}`);
      return ours`${joinShown([head, ...lines], "\n")}\n\n${joinShown(reports, "\n")}\n${joinShown([head, ...lines], "\n")}\n`;
    }
  }
}

function gravestFirst(found: readonly Diagnosed[]): readonly Diagnosed[] {
  const gravity = (one: Diagnosed) => gravest.indexOf(exitCodeOf(one));
  return found.toSorted((one, other) => gravity(one) - gravity(other));
}

function lineOf(one: Diagnosed): ShownText {
  return ours`${labelOf(one)}: ${verdictOf(one)}`;
}

function labelOf({ label }: Diagnosed): ShownText {
  return label === "" ? ours`.` : showLine(label);
}

function verdictOf(one: Diagnosed): ShownText {
  return one.kind === "refused" ? one.why : renderFirstLine(one.run.diagnosis);
}

function noteLines(notes: readonly string[]): ShownText {
  return joinShown(
    notes.map((note) => ours`Warning: ${show(note)}\n`),
    "",
  );
}

function toReport(run: DiagnosisRun, notes: readonly string[], host: Host): ShownReport {
  const { diagnosis, timeline, probes, evidence, machine } = run;
  return {
    schemaVersion: 1,
    time: show(host.now().toISOString()),
    handlerVersion: show(handlerVersion),
    outcome: "diagnosed",
    firstLine: renderFirstLine(diagnosis),
    body: diagnosis.kind === "classified" ? [] : renderBody(diagnosis),
    ...(Object.keys(machine).length === 0 ? {} : { machine }),
    diagnosis,
    timeline: showAll(timeline),
    probes,
    sources: evidence,
    warnings: notes.map((note) => show(note)),
  };
}
