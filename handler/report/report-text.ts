import type { EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import type { Report } from "./report.ts";

/** The report for a terminal: the verdict first, then what shows it, then what was looked at. */
export function renderReportText(report: Report): string {
  const sections = [
    [report.firstLine, ...report.body],
    section("Cause", causeLines(report)),
    section("Also found", otherLines(report)),
    section("Decisive lines", decisiveOf(report).flatMap(quote)),
    section("Timeline", timelineLines(report)),
    section(
      "Probes",
      report.probes.map(({ name, target, state, message }) => `[${marks[state]}] ${name} ${target}: ${message}`),
    ),
    section(
      "Evidence",
      report.sources.map(
        ({ origin, state, bytes, note }) =>
          `${origin}: ${state}, ${bytes} bytes${note === undefined ? "" : ` (${note})`}`,
      ),
    ),
    section("Warnings", report.warnings),
    [
      `Written at ${report.time} by capz-bootstrap ${report.handlerVersion}${report.vmId === undefined ? "" : ` on VM ${report.vmId}`}`,
    ],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const marks = { passed: "ok", failed: "FAILED", "not-run": "not run" } as const;

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function causeLines({ diagnosis }: Report): readonly string[] {
  return diagnosis.kind === "classified" ? findingLines(diagnosis.primary) : [];
}

function findingLines(finding: Finding): readonly string[] {
  return [
    `${finding.title} (${finding.reason}, confidence ${finding.confidence})`,
    finding.summary,
    finding.explanation,
    `Next: ${finding.nextStep}`,
    `${finding.retryable ? "A new machine may succeed." : "A new machine would fail the same way."} To be corrected in: ${finding.blame}.`,
    ...finding.references,
    ...finding.evidence.flatMap(quote),
  ];
}

function otherLines({ diagnosis }: Report): readonly string[] {
  return diagnosis.others.map(({ role, title, reason, summary }) => `${role}: ${title} (${reason}): ${summary}`);
}

export function decisiveOf({ diagnosis }: Report): readonly EvidenceLine[] {
  return diagnosis.kind === "healthy" ? [] : diagnosis.decisive;
}

function quote({ origin, line, text }: EvidenceLine): readonly string[] {
  return [`${origin}:${line}`, `  ${text}`];
}

function timelineLines({ timeline }: Report): readonly string[] {
  return timeline.map(({ time, seconds, stage, event }) => {
    const since = seconds === undefined ? "" : ` ${seconds >= 0 ? "+" : ""}${seconds} s`;
    return `${time}${since}  ${stage === undefined ? "" : `[${stage}] `}${event}`;
  });
}
