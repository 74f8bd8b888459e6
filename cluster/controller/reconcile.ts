import type { HealingPolicy } from "../healing/decide.ts";
import type { HealingDecision } from "../healing/decision.ts";
import { isLive } from "../healing/healing-machine.ts";
import { isFieldConflict, isStale } from "../kube/write.ts";
import { describeError, KubeError } from "../kube/kube-error.ts";
import type { KnownMachine } from "../objects/objects.ts";
import { machineConditions, type Condition } from "../telling/conditions.ts";
import type { Account } from "../verdict/account.ts";
import { canonicalJson } from "../verdict/canonical-json.ts";
import { isFailure } from "../verdict/next-verdict.ts";
import { verdictObjectName } from "../verdict/verdict-object.ts";
import type { ClusterLog, World } from "../world.ts";
import type { Announcer } from "./announcer.ts";
import type { Book, Entry } from "./book.ts";
import { infraOf, leftMachine, watchedMachine, type Caches, type Watched } from "./caches.ts";
import { decisionOn } from "./healing-group.ts";
import { annotationValue, type MachineWriter } from "./machine-writer.ts";
import type { Metrics } from "./metrics.ts";
import type { VerdictWriter } from "./verdict-writer.ts";

export interface Reconciling {
  readonly caches: Caches;
  readonly book: Book;
  readonly policy: HealingPolicy;
  readonly world: World;
  readonly log: ClusterLog;
  readonly metrics: Metrics;
  readonly verdicts: VerdictWriter;
  readonly machines: MachineWriter;
  readonly announcer: Announcer;
}

/**
 * Brings one Machine to what is known of it: the verdict object first, because it is the memory, then the conditions, the annotation and the
 * Events. Each step is repeated without harm, so that it may end anywhere. Throws what is worth trying again.
 */
export async function reconcile(key: string, parts: Reconciling): Promise<void> {
  const watched = watchedMachine(parts.caches, key);
  if (watched === undefined) {
    await leave(key, parts);
    return;
  }
  const { machine } = watched;
  hearCapz(machine, parts);
  const entry = parts.book.get(machine.uid);
  const verdict = entry?.state?.verdict;
  if (entry === undefined || verdict === undefined) return;
  // A cache that still shows what the last write was made from would write the same again.
  if (entry.wroteFrom === machine.resourceVersion) return;
  const decision = decide(watched, entry, parts);
  const { mark } = entry;
  await parts.verdicts.write(watched, entry);
  // Events come before the condition that shows them to be told, and hold nothing up: a cluster may refuse them.
  const refused = await parts.announcer.tell(watched, { verdict, decision, mark }).then(
    () => [],
    (error: unknown) => [error],
  );
  await tellMachine(watched, { entry, verdict, decision }, parts);
  if (refused.length > 0) throw refused[0];
}

/** The label was taken from the Cluster: what is ours goes, so that no health check acts on what nobody keeps true. Objects stay. */
async function leave(key: string, { caches, machines, metrics }: Reconciling): Promise<void> {
  const machine = leftMachine(caches, key);
  if (machine === undefined) return;
  if (machine.conditions.length > 0) {
    const result = await machines.applyConditions(machine, []);
    metrics.writes.inc({ what: "conditions", result: result === "written" ? "removed" : result });
    // The version is spent by the write: the annotation goes with the Machine as the watch shows it then.
    if (result === "written") return;
  }
  if (machine.remediate !== annotationValue) return;
  await machines.annotate(machine, false);
  metrics.writes.inc({ what: "annotation", result: "removed" });
}

function hearCapz(machine: KnownMachine, { caches, book, world }: Reconciling): void {
  const words = infraOf(caches, machine)?.words;
  if (words !== undefined) book.hear(machine.uid, words, { now: world.now(), monotonicMs: world.monotonicMs() });
}

/** The decision is noted before anything is awaited: no other worker can decide on the same owner without knowing of it. */
function decide(
  watched: Watched,
  entry: Entry,
  { caches, book, policy, world, metrics }: Reconciling,
): HealingDecision {
  const decision = decisionOn(watched, { caches, book, policy, now: world.now() });
  entry.decision = decision;
  if (decision.kind === "mark" && decision.fresh && entry.state !== undefined) {
    entry.mark = { at: decision.since, reason: entry.state.verdict.reason };
    metrics.marks.inc({ reason: entry.mark.reason });
  }
  // Noted in the object before the Machine is written: a mark that is taken away stays so over a restart, and keeps its place in the budget.
  if (decision.kind === "none" && decision.recovered && isLive(entry.mark)) {
    entry.mark = { ...entry.mark, withdrawn: world.now() };
  }
  return decision;
}

interface Telling {
  readonly entry: Entry;
  readonly verdict: Account;
  readonly decision: HealingDecision;
}

async function tellMachine({ machine, cluster }: Watched, telling: Telling, parts: Reconciling): Promise<void> {
  const { entry, verdict, decision } = telling;
  const conditions = machineConditions({
    verdict,
    decision,
    object: verdictObjectName(machine),
    before: machine.conditions,
    now: parts.world.now(),
  });
  const wrote = isSame(conditions, machine.conditions)
    ? false
    : await writeConditions(machine, { conditions, entry }, parts);
  // The version is spent by the write: the annotation waits for the Machine as the watch shows it then.
  if (wrote) return;
  const wanted = cluster.heal === "annotate" && decision.kind === "mark";
  // Without the label nothing is asked for any more.
  const recovered = (decision.kind === "none" && decision.recovered) || cluster.heal !== "annotate";
  if (wanted && machine.remediate === undefined) await annotate(machine, { wanted: true, entry }, parts);
  else if (recovered && machine.remediate === annotationValue) await annotate(machine, { wanted: false, entry }, parts);
}

function isSame(a: readonly Condition[], b: readonly Condition[]): boolean {
  const sorted = (list: readonly Condition[]) => list.toSorted((one, other) => (one.type < other.type ? -1 : 1));
  return canonicalJson(sorted(a)) === canonicalJson(sorted(b));
}

/** True when the Machine was written. */
async function writeConditions(
  machine: KnownMachine,
  { conditions, entry }: { readonly conditions: readonly Condition[]; readonly entry: Entry },
  { machines, metrics, world, log }: Reconciling,
): Promise<boolean> {
  const what = "conditions";
  try {
    const result = await machines.applyConditions(machine, conditions);
    metrics.writes.inc({ what, result });
    if (result !== "written") return false;
    entry.wroteFrom = machine.resourceVersion;
    if (entry.heardAtMs !== undefined) metrics.telling.observe((world.monotonicMs() - entry.heardAtMs) / 1000);
    delete entry.heardAtMs;
    return true;
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return false;
    metrics.writes.inc({
      what,
      result: isFieldConflict(error) ? "owned-by-another" : isStale(error) ? "stale" : "failed",
    });
    if (!isFieldConflict(error)) throw error;
    // Never forced: who took the condition over has a reason, and two managers must not fight.
    log.warn(
      `The condition of Machine ${machine.namespace}/${machine.name} belongs to another field manager: ${describeError(error)}`,
    );
    return false;
  }
}

async function annotate(
  machine: KnownMachine,
  { wanted, entry }: { readonly wanted: boolean; readonly entry: Entry },
  { machines, metrics }: Reconciling,
): Promise<void> {
  if (await machines.annotate(machine, wanted)) entry.wroteFrom = machine.resourceVersion;
  metrics.writes.inc({ what: "annotation", result: wanted ? "set" : "removed" });
}

/** The living machine's outcome is settled: it costs no request and no write any more. */
export function isSettled({ state }: Entry): boolean {
  return state !== undefined && (state.verdict.outcome === "bootstrapped" || isFailure(state.verdict));
}
