import { decideHealing, type HealingMachine, type HealingOwner, type HealingPolicy } from "../healing/decide.ts";
import type { HealingDecision } from "../healing/decision.ts";
import type { KnownMachine } from "../objects/objects.ts";
import { isFailure } from "../verdict/next-verdict.ts";
import { noAnswer } from "../verdict/read-vm.ts";
import { ownerKey, type Caches, type Watched } from "./caches.ts";
import type { Book } from "./book.ts";

const healedKinds = ["KubeadmControlPlane", "MachineDeployment", "MachineSet"];

/** The decision on one Machine, made over all machines of its owner, those that are gone and remembered included. */
export function decisionOn(
  { machine, cluster }: Watched,
  {
    caches,
    book,
    policy,
    now,
  }: { readonly caches: Caches; readonly book: Book; readonly policy: HealingPolicy; readonly now: string },
): HealingDecision {
  const entry = book.get(machine.uid);
  // Without healing nothing is asked for; an annotation of ours from before goes with a success.
  if (cluster.heal === "none") return { kind: "none", recovered: entry?.state?.verdict.outcome === "bootstrapped" };
  // Nearly every machine of a fleet is here: the owner's others are looked at only where there is something to decide.
  const idle = entry?.mark === undefined && (entry?.state === undefined || !isFailure(entry.state.verdict));
  if (idle) return { kind: "none", recovered: false };
  const key = ownerKey(machine);
  const living = [...caches.machines.values()].filter((one) => ownerKey(one) === key);
  const owner: HealingOwner = {
    kind: machine.controlPlane ? "control-plane" : healedKinds.includes(machine.owner.kind) ? "workers" : "other",
    initialized: cluster.initialized,
    machines: [
      ...living.map((one) => livingMachine(one, book, now)),
      ...goneMachines(key, new Set(living.map(({ uid }) => uid)), book),
    ],
  };
  return decideHealing(owner, policy, now).get(machine.uid) ?? { kind: "none", recovered: false };
}

function livingMachine(machine: KnownMachine, book: Book, now: string): HealingMachine {
  const entry = book.get(machine.uid);
  return {
    uid: machine.uid,
    verdict: entry?.state?.verdict ?? noAnswer({ reason: "NoAnswer", line: "", time: now }),
    mark: entry?.mark,
    gone: false,
    deleting: machine.deleting,
    paused: machine.paused,
    hasNode: machine.hasNode,
  };
}

function goneMachines(key: string, living: ReadonlySet<string>, book: Book): readonly HealingMachine[] {
  return [...book.entries()].flatMap(({ uid, state, mark, stored }) => {
    if (state === undefined || stored === undefined || living.has(uid)) return [];
    const { owner, cluster } = stored.record;
    if ([stored.place.namespace, cluster, owner.kind, owner.name].join("/") !== key) return [];
    return [{ uid, verdict: state.verdict, mark, gone: true, deleting: false, paused: false, hasNode: false }];
  });
}
