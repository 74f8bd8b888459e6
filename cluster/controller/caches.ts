import type { Reflector } from "../kube/reflector.ts";
import { placeMachine, type PlacedMachine } from "../arm/target.ts";
import {
  keyOfNamed,
  type InfraObject,
  type KnownMachine,
  type PoolObject,
  type WatchedCluster,
} from "../objects/objects.ts";
import type { StoredVerdict } from "../verdict/verdict-object.ts";

/** The objects of the management cluster, as the watches keep them. */
export interface Caches {
  readonly clusters: Pick<Reflector<WatchedCluster>, "get" | "values">;
  readonly machines: Pick<Reflector<KnownMachine>, "get" | "values">;
  readonly azureMachines: Pick<Reflector<InfraObject>, "get">;
  readonly poolMachines: Pick<Reflector<InfraObject>, "get">;
  readonly pools: Pick<Reflector<PoolObject>, "get">;
  readonly verdicts: Pick<Reflector<StoredVerdict>, "get" | "values">;
}

/** A Machine of a cluster that is to be watched and is not paused. */
export interface Watched {
  readonly machine: KnownMachine;
  readonly cluster: WatchedCluster;
}

export function watchedMachine(caches: Caches, key: string): Watched | undefined {
  const found = unpausedMachine(caches, key);
  return found?.cluster.watched === true ? found : undefined;
}

/** A Machine of a cluster that is not to be watched, or not any more. */
export function leftMachine(caches: Caches, key: string): KnownMachine | undefined {
  const found = unpausedMachine(caches, key);
  return found?.cluster.watched === false ? found.machine : undefined;
}

function unpausedMachine(caches: Caches, key: string): Watched | undefined {
  const machine = caches.machines.get(key);
  if (machine === undefined) return undefined;
  const cluster = caches.clusters.get(keyOfNamed({ namespace: machine.namespace, name: machine.cluster }));
  return cluster === undefined || cluster.paused || machine.paused ? undefined : { machine, cluster };
}

export function infraOf(caches: Caches, machine: KnownMachine): InfraObject | undefined {
  const key = keyOfNamed({ namespace: machine.namespace, name: machine.infra.name });
  if (machine.infra.kind === "AzureMachine") return caches.azureMachines.get(key);
  return machine.infra.kind === "AzureMachinePoolMachine" ? caches.poolMachines.get(key) : undefined;
}

/** Where Azure has the machine; the Machine itself learns it only when its infrastructure is ready, which is after the bootstrap. */
export function placeOf(caches: Caches, machine: KnownMachine): PlacedMachine | undefined {
  const infra = infraOf(caches, machine);
  const pool = infra?.pool === undefined ? undefined : caches.pools.get(`${machine.namespace}/${infra.pool}`);
  return placeMachine(infra?.providerId ?? machine.providerId, pool?.scaleSetId);
}

/** Machines that heal together: guards and budgets count within it. */
export function ownerKey(machine: KnownMachine): string {
  return [machine.namespace, machine.cluster, machine.owner.kind, machine.owner.name].join("/");
}
