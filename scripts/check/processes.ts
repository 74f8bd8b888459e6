import { askAll, askOne, type Asking } from "./ask-many.ts";
import { sameTimeMs } from "./observed.ts";
import type { KubeadmCommand, ProcessSeen } from "./questions.ts";

/** These say nothing about what the node is busy with. */
const dull = /^(?:sh|bash|dash|tee|cat|cloud-init|python3.*|sleep)$/u;

/** Longer than any wait for a verdict may last (5,100 s), and than any of kubeadm's own limits: one that has run so long hangs. */
const hangsAfterMs = 7_200_000;
/** Whoever pulls the images of a node may be about to join it. */
const pullsForMs = 600_000;
const making: readonly (KubeadmCommand | undefined)[] = [undefined, "init", "join", "reset", "upgrade"];

/** Does a kubeadm run that may still make a node of this machine, or is on its way to? */
export function* kubeadmRuns(): Asking<boolean> {
  const processes = yield* askOne({ ask: "processes" });
  return (processes ?? []).some(mayMakeNode);
}

/**
 * Not one that only asks or writes something down, that works in a container, or that hangs since long before this wait. What is not told
 * speaks for it: a node that is called failed and then becomes one is worse than a late verdict.
 */
function mayMakeNode({ name, ageMs, command, elsewhere }: ProcessSeen): boolean {
  if (name.replace(/\.exe$/iu, "") !== "kubeadm" || elsewhere === true || ageMs >= hangsAfterMs) return false;
  return making.includes(command) || (command === "config images pull" && ageMs < pullsForMs);
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
    .filter((one) => mayMakeNode(one) || (one.name === "cloud-init" && wroteStatus(one.ageMs)))
    .map(inWords);
}

function inWords({ name, ageMs }: ProcessSeen): string {
  return `${name} (${Math.max(0, Math.floor(ageMs / 1000))} s)`;
}
