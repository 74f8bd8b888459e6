import type { EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import { judgementWords } from "../diagnosis/judgement.ts";
import { joinShown, ours, show, type Shown, type ShownText } from "../text/shown-text.ts";
import type { ShownReport } from "./report.ts";

/** The report for a terminal: the verdict first, then what shows it, then what was looked at. */
export function renderReportText(report: ShownReport): ShownText {
  const sections = [
    [report.firstLine, ...report.body],
    section("Cause", causeLines(report)),
    section("Also found", otherLines(report)),
    section("Decisive lines", decisiveOf(report).flatMap(quote)),
    section("Timeline", timelineLines(report)),
    section(
      "Probes",
      report.probes.map(({ name, target, state, message }) => ours`[${marks[state]}] ${name} ${target}: ${message}`),
    ),
    section(
      "Evidence",
      report.sources.map(
        ({ origin, state, bytes, note }) =>
          ours`${origin}: ${show(state)}, ${bytes} bytes${note === undefined ? ours`` : ours` (${note})`}`,
      ),
    ),
    section("Warnings", report.warnings),
    [
      ours`Written at ${report.time} by capz-bootstrap ${report.handlerVersion}${report.vmId === undefined ? ours`` : ours` on VM ${report.vmId}`}`,
    ],
  ];
  const shown = sections.filter((lines) => lines.length > 0).map((lines) => joinShown(lines, "\n"));
  return ours`${joinShown(shown, "\n\n")}\n`;
}

const marks = { passed: ours`ok`, failed: ours`FAILED`, "not-run": ours`not run` } as const;

function section(title: string, lines: readonly ShownText[]): readonly ShownText[] {
  return lines.length === 0 ? [] : [ours`${show(title)}:`, ...lines.map((line) => ours`  ${line}`)];
}

function causeLines({ diagnosis }: ShownReport): readonly ShownText[] {
  return diagnosis.kind === "classified" ? findingLines(diagnosis.primary) : [];
}

function findingLines(finding: Shown<Finding>): readonly ShownText[] {
  return [
    ours`${finding.title} (${joinShown([finding.reason, ...judgementWords(finding)], "; ")})`,
    finding.summary,
    finding.explanation,
    ours`Next: ${finding.nextStep}`,
    ...finding.references,
    ...finding.evidence.flatMap(quote),
  ];
}

function otherLines({ diagnosis }: ShownReport): readonly ShownText[] {
  return diagnosis.others.map(
    ({ role, title, reason, summary }) => ours`${show(role)}: ${title} (${reason}): ${summary}`,
  );
}

export function decisiveOf({ diagnosis }: ShownReport): readonly Shown<EvidenceLine>[] {
  return diagnosis.kind === "healthy" ? [] : diagnosis.decisive;
}

function quote({ origin, line, text }: Shown<EvidenceLine>): readonly ShownText[] {
  return [ours`${origin}:${line}`, ours`  ${text}`];
}

function timelineLines({ timeline }: ShownReport): readonly ShownText[] {
  return timeline.map(({ time, seconds, stage, event }) => {
    const sign = seconds !== undefined && seconds >= 0 ? ours`+` : ours``;
    const since = seconds === undefined ? ours`` : ours` ${sign}${seconds} s`;
    return ours`${time}${since}  ${stage === undefined ? ours`` : ours`[${stage}] `}${event}`;
  });
}
