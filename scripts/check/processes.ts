import { askAll, askOne, type Asking } from "./ask-many.ts";
import { sameTimeMs } from "./observed.ts";
import type { ProcessSeen } from "./questions.ts";

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
    .map(inWords);
  return { any: processes.length > 0, busyWith };
}

/** cloud-init writes its status when it begins a stage; `cloud-init status --wait`, which only asks, does not. */
const statusIsWrittenWithinMs = 10_000;

/** What systemd says of a unit that has failed (then `statusAgeMs`) is of its last run, not of what somebody has begun by hand since. */
export function* runningNow(
  unit: UnitProcesses | undefined,
  statusAgeMs: number | undefined,
): Asking<readonly string[]> {
  const own = unit?.busyWith ?? [];
  return statusAgeMs === undefined ? own : [...own, ...(yield* begunByHand(statusAgeMs))];
}

/** Outside of cloud-init's own unit: kubeadm, or the cloud-init that wrote its status this long ago. */
function* begunByHand(statusAgeMs: number): Asking<readonly string[]> {
  const processes = (yield* askOne({ ask: "processes" })) ?? [];
  const wroteStatus = (ageMs: number): boolean =>
    ageMs >= statusAgeMs - sameTimeMs && ageMs <= statusAgeMs + statusIsWrittenWithinMs;
  return processes
    .filter(({ name, ageMs }) => name === "kubeadm" || (name === "cloud-init" && wroteStatus(ageMs)))
    .map(inWords);
}

function inWords({ name, ageMs }: ProcessSeen): string {
  return `${name} (${Math.max(0, Math.floor(ageMs / 1000))} s)`;
}
