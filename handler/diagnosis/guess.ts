import { show, type ShownText } from "../text/shown-text.ts";
import { describeReason } from "../reasons/reasons.ts";
import type { Applied } from "./applied.ts";
import { reasonOfCause, type Cause } from "./causes.ts";
import { moreTelling, type ErrorLine } from "./error-lines.ts";
import { kinOf } from "./kinship.ts";
import type { LineEvent } from "./line-event.ts";
import { lastWords } from "./reading/passing.ts";
import { programs } from "./reading/programs.ts";
import { readLines } from "./reading/read-lines.ts";
import { readStatement } from "./reading/statement.ts";
import { lineTime } from "./timestamp.ts";

/** Lines compared: as many as are quoted. */
const mostLines = 6;
/** So much nearer than the next cause must the nearest be: set on labelled logs (docs/truth.md). */
const leastLead = 1;
/** Words that the table knows; fewer are no more than a likeness by chance. */
const leastWords = 6;
/** Lines of a log that somebody still cut out for what it complains of. */
const longestExcerpt = 20;
/** Share of a short log's lines that complain, above which the log was kept for them. */
const mostlyComplaint = 0.25;

/**
 * The third layer: where rules and reading name nothing, what a log ends in may still speak in words of one cause. Never sure, and
 * asked only of short logs that end in their complaint: in a long one nobody knows which of its unknown complaints mattered.
 */
export function guessCause(lines: readonly ErrorLine[]): readonly Applied[] {
  const unread = readLines(lines)
    .filter(({ error, reading }) => (reading === undefined || reading.general) && isTold(error))
    .map(({ error }) => error)
    .toSorted(moreTelling);
  const [decisive] = unread;
  if (decisive === undefined || !endsInComplaint(unread)) return [];
  const kin = kinOf(unread.slice(0, mostLines));
  if (kin === undefined || kin.cause === "none") return [];
  return kin.lead < leastLead || kin.words < leastWords ? [] : [toApplied(kin.cause, decisive)];
}

/** What says only that a unit ended, whatever ended it. */
const unitEnd = /Failed with resu|(?:[Mm]ain|[Cc]ontrol) process exited/u;

function isTold(error: ErrorLine): boolean {
  return !unitEnd.test(error.text) && readStatement(error.whole, error.source).severity !== "info";
}

function endsInComplaint(said: readonly ErrorLine[]): boolean {
  const logLines = Math.max(...said.map((line) => line.logLines));
  const last = Math.max(...said.map(({ lastLine }) => lastLine));
  const complaints = said.reduce((sum, { count }) => sum + count, 0);
  return logLines <= longestExcerpt && (last >= logLines - lastWords || complaints >= logLines * mostlyComplaint);
}

function toApplied(cause: Cause, line: ErrorLine): Applied {
  const reason = reasonOfCause[cause];
  const known = describeReason(reason);
  if (known === undefined) throw new Error(`the table of reasons lacks ${reason}`);
  const { program, message } = readStatement(line.whole, line.source);
  return {
    rule: {
      kind: "failure",
      id: `kinship-${cause}`,
      cause,
      reason,
      platforms: ["linux", "windows"],
      stage: program === undefined ? "any" : programs[program],
      sources: "any",
      any: [],
      specificity: 1,
      confidence: "low",
      retryable: known.retryable,
      blame: known.blame,
      title: known.meaning,
      summary: `Probably: ${known.meaning}; {program|the log} says: {said}`,
      explanation: `Probably, not certainly: no rule knows these lines, and their words are most like those of this cause. ${known.meaning}`,
      nextStep: known.nextStep,
      references: known.references,
    },
    events: [toEvent(line, { said: show(message), ...(program !== undefined && { program: show(program) }) })],
    recoveries: [],
    layer: 1,
  };
}

function toEvent(line: ErrorLine, groups: Readonly<Record<string, ShownText>>): LineEvent {
  const { source, origin, originIndex, fileLine, text, whole } = line;
  const time = lineTime(whole);
  const event = { source, origin, originIndex, line: line.line, fileLine, text, groups };
  return time === undefined ? event : { ...event, time };
}
