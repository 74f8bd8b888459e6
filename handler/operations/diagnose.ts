import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { diagnose, isLive, type DiagnosisRun } from "../diagnosis/diagnose.ts";
import { renderBody, renderFirstLine } from "../diagnosis/render.ts";
import { errorText } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import { renderReportHtml } from "../report/report-html.ts";
import { renderReportText } from "../report/report-text.ts";
import type { Report, ShownReport } from "../report/report.ts";
import { ours, show, showAll, shownJson, type ShownText } from "../text/shown-text.ts";
import { handlerVersion } from "../version.ts";

export interface DiagnoseOptions {
  readonly format: "text" | "json" | "html";
  readonly probes: boolean;
  /** rules.json; default: the one of the package. */
  readonly rules?: string;
}

/** Exit codes: 0 the logs end in success, 1 a cause was found, 2 no known cause, 3 the diagnosis could not be made. */
const exitCodes = { healthy: 0, classified: 1, unclassified: 2 } as const;

/** `capz-bootstrap diagnose`: the extension's answer for a person on a node, in a rescue shell or over copied logs. */
export async function runDiagnose(
  host: Host,
  options: DiagnoseOptions,
): Promise<{ readonly text: ShownText; readonly exitCode: number }> {
  const root = isLive(host) ? host.root : resolve(host.root);
  const file = options.rules ?? join(host.programFolder, "bundle", "rules.json");
  try {
    const { loadRules } = await import("../diagnosis/load-rules.ts");
    const ruleSet = loadRules(await readFile(file, "utf8"));
    const placed = { ...host, root };
    const run = await diagnose({ host: placed, ruleSet, probes: options.probes && isLive(placed) });
    return { text: render(toReport(run, host), options.format), exitCode: exitCodes[run.diagnosis.kind] };
  } catch (error) {
    return {
      text: ours`capz-bootstrap diagnose: cannot use the rule catalogue "${show(file)}": ${show(errorText(error))}\n`,
      exitCode: 3,
    };
  }
}

function toReport(run: DiagnosisRun, host: Host): ShownReport {
  const { diagnosis, timeline, probes, evidence } = run;
  return {
    schemaVersion: 1,
    time: show(host.now().toISOString()),
    handlerVersion: show(handlerVersion),
    outcome: "diagnosed",
    firstLine: renderFirstLine(diagnosis),
    body: diagnosis.kind === "classified" ? [] : renderBody(diagnosis),
    diagnosis,
    timeline: showAll(timeline),
    probes,
    sources: evidence,
    warnings: [],
  };
}

function render(report: ShownReport, format: DiagnoseOptions["format"]): ShownText {
  switch (format) {
    case "json":
      return ours`${shownJson<Report>(report, 2)}\n`;
    case "html":
      return renderReportHtml(report);
    case "text":
      return renderReportText(report);
  }
}
