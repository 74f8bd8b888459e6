import type { MachineFacts } from "../diagnosis/machine-facts.ts";
import { joinShown, ours, type Shown, type ShownText } from "../text/shown-text.ts";
import type { ShownReport } from "./report.ts";

const rows: readonly (readonly [name: keyof MachineFacts, words: ShownText])[] = [
  ["hostName", ours`host`],
  ["os", ours`system`],
  ["image", ours`image`],
  ["vmSize", ours`size`],
  ["kubernetes", ours`Kubernetes`],
  ["runtime", ours`runtime`],
  ["provider", ours`provider`],
];

/** What is known of the machine, name and value. */
export function machineRows({ machine = {}, vmId }: ShownReport): readonly (readonly [ShownText, ShownText])[] {
  const facts: Shown<MachineFacts> = machine;
  const known = rows.flatMap(([name, words]) => {
    const value = facts[name];
    return value === undefined ? [] : [[words, value] as const];
  });
  return vmId === undefined ? known : [...known, [ours`VM id`, vmId]];
}

/** "Machine: host md-0-abc · system Ubuntu 24.04 LTS · Kubernetes v1.33.1"; nothing where nothing is known. */
export function machineLine(report: ShownReport): readonly ShownText[] {
  const parts = machineRows(report).map(([name, value]) => ours`${name} ${value}`);
  return parts.length === 0 ? [] : [ours`Machine: ${joinShown(parts, " · ")}`];
}
