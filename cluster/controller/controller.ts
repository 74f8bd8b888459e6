import type { ArmClient } from "../arm/arm-client.ts";
import { createArmBudget } from "../arm/budget.ts";
import type { HealingPolicy } from "../healing/decide.ts";
import { createBackoff } from "../kube/backoff.ts";
import type { Connection } from "../kube/connection.ts";
import { describeError, KubeError } from "../kube/kube-error.ts";
import { request } from "../kube/request.ts";
import { objectPath, type ObjectPlace } from "../kube/resource.ts";
import { isStale, type Writer } from "../kube/write.ts";
import { keyOfNamed } from "../objects/objects.ts";
import type { ClusterLog, World } from "../world.ts";
import { createAnnouncer } from "./announcer.ts";
import { createBook, type Book } from "./book.ts";
import { createMachineWriter } from "./machine-writer.ts";
import type { Metrics } from "./metrics.ts";
import { discover, openCaches, type ClusterApi, type OpenCaches } from "./open-caches.ts";
import { createPoller } from "./poller.ts";
import { isSettled, reconcile, type Reconciling } from "./reconcile.ts";
import { sweep, type KeepLimits } from "./sweep.ts";
import { createVerdictWriter } from "./verdict-writer.ts";
import { createWorkQueue, type WorkQueue } from "./work-queue.ts";

export interface ControllerOptions {
  readonly connection: Connection;
  readonly writer: Writer;
  /** Undefined without an identity in Azure: then only what CAPZ tells is known. */
  readonly arm: ArmClient | undefined;
  /** Requests a second to one subscription. */
  readonly armPerSecond: number;
  readonly policy: HealingPolicy;
  readonly keep: KeepLimits;
  readonly world: World;
  readonly log: ClusterLog;
  readonly metrics: Metrics;
  readonly namespace?: string | undefined;
  readonly tickMs?: number;
  readonly watchSeconds?: number;
}

export interface Controller {
  /** Until the signal is aborted; what was begun is ended. */
  run(signal: AbortSignal): Promise<void>;
  /** True when all is listed and the API server has answered lately. */
  ready(): boolean;
  /** Brings the gauges to this moment. */
  measure(): void;
  readonly book: Book;
}

const workers = 8;
const staleMs = 600_000;
const sweepMs = 60_000;
/** Budgets refill and control planes get free without any object changing. */
const heldMs = 15_000;

export function createController(options: ControllerOptions): Controller {
  const { world, log, metrics, writer } = options;
  const book = createBook();
  let caches: OpenCaches | undefined;
  let queue: WorkQueue | undefined;
  const all = (): readonly OpenCaches[keyof OpenCaches][] =>
    caches === undefined ? [] : (Object.values(caches) as OpenCaches[keyof OpenCaches][]);
  const synced = () => caches !== undefined && all().every((one) => one.synced());

  const open = (api: ClusterApi): OpenCaches => {
    const machineOfInfra = new Map<string, string>();
    return openCaches(
      { ...options, api },
      {
        onCluster: (key, after) => {
          if (after?.unknownHeal !== undefined) {
            log.warn(
              `Cluster ${key}: the label bootstrap.capz.io/heal is "${after.unknownHeal}"; it may be condition or annotate. Nothing is healed.`,
            );
          }
          for (const machine of caches?.machines.values() ?? []) {
            if (`${machine.namespace}/${machine.cluster}` === key) queue?.add(keyOfNamed(machine));
          }
        },
        onMachine: (key, after) => {
          if (after !== undefined)
            machineOfInfra.set(`${after.infra.kind} ${after.namespace}/${after.infra.name}`, key);
          queue?.add(key);
        },
        onInfra: (kind, key, after) => {
          const machineKey = machineOfInfra.get(`${kind} ${key}`);
          if (machineKey === undefined) return;
          const machine = caches?.machines.get(machineKey);
          // Heard at once: at its next reconcile CAPZ takes the words back.
          if (machine !== undefined && after?.words !== undefined) {
            book.hear(machine.uid, after.words, { now: world.now(), monotonicMs: world.monotonicMs() });
          }
          queue?.add(machineKey);
        },
        onVerdict: (after, before) => {
          if (after !== undefined) book.remember(after);
          else if (before !== undefined) {
            book.forgetObject(before.record.machine.uid);
            queue?.add(`${before.place.namespace}/${before.record.machine.name}`);
          }
        },
      },
    );
  };

  const readOwner = async (kind: string, place: ObjectPlace): Promise<unknown> => {
    const group = kind === "KubeadmControlPlane" ? "controlplane.cluster.x-k8s.io" : "cluster.x-k8s.io";
    const version = caches?.machines.resource.version ?? "v1beta1";
    try {
      const path = objectPath({ group, version, plural: `${kind.toLowerCase()}s`, kind }, place);
      return await request(options.connection, { method: "GET", path });
    } catch (error) {
      // An owner of a kind that this program may not read, or that is gone: the Event goes to the Cluster.
      if (error instanceof KubeError && (error.status === 404 || error.status === 403)) return undefined;
      throw error;
    }
  };

  return {
    book,
    ready: () => synced() && all().every((one) => one.ageMs() < staleMs),
    measure: () => {
      measure({ book, caches, metrics, queue, world });
    },
    run: async (signal) => {
      const api = await discovered(signal);
      if (api === undefined) return;
      const opened = open(api);
      caches = opened;
      const announcer = createAnnouncer({ writer, readOwner, world, metrics });
      const verdicts = createVerdictWriter(writer, metrics);
      const parts: Reconciling = {
        caches: opened,
        book,
        policy: options.policy,
        world,
        log,
        metrics,
        verdicts,
        machines: createMachineWriter(writer, api.machines),
        announcer,
      };
      const work = createWorkQueue({
        work: (key) => reconcile(key, parts),
        onError: (key, error) => {
          if (!isStale(error))
            log.warn(`Machine ${key} could not be brought up to date: ${describeError(error)}; it is tried again`);
        },
        workers,
        world,
      });
      const watching = Promise.all(Object.values(opened).map((cache) => cache.run(signal)));
      // Nothing is decided before everything is known: what is remembered stands in the verdict objects.
      while (!signal.aborted && !synced()) await world.sleep(20, signal);
      queue = work;
      for (const machine of opened.machines.values()) work.add(keyOfNamed(machine));
      const jobs: Promise<void>[] = [
        work.run(signal),
        sweeping(signal, { caches: opened, verdicts }),
        retrying(signal, work),
      ];
      if (options.arm !== undefined) {
        const { arm: client, armPerSecond } = options;
        const budget = createArmBudget({ perSecond: armPerSecond, burst: armPerSecond * 10 }, world);
        const poller = createPoller({
          client,
          budget,
          caches: opened,
          book,
          world,
          log,
          metrics,
          onNews: (key) => {
            work.add(key);
          },
          onRefused: (cluster, status) => {
            announcer.tellRefused(cluster, status).catch((error: unknown) => {
              log.warn(`An Event could not be written: ${describeError(error)}`);
            });
          },
          ...(options.tickMs === undefined ? {} : { tickMs: options.tickMs }),
        });
        jobs.push(poller.run(signal));
      }
      await Promise.all([watching, ...jobs]);
    },
  };

  /** An API server that is not there yet, or has no Cluster API yet, is asked until it has; undefined when told to end. */
  async function discovered(signal: AbortSignal): Promise<ClusterApi | undefined> {
    const backoff = createBackoff({ firstMs: 500, longestMs: 30_000 }, world);
    while (!signal.aborted) {
      try {
        return await discover(options.connection);
      } catch (error) {
        log.warn(`The kinds of Cluster API could not be read: ${describeError(error)}; it is tried again`);
        await world.sleep(backoff.next(error instanceof KubeError ? error.retryAfterMs : undefined), signal);
      }
    }
    return undefined;
  }

  async function sweeping(
    signal: AbortSignal,
    parts: Pick<Reconciling, "verdicts"> & { readonly caches: OpenCaches },
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        await sweep({ ...parts, book, writer, limits: options.keep, world });
      } catch (error) {
        log.warn(`Old verdicts could not be swept: ${describeError(error)}; it is tried again in a minute`);
      }
      await world.sleep(sweepMs, signal);
    }
  }

  async function retrying(signal: AbortSignal, work: WorkQueue): Promise<void> {
    while (!signal.aborted) {
      await world.sleep(heldMs, signal);
      for (const machine of caches?.machines.values() ?? []) {
        if (book.get(machine.uid)?.decision?.kind === "hold") work.add(keyOfNamed(machine));
      }
    }
  }
}

interface Measuring {
  readonly book: Book;
  readonly caches: OpenCaches | undefined;
  readonly metrics: Metrics;
  readonly queue: WorkQueue | undefined;
  readonly world: World;
}

function measure({ book, caches, metrics, queue, world }: Measuring): void {
  const now = Date.parse(world.now());
  let oldest = 0;
  metrics.verdicts.reset();
  metrics.held.reset();
  metrics.queue.set(queue?.size() ?? 0);
  for (const { uid } of caches?.machines.values() ?? []) {
    const entry = book.get(uid);
    if (entry?.state === undefined) continue;
    const { outcome, reason } = entry.state.verdict;
    metrics.verdicts.inc({ outcome, reason });
    if (entry.decision?.kind === "hold") metrics.held.inc({ why: entry.decision.reason });
    if (!isSettled(entry)) oldest = Math.max(oldest, (now - Date.parse(entry.state.firstSeen)) / 1000);
  }
  metrics.oldestUnsettled.set(oldest);
}
