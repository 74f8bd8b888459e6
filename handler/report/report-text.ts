import type { EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import { judgementWords } from "../diagnosis/judgement.ts";
import { joinShown, ours, show, type Shown, type ShownText } from "../text/shown-text.ts";
import { machineLine } from "./machine-words.ts";
import type { ShownReport } from "./report.ts";

/** The report for a terminal: the verdict first and last, between them the machine, what shows the cause, and what was looked at. */
export function renderReportText(report: ShownReport): ShownText {
  const sections = [
    [report.firstLine, ...machineLine(report), ...report.body],
    section("Cause", causeLines(report)),
    section("Also found", otherLines(report)),
    section("Decisive lines", decisiveOf(report).flatMap(quote)),
    section("Timeline", timelineLines(report)),
    section(
      "Probes",
      report.probes.map(({ name, target, state, message }) => ours`[${marks[state]}] ${name} ${target}: ${message}`),
    ),
    evidenceLines(report),
    section("Warnings", report.warnings),
    [
      ours`Written at ${report.time} by capz-bootstrap ${report.handlerVersion}${report.vmId === undefined ? ours`` : ours` on VM ${report.vmId}`}`,
    ],
    // Whoever scrolls to the end, or is given only that, reads the verdict there.
    [report.firstLine],
  ];
  const shown = sections.filter((lines) => lines.length > 0).map((lines) => joinShown(lines, "\n"));
  return ours`${joinShown(shown, "\n\n")}\n`;
}

const marks = { passed: ours`ok`, failed: ours`FAILED`, "not-run": ours`not run` } as const;

function section(title: string, lines: readonly ShownText[]): readonly ShownText[] {
  return lines.length === 0 ? [] : [ours`${show(title)}:`, ...lines.map((line) => ours`  ${line}`)];
}

export function isRead({ state, bytes }: ShownReport["sources"][number]): boolean {
  return state !== "not-available" && bytes > 0;
}

/** What was read, a line each; what could not be had, all in one. */
function evidenceLines({ sources }: ShownReport): readonly ShownText[] {
  const read = sources
    .filter(isRead)
    .map(
      ({ origin, state, bytes, note }) =>
        ours`${origin}: ${show(state)}, ${bytes} bytes${note === undefined ? ours`` : ours` (${note})`}`,
    );
  const rest = sources.filter((source) => !isRead(source)).map(({ origin }) => origin);
  return [...section("Read", read), ...(rest.length === 0 ? [] : [ours`Not there or empty: ${joinShown(rest, ", ")}`])];
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
