import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { diagnose, isLive, type DiagnosisRun } from "../diagnosis/diagnose.ts";
import type { SourceId } from "../diagnosis/diagnosis.ts";
import { renderBody, renderFirstLine } from "../diagnosis/render.ts";
import { errorText } from "../errors/handler-error.ts";
import { readPackagedFile } from "../files/packaged-file.ts";
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

/** Exit codes: 0 the logs end in success, 1 a cause was found, 2 no known cause, 3 there is nothing to judge by, 64 wrong use. */
const exitCodes = { healthy: 0, classified: 1, unclassified: 2 } as const;

/** `capz-bootstrap diagnose`: the extension's answer for a person on a node, in a rescue shell or over copied logs. */
export async function runDiagnose(
  host: Host,
  options: DiagnoseOptions,
): Promise<{ readonly text: ShownText; readonly exitCode: number }> {
  const root = isLive(host) ? host.root : resolve(host.root);
  const unusable = problemOf(root);
  if (unusable !== undefined) return { text: ours`capz-bootstrap diagnose: ${unusable}\n`, exitCode: 64 };
  const file = options.rules ?? "rules.json";
  try {
    const { loadRules } = await import("../diagnosis/load-rules.ts");
    const ruleSet = loadRules(
      await (options.rules === undefined ? readPackagedFile(host.programFolder, file) : readFile(file, "utf8")),
    );
    const placed = { ...host, root };
    const run = await diagnose({ host: placed, ruleSet, probes: options.probes && isLive(placed) });
    if (run.diagnosis.kind === "unclassified" && !sawBootstrap(run)) {
      const text = ours`capz-bootstrap diagnose: nothing below "${show(root)}" comes from a bootstrap, so there is no failure to explain. Next: Name the folder that holds the machine's /var/log, or that is a copy of it.\n`;
      return { text, exitCode: 3 };
    }
    return { text: render(toReport(run, host), options.format), exitCode: exitCodes[run.diagnosis.kind] };
  } catch (error) {
    return {
      text: ours`capz-bootstrap diagnose: cannot use the rule catalogue "${show(file)}": ${show(errorText(error))}\n`,
      exitCode: 3,
    };
  }
}

/** What a person may name by mistake. */
function problemOf(root: string): ShownText | undefined {
  const found = statSync(root, { throwIfNoEntry: false });
  if (found === undefined)
    return ours`There is no folder "${show(root)}". Next: Name the folder that holds the copied logs.`;
  if (found.isDirectory()) return undefined;
  return ours`"${show(root)}" is a file. Next: Unpack an archive first; put a single log into a folder under its own name (cloud-init-output.log) and name the folder.`;
}

/** Only these are written by a bootstrap; a machine that never was to be a node has the others, with errors of their own. */
const bootstrapSources: ReadonlySet<SourceId> = new Set<SourceId>([
  "cloud-init-output",
  "cloud-init",
  "cloud-init-status",
  "kubeadm",
  "kubelet",
  "bootstrap-unit",
  "ignition",
  "cloudbase-init",
  "azure",
]);

function sawBootstrap({ evidence, diagnosis }: DiagnosisRun): boolean {
  return (
    diagnosis.others.length > 0 ||
    evidence.some(({ source, state, bytes }) => bootstrapSources.has(source) && state !== "not-available" && bytes > 0)
  );
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
