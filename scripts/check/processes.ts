import { askAll, askOne, type Asking } from "./ask-many.ts";

/** These say nothing about what the node is busy with. */
const dull = /^(?:sh|bash|dash|tee|cat|cloud-init|python3.*|sleep)$/u;

/** Names of all processes of the machine, without ".exe". */
export function* names(): Asking<readonly string[]> {
  const processes = yield* askOne({ ask: "processes" });
  return (processes ?? []).map(({ name }) => name.replace(/\.exe$/iu, ""));
}

export interface UnitProcesses {
  readonly any: boolean;
  /** "kubeadm (74 s)", without shells and cloud-init itself; arguments are never asked for, since secrets stand in them. */
  readonly busyWith: readonly string[];
}

/** Processes of these units together; undefined when that cannot be told of any. */
export function* ofUnits(units: readonly string[]): Asking<UnitProcesses | undefined> {
  const answers = yield* askAll(units.map((unit) => ({ ask: "processes", unit })));
  if (answers.includes(undefined)) return undefined;
  const processes = answers.flatMap((answer) => answer ?? []);
  const busyWith = processes
    .filter(({ name }) => !dull.test(name))
    .slice(0, 10)
    .map(({ name, ageMs }) => `${name} (${Math.max(0, Math.floor(ageMs / 1000))} s)`);
  return { any: processes.length > 0, busyWith };
}
