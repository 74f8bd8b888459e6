import type { ErrorLine } from "./error-lines.ts";
import type { OriginMatches } from "./line-event.ts";
import { nextLogAfter, type Speaker } from "./pasted-text.ts";
import { lineTime } from "./timestamp.ts";
import type { LineRange } from "./unwrap.ts";

/** Commands that list the newest event first, unless they are told otherwise. */
const listsEvents = /\bGet-(?:EventLog|WinEvent)\b(?!.{0,400}(?:-Oldest|\bSort(?:-Object)?\b|\[array\]::Reverse))/iu;

/** journalctl -r, -xer, -xeru kubelet; behind an option that takes a value there stands its value. */
const reverse = /^(?:--reverse|-[aefklmqx]{0,8}r[aefklmqxr]{0,8}(?:[uotpbngcDMSU]\S{0,60})?)$/u;

function listsJournal(command: string): boolean {
  const [own = ""] = command.split(/[|;&]/u);
  const words = own.split(/\s+/u);
  return words.includes("journalctl") && words.some((word) => reverse.test(word));
}

/** 11/14/2026 4:21:50 PM, as Windows shows a time in English. */
const englishTime =
  /^\W?(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4}) {1,2}(?<hour>\d{1,2})(?<rest>:\d\d:\d\d) (?<half>[AP])M\b/u;

/** Dated lines, each later than the one below it, that show an order by themselves. */
const leastDated = 5;

/** Parts of a pasted text whose lines stand in the opposite order of time. */
export function newestFirst(text: string, speakers: readonly Speaker[]): readonly LineRange[] {
  const lines = text.trimEnd().split("\n");
  const starts = [0, ...speakers.filter(({ isBoundary }) => isBoundary).map(({ line }) => line)];
  return starts
    .map((from) => ({
      from: from + 1,
      to: (nextLogAfter(speakers, from) ?? lines.length + 1) - 1,
      head: lines[from - 1] ?? "",
    }))
    .filter(({ from, to, head }) => to > from && isNewestFirst(head, lines.slice(from - 1, to)))
    .map(({ from, to }) => ({ from, to }));
}

function isNewestFirst(command: string, lines: readonly string[]): boolean {
  const times = lines.flatMap((line) => timeOf(line) ?? []);
  const steps = times
    .slice(1)
    .map((time, at) => time - (times[at] ?? time))
    .filter((step) => Math.abs(step) < ambiguous);
  if (steps.some((seconds) => seconds > 0)) return false;
  if (listsEvents.test(command) || listsJournal(command)) return true;
  const falls = steps.filter((seconds) => seconds < 0).length;
  return times.length >= leastDated && falls > 0 && falls * 2 >= steps.length;
}

/** Seconds: between dates without a year, half of one may be New Year or a clock that was not set. */
const ambiguous = 183 * 86_400;

function timeOf(line: string): number | undefined {
  const { month, day, year, hour, rest = "", half } = englishTime.exec(line)?.groups ?? {};
  if (year === undefined) return lineTime(line);
  const hours = (Number(hour) % 12) + (half === "P" ? 12 : 0);
  const [minutes = 0, seconds = 0] = rest.split(":").slice(1).map(Number);
  return Date.UTC(Number(year), Number(month) - 1, Number(day), hours, minutes, seconds) / 1000;
}

/** Where a line stands in the order of time. */
function inTime(ranges: readonly LineRange[], line: number): number {
  const range = ranges.find(({ from, to }) => line >= from && line <= to);
  return range === undefined ? line : range.from + range.to - line;
}

/** The text as its lines were written. */
export function textInTime(ranges: readonly LineRange[], text: string): string {
  if (ranges.length === 0) return text;
  const lines = text.split("\n");
  return lines.map((_, at) => lines[inTime(ranges, at + 1) - 1] ?? "").join("\n");
}

/** What the marks of a log tell of its starts holds for the order of its lines alone. */
export function errorInTime(ranges: readonly LineRange[], error: ErrorLine): ErrorLine {
  if (!ranges.some(({ from, to }) => error.line >= from && error.line <= to)) return error;
  const lines = [error.firstLine, error.lastLine, error.line].map((line) => inTime(ranges, line));
  const [last, first] = [Math.max(...lines), Math.min(...lines)];
  return { ...error, line: last, firstLine: first, lastLine: last, lastStart: 0, booted: 0 };
}

export function matchesInTime(ranges: readonly LineRange[], { count, first, last }: OriginMatches): OriginMatches {
  if (ranges.length === 0) return { count, first, last };
  const events = [...first, ...last].map((event) => ({ ...event, line: inTime(ranges, event.line) }));
  return { count, first: events.toSorted((a, b) => a.line - b.line), last: [] };
}
