import { errorWeight } from "./error-lines.ts";
import type { LineRange } from "./unwrap.ts";
import { wellLinesOf } from "./went-well.ts";

/** How a record begins that its line end no longer parts from the one before. */
const heads: readonly RegExp[] = [
  /\[talos\] (?:\d{4}[/-]\d\d[/-]\d\d |(?=[a-z]))/gu,
  /\btime="\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d)" level=/gu,
  /\b[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} /gu,
  /\b[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d (?=\S)/gu,
  /\{"level":"/gu,
];

/** What stands in front of the first record: a clock, a node's address. */
const longestFront = 60;

/** Lines of several records whose last one tells that it went well, where no record before it was a program's end. */
export function rangesOfRecordsThatWentWell(text: string): readonly LineRange[] {
  return text.split("\n").flatMap((line, at) => {
    const records = recordsOf(line);
    const [last] = wellLinesOf(records.at(-1) ?? "");
    if (last?.kind !== "well" || records.some((one) => errorWeight(one) === 3)) return [];
    return [{ from: at + 1, to: at + 1 }];
  });
}

function recordsOf(line: string): readonly string[] {
  if (line.length < leastOfRecords || !mayHold.test(line)) return [];
  for (const head of heads) {
    const starts = [...line.matchAll(head)].map(({ index }) => index);
    if (starts.length < 2 || (starts[0] ?? 0) > longestFront) continue;
    const records = starts.map((start, index) => line.slice(start, starts[index + 1]).trim());
    // One log put its prefix before another's.
    return records.some((record) => record.length < longestPrefix && record.endsWith("]:")) ? [] : records;
  }
  return [];
}

const leastOfRecords = 80;
const longestPrefix = 90;
const mayHold = /\[talos\]|time="|\]: |\.go:\d|\{"level/u;
