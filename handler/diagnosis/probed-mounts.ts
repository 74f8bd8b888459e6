import type { LineRange } from "./unwrap.ts";

const begins = "[DEBUG]: Failed mount of '";
/** The next record of cloud-init's log; between stand the command, its code and all that `mount` said. */
const nextRecord = /^(?:\d{4}-\d\d-\d\d |[A-Z][a-z]{2} {1,2}\d)/u;
const mostOfRecord = 20;

/** cloud-init tries to mount each disk that may hold its seed, and notes at level DEBUG what is none: nothing is wrong with the disk. */
export function rangesOfProbedMounts(text: string): readonly LineRange[] {
  if (!text.includes("Failed mount of '")) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    if (!line.includes(begins)) return [];
    const rest = lines.slice(at + 1, at + 1 + mostOfRecord);
    const next = rest.findIndex((one) => nextRecord.test(one));
    return [{ from: at + 1, to: at + 1 + (next === -1 ? rest.length : next) }];
  });
}
