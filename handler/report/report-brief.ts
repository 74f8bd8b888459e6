import type { EvidenceLine } from "../diagnosis/diagnosis.ts";
import { linesShown } from "../diagnosis/render.ts";
import { cutShown, joinShown, ours, type Shown, type ShownText } from "../text/shown-text.ts";
import { machineLine } from "./machine-words.ts";
import type { ShownReport } from "./report.ts";

/** Azure's Run Command hands back the last 4 KB of what a command prints, its own words among them. */
export const briefBytes = 3500;

const longestLine = 220;
const longestMeaning = 500;
const mostQuotes = 4;
const mostOthers = 4;
const mostProbes = 4;

/** The report within 3,500 bytes: the verdict first and last, so that whichever end is lost it is there. */
export function renderBrief(report: ShownReport): ShownText {
  const { diagnosis } = report;
  const cause =
    diagnosis.kind === "classified"
      ? [
          ours`Meaning: ${cutShown.atWord(diagnosis.primary.explanation, longestMeaning)}`,
          ours`Next: ${cutShown.atWord(diagnosis.primary.nextStep, longestMeaning)}`,
        ]
      : [];
  const failed = report.probes.filter(({ state }) => state === "failed").slice(0, mostProbes);
  const lines = [
    report.firstLine,
    ...machineLine(report).map(short),
    ...cause,
    ...linesShown(diagnosis).slice(0, mostQuotes).map(quote),
    ...failed.map(({ name, target, message }) => short(ours`Probe failed: ${name} ${target}: ${message}`)),
    ...diagnosis.others.slice(0, mostOthers).map(({ reason, summary }) => short(ours`Also: ${reason}: ${summary}`)),
    ...report.warnings.slice(0, 2).map((warning) => short(ours`Warning: ${warning}`)),
  ];
  return withVerdictLast(lines, report.firstLine);
}

/** As many of the lines as fit, the verdict below them once more. */
export function withVerdictLast(lines: readonly ShownText[], verdict: ShownText): ShownText {
  const end = ours`${cutShown.atWord(verdict, 400)}\n`;
  const room = briefBytes - Buffer.byteLength(end);
  const kept: ShownText[] = [];
  let used = 0;
  for (const line of lines) {
    used += Buffer.byteLength(line) + 1;
    if (used > room) break;
    kept.push(line);
  }
  return joinShown([...kept, end], "\n");
}

function quote({ origin, line, text }: Shown<EvidenceLine>): ShownText {
  return ours`  ${origin}:${line}: ${cutShown.middle(cutShown.oneLine(text), longestLine)}`;
}

function short(line: ShownText): ShownText {
  return cutShown.atWord(cutShown.oneLine(line), longestLine + 80);
}
