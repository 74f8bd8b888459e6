import { linesOfReadyNodes, nodeDaemon } from "./ready-nodes.ts";
import { wellLinesOf, type WellLine } from "./went-well.ts";

/** What went well in a short log, and what settles one however long it is. */
export function settlingLinesOf(text: string): readonly WellLine[] {
  const lines = text.split("\n");
  const settled = new Set([...linesOfReadyNodes(lines), ...linesOfUnitsDone(lines), ...linesOfWorkers(lines)]);
  return [
    ...wellLinesOf(text),
    ...[...settled].map((line) => ({ kind: "settled", line, text: lines[line - 1] ?? "" }) as const),
  ];
}

const unitDone = /(?<unit>[\w.@-]{2,80})\.service: (?:Succeeded\.|Deactivated successfully\.)/u;
const linesOfEnd = 2;

/** What a unit that ends when it is done said in attempts that failed, before one that went well. */
function linesOfUnitsDone(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line, at) => {
    const unit = unitDone.exec(line)?.groups?.["unit"];
    // A daemon comes to a good end where somebody stops it.
    if (unit === undefined || nodeDaemon.test(unit)) return [];
    const around = lines.slice(at, at + 1 + linesOfEnd).join("\n");
    const what = /systemd\[\d{1,8}\]: (?:Started|Finished) (?<what>[^\n]{2,120}?)\.?$/mu.exec(around)?.groups?.["what"];
    return what === undefined ? [] : failedAttempts(lines.slice(0, at), unit, what);
  });
}

/** From each start of the unit up to its bad end. */
function failedAttempts(lines: readonly string[], unit: string, what: string): readonly number[] {
  const ends = lines.flatMap((line, at) =>
    line.includes(` ${unit}.service: Main process exited`) || line.includes(` ${unit}.service: Failed with`)
      ? [at]
      : [],
  );
  // Who finds that there is nothing left to try has done nothing.
  if (lines.slice((ends.at(-1) ?? lines.length) + 1).some((line) => /\bgiv(?:es|ing) up\b|\bskipp/iu.test(line)))
    return [];
  return ends.flatMap((end) => {
    const start = lines.slice(0, end).findLastIndex((line) => line.includes(`: Starting ${what}`));
    return start === -1 ? [] : Array.from({ length: end - start + 1 }, (_, step) => start + step + 1);
  });
}

/** MicroK8s' inspect misses a unit that says itself why a worker does without it. */
function linesOfWorkers(lines: readonly string[]): readonly number[] {
  const name = lines
    .map((line) => /\bWill not run along with (?<name>[\w-]{2,40}) on this node, it is a worker/u.exec(line))
    .find((found) => found !== null)?.groups?.["name"];
  if (name === undefined) return [];
  return lines.flatMap((line, at) => (line.includes(`daemon-${name} is not running`) ? [at + 1] : []));
}
