import { keyOfNamed } from "../objects/objects.ts";
import type { ClusterLog, World } from "../world.ts";
import type { Book } from "./book.ts";
import type { CacheHandlers, OpenCaches } from "./open-caches.ts";

export interface HearingParts {
  readonly book: Book;
  readonly world: World;
  readonly log: ClusterLog;
  /** Undefined while the first lists are read. */
  readonly caches: () => OpenCaches | undefined;
  readonly enqueue: (key: string) => void;
}

/** What a change of each kind leads to: a Machine to be worked on, and words of CAPZ heard before it takes them back. */
export function createHandlers({ book, world, log, caches, enqueue }: HearingParts): CacheHandlers {
  const machineOfInfra = new Map<string, string>();
  return {
    onCluster: (key, after) => {
      if (after?.unknownHeal !== undefined) {
        log.warn(
          `Cluster ${key}: the label bootstrap.capz.io/heal is "${after.unknownHeal}"; it may be condition or annotate. Nothing is healed.`,
        );
      }
      if (after?.unknownWatch !== undefined) {
        log.warn(
          `Cluster ${key}: the label bootstrap.capz.io/watch is "${after.unknownWatch}"; it watches with exactly "true". Nothing is watched.`,
        );
      }
      for (const machine of caches()?.machines.values() ?? []) {
        if (`${machine.namespace}/${machine.cluster}` === key) enqueue(keyOfNamed(machine));
      }
    },
    onMachine: (key, after, before) => {
      const known = after ?? before;
      const infra = known === undefined ? "" : `${known.infra.kind} ${known.namespace}/${known.infra.name}`;
      if (after === undefined) machineOfInfra.delete(infra);
      else machineOfInfra.set(infra, key);
      enqueue(key);
    },
    onInfra: (kind, key, after, before) => {
      const machineKey = machineOfInfra.get(`${kind} ${key}`);
      if (machineKey === undefined) return;
      const machine = caches()?.machines.get(machineKey);
      if (machine !== undefined && after?.words !== undefined) {
        book.hear(machine.uid, after.words, { now: world.now(), monotonicMs: world.monotonicMs() });
      }
      if (machine !== undefined && before !== undefined && after !== undefined && after.turn !== before.turn)
        book.turned(machine.uid, world.monotonicMs());
      enqueue(machineKey);
    },
    onVerdict: (after, before) => {
      if (after !== undefined) book.remember(after);
      else if (before !== undefined) {
        book.forgetObject(before.record.machine.uid);
        enqueue(`${before.place.namespace}/${before.record.machine.name}`);
      }
    },
  };
}
