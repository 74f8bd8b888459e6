import type { Connection } from "../kube/connection.ts";
import { servedPlurals, servedVersion } from "../kube/discover.ts";
import { createReflector, type Reflector } from "../kube/reflector.ts";
import type { Resource } from "../kube/resource.ts";
import { readCluster, readInfra, readMachine, readPool } from "../objects/read-objects.ts";
import type { InfraObject, KnownMachine, PoolObject, WatchedCluster } from "../objects/objects.ts";
import { readVerdictObject, verdictResource, type StoredVerdict } from "../verdict/verdict-object.ts";
import type { ClusterLog, World } from "../world.ts";

export interface ClusterApi {
  readonly clusters: Resource;
  readonly machines: Resource;
  /** Undefined for kinds that this management cluster does not have. */
  readonly azureMachines: Resource | undefined;
  readonly poolMachines: Resource | undefined;
  readonly pools: Resource | undefined;
}

const clusterGroup = "cluster.x-k8s.io";
const infraGroup = "infrastructure.cluster.x-k8s.io";

/** Which kinds there are, and in which version. */
export async function discover(connection: Connection): Promise<ClusterApi> {
  const version = await servedVersion(connection, clusterGroup, ["v1beta2", "v1beta1"]);
  const infraVersion = await servedVersion(connection, infraGroup, ["v1beta2", "v1beta1"]);
  const plurals = await servedPlurals(connection, { group: infraGroup, version: infraVersion });
  const infra = (plural: string, kind: string): Resource | undefined =>
    plurals.has(plural) ? { group: infraGroup, version: infraVersion, plural, kind } : undefined;
  return {
    clusters: { group: clusterGroup, version, plural: "clusters", kind: "Cluster" },
    machines: { group: clusterGroup, version, plural: "machines", kind: "Machine" },
    azureMachines: infra("azuremachines", "AzureMachine"),
    poolMachines: infra("azuremachinepoolmachines", "AzureMachinePoolMachine"),
    pools: infra("azuremachinepools", "AzureMachinePool"),
  };
}

export interface OpenCaches {
  readonly clusters: Reflector<WatchedCluster>;
  readonly machines: Reflector<KnownMachine>;
  readonly azureMachines: Reflector<InfraObject>;
  readonly poolMachines: Reflector<InfraObject>;
  readonly pools: Reflector<PoolObject>;
  readonly verdicts: Reflector<StoredVerdict>;
}

interface InfraChange {
  readonly after: InfraObject | undefined;
  readonly before: InfraObject | undefined;
}

export interface CacheHandlers {
  readonly onCluster: (key: string, after: WatchedCluster | undefined) => void;
  readonly onMachine: (key: string, after: KnownMachine | undefined, before: KnownMachine | undefined) => void;
  readonly onInfra: (kind: string, key: string, change: InfraChange) => void;
  readonly onVerdict: (after: StoredVerdict | undefined, before: StoredVerdict | undefined) => void;
}

export interface CacheParts {
  readonly connection: Connection;
  readonly api: ClusterApi;
  readonly world: World;
  readonly log: ClusterLog;
  readonly namespace?: string | undefined;
  readonly watchSeconds?: number;
}

export function openCaches(parts: CacheParts, handlers: CacheHandlers): OpenCaches {
  const { api, world } = parts;
  const { connection, log, namespace } = parts;
  const limits = parts.watchSeconds === undefined ? {} : { watchSeconds: parts.watchSeconds };
  const base = { connection, world, log, namespace, limits };
  const infra = (resource: Resource | undefined, kind: string): Reflector<InfraObject> =>
    resource === undefined
      ? absent(kind)
      : createReflector({
          ...base,
          resource,
          read: (object) => readInfra(object, world.now()),
          onChange: (key, after, before) => {
            handlers.onInfra(kind, key, { after, before });
          },
        });
  return {
    clusters: createReflector({ ...base, resource: api.clusters, read: readCluster, onChange: handlers.onCluster }),
    machines: createReflector({ ...base, resource: api.machines, read: readMachine, onChange: handlers.onMachine }),
    azureMachines: infra(api.azureMachines, "AzureMachine"),
    poolMachines: infra(api.poolMachines, "AzureMachinePoolMachine"),
    pools:
      api.pools === undefined
        ? absent("AzureMachinePool")
        : createReflector({ ...base, resource: api.pools, read: readPool, onChange: () => undefined }),
    verdicts: createReflector({
      ...base,
      resource: verdictResource,
      absentHint: "Install the definition first: kubectl apply -k manifests/management",
      read: readVerdictObject,
      onChange: (_, after, before) => {
        handlers.onVerdict(after, before);
      },
    }),
  };
}

/** A kind that is not there: always empty, always in step. */
function absent<Item>(kind: string): Reflector<Item> {
  return {
    resource: { group: infraGroup, version: "v1beta1", plural: kind, kind },
    get: () => undefined,
    values: () => new Map<string, Item>().values(),
    synced: () => true,
    ageMs: () => 0,
    run: () => Promise.resolve(),
  };
}
