import { errorWeight } from "./error-lines.ts";
import type { LineRange } from "./unwrap.ts";
import { wellLinesOf } from "./went-well.ts";

/** What failed in its first try and was then done by the same step, without a word of complaint. */
export function rangesDoneAgain(text: string): readonly LineRange[] {
  const lines = text.split("\n");
  return [...rangesOfCommands(lines), ...rangesOfIndexes(lines)];
}

/** A command and what it printed; `begin` and `end` from 0, `end` not of it. */
interface Run {
  readonly command: string;
  readonly begin: number;
  readonly end: number;
}

/** A shell's trace at its first depth, or what is typed at root's or a user's prompt. */
const commandLine = /^(?:\+ |\[?\w[\w.-]{0,40}@\w[^#$]{0,80}[#$] +)(?<command>\S.{2,400})$/u;
/** Shown twice, a log tells of two times. */
const onlyShows =
  /^(?:sudo )?(?:journalctl|systemctl|service|cat|tail|less|grep|ls|kubectl|crictl|nerdctl|docker|podman)\b/u;

function rangesOfCommands(lines: readonly string[]): readonly LineRange[] {
  const repeated = [...Map.groupBy(runsOf(lines), ({ command }) => command).values()].filter(
    ({ length }) => length > 1,
  );
  if (repeated.length === 0) return [];
  const lastError = lastErrorOf(lines);
  return repeated.flatMap((runs) => {
    const done = runs.findLast((run, at) => at > 0 && run.begin > lastError && isDone(run, lines));
    return runs.filter(({ begin }) => done !== undefined && begin < done.begin).map(toRange);
  });
}

/** From 0, or -1. What fails behind a later run may follow from what an earlier one did not bring. */
function lastErrorOf(lines: readonly string[]): number {
  return lines.findLastIndex((line) => errorWeight(line) !== undefined);
}

function toRange({ begin, end }: Run): LineRange {
  return { from: begin + 1, to: end };
}

function runsOf(lines: readonly string[]): readonly Run[] {
  const begins = lines.flatMap((line, at) => {
    const command = commandLine.exec(line)?.groups?.["command"]?.trim();
    return command === undefined ? [] : [{ command, begin: at }];
  });
  const runs = begins.map((one, at) => ({ ...one, end: begins[at + 1]?.begin ?? lines.length }));
  return runs.filter(({ command }) => !onlyShows.test(command));
}

/** Whether it had nothing to complain of, and another command came behind it or it says itself that it went well. */
function isDone({ begin, end }: Run, lines: readonly string[]): boolean {
  const printed = lines.slice(begin + 1, end);
  if (!printed.every((line) => errorWeight(line) === undefined)) return false;
  return end < lines.length || wellLinesOf(printed.join("\n")).some(({ kind }) => kind === "well");
}

const refusedIndex = /^Err:\d{1,3} (?<index>https?:\/\/\S.{3,300})$/u;
const fetchedIndex = /^(?:Get|Hit):\d{1,3} (?<index>https?:\/\/\S.{3,300}?)(?: \[[\d.,]{1,9} k?M?B\])?$/u;
const ofIndexes = /^ {2}\S|^[WE]: (?:Failed to fetch|Some index files failed)/u;

/** apt's indexes, where a later update fetched each one that an earlier had not. */
function rangesOfIndexes(lines: readonly string[]): readonly LineRange[] {
  const refused = placesOf(refusedIndex, lines);
  const fetched = placesOf(fetchedIndex, lines);
  const isFetched = ({ index, at }: Place): boolean => fetched.some((one) => one.index === index && one.at > at);
  if (refused.length === 0 || !refused.every(isFetched)) return [];
  const first = Math.min(...refused.map(({ at }) => at));
  const last = Math.max(...fetched.map(({ at }) => at));
  if (last <= lastErrorOf(lines)) return [];
  return lines.flatMap((line, at) => {
    const belongs = at >= first && at < last && (refusedIndex.test(line) || ofIndexes.test(line));
    return belongs ? [{ from: at + 1, to: at + 1 }] : [];
  });
}

interface Place {
  readonly index: string;
  readonly at: number;
}

function placesOf(pattern: RegExp, lines: readonly string[]): readonly Place[] {
  return lines.flatMap((line, at) => {
    const index = pattern.exec(line.trimEnd())?.groups?.["index"]?.replace(/\s+/gu, " ").trim();
    return index === undefined ? [] : [{ index, at }];
  });
}
