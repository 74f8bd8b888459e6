import type { ArmClient } from "../arm/arm-client.ts";
import { createArmBudget } from "../arm/budget.ts";
import type { HealingPolicy } from "../healing/decide.ts";
import { createBackoff } from "../kube/backoff.ts";
import type { Connection } from "../kube/connection.ts";
import { describeError, KubeError } from "../kube/kube-error.ts";
import type { Reflector } from "../kube/reflector.ts";
import { isStale, type Writer } from "../kube/write.ts";
import { keyOfNamed } from "../objects/objects.ts";
import type { ClusterLog, World } from "../world.ts";
import { createAnnouncer } from "./announcer.ts";
import { createBook, type Book } from "./book.ts";
import { createHandlers } from "./hear-changes.ts";
import { createMachineWriter } from "./machine-writer.ts";
import { measure } from "./measure.ts";
import type { Metrics } from "./metrics.ts";
import { discover, openCaches, type ClusterApi, type OpenCaches } from "./open-caches.ts";
import { Poller } from "./poller.ts";
import { readOwner } from "./read-owner.ts";
import { reconcile, type Reconciling } from "./reconcile.ts";
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
  /** How often it is looked whether the API server has other kinds or versions now. */
  readonly kindsEveryMs?: number;
}

const workers = 8;
const staleMs = 600_000;
const sweepMs = 60_000;
/** Budgets refill and control planes get free without any object changing. */
const heldMs = 15_000;
const kindsMs = 60_000;

/** Lists and watches, the queue of Machines to be worked on, the questions to Azure, the sweep: joined, and run together. */
export class Controller {
  readonly book: Book = createBook();
  readonly #options: ControllerOptions;
  #caches: OpenCaches | undefined;
  #queue: WorkQueue | undefined;

  constructor(options: ControllerOptions) {
    this.#options = options;
  }

  /** True when all is listed and the API server has answered lately. */
  ready(): boolean {
    return this.#queue !== undefined && this.#reflectors().every((one) => one.synced() && one.ageMs() < staleMs);
  }

  /** Brings the gauges to this moment. */
  measure(): void {
    const { metrics, world } = this.#options;
    measure({ book: this.book, caches: this.#caches, metrics, queueLength: this.#queue?.size() ?? 0, world });
  }

  /** Until the signal is aborted; what was begun is ended. Kinds that come later, or in another version, are opened without a restart. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const api = await this.#discovered(signal);
      if (api === undefined) return;
      const changed = new AbortController();
      const both = AbortSignal.any([signal, changed.signal]);
      // Not awaited: an answer that does not come must not hold up an orderly end.
      this.#watchKinds(api, both).then(
        () => {
          changed.abort();
        },
        (error: unknown) => {
          this.#options.log.warn(`The kinds of Cluster API are not watched any more: ${describeError(error)}`);
        },
      );
      await this.#runWith(api, both);
    }
  }

  /** Until the API server serves other kinds, or has the better version of one; the book stays. */
  async #watchKinds(api: ClusterApi, signal: AbortSignal): Promise<void> {
    const { connection, world, log, kindsEveryMs = kindsMs } = this.#options;
    const before = JSON.stringify(api);
    for (;;) {
      await world.sleep(kindsEveryMs, signal);
      if (isOver(signal)) return;
      const now = await discover(connection).catch(() => api);
      if (JSON.stringify(now) === before) continue;
      log.info("The kinds of Cluster API or their versions have changed; everything is listed anew");
      return;
    }
  }

  async #runWith(api: ClusterApi, signal: AbortSignal): Promise<void> {
    const { world, log } = this.#options;
    const handlers = createHandlers({
      book: this.book,
      world,
      log,
      caches: () => this.#caches,
      enqueue: (key) => this.#queue?.add(key),
    });
    const caches = openCaches({ ...this.#options, api }, handlers);
    this.#caches = caches;
    const watching = Promise.all(this.#reflectors().map((cache) => cache.run(signal)));
    // Nothing is decided before everything is known: what is remembered stands in the verdict objects.
    while (!signal.aborted && !this.#reflectors().every((one) => one.synced())) await world.sleep(20, signal);
    await Promise.all([watching, ...this.#jobs({ api, caches, signal })]);
  }

  #reflectors(): readonly Reflector<unknown>[] {
    if (this.#caches === undefined) return [];
    const { clusters, machines, azureMachines, poolMachines, pools, verdicts } = this.#caches;
    return [clusters, machines, azureMachines, poolMachines, pools, verdicts];
  }

  /** An API server that is not there yet, or has no Cluster API yet, is asked until it has; undefined when told to end. */
  async #discovered(signal: AbortSignal): Promise<ClusterApi | undefined> {
    const { connection, world, log } = this.#options;
    const backoff = createBackoff({ firstMs: 500, longestMs: 30_000 }, world);
    while (!signal.aborted) {
      try {
        return await discover(connection);
      } catch (error) {
        log.warn(`The kinds of Cluster API could not be read: ${describeError(error)}; it is tried again`);
        await world.sleep(backoff.next(error instanceof KubeError ? error.retryAfterMs : undefined), signal);
      }
    }
    return undefined;
  }

  #jobs({ api, caches, signal }: Running): readonly Promise<void>[] {
    const { writer, world, log, metrics, policy, connection } = this.#options;
    const { book } = this;
    const announcer = createAnnouncer({ writer, readOwner: readOwner(connection, api), world, metrics });
    const verdicts = createVerdictWriter(writer, metrics);
    const machines = createMachineWriter(writer, api.machines);
    const parts: Reconciling = { caches, book, policy, world, log, metrics, verdicts, machines, announcer };
    const queue = createWorkQueue({
      work: (key) => reconcile(key, parts),
      onError: (key, error) => {
        if (isStale(error)) return;
        log.warn(`Machine ${key} could not be brought up to date: ${describeError(error)}; it is tried again`);
      },
      workers,
      world,
    });
    this.#queue = queue;
    for (const machine of caches.machines.values()) queue.add(keyOfNamed(machine));
    return [
      queue.run(signal),
      this.#sweeping(parts, signal),
      this.#retrying(queue, signal),
      ...this.#asking(parts, queue, signal),
    ];
  }

  #asking({ caches, announcer }: Reconciling, queue: WorkQueue, signal: AbortSignal): readonly Promise<void>[] {
    const { arm: client, armPerSecond, world, log, metrics, tickMs } = this.#options;
    if (client === undefined) return [];
    const poller = new Poller({
      client,
      budget: createArmBudget({ perSecond: armPerSecond, burst: armPerSecond * 10 }, world),
      caches,
      book: this.book,
      world,
      log,
      metrics,
      onNews: (key) => {
        queue.add(key);
      },
      onRefused: (cluster, status) => {
        announcer.tellRefused(cluster, status).catch((error: unknown) => {
          log.warn(`An Event could not be written: ${describeError(error)}`);
        });
      },
      ...(tickMs === undefined ? {} : { tickMs }),
    });
    return [poller.run(signal)];
  }

  async #sweeping({ caches, verdicts }: Reconciling, signal: AbortSignal): Promise<void> {
    const { writer, keep: limits, world, log } = this.#options;
    while (!signal.aborted) {
      try {
        await sweep({ caches, verdicts, book: this.book, writer, limits, world });
      } catch (error) {
        log.warn(`Old verdicts could not be swept: ${describeError(error)}; it is tried again in a minute`);
      }
      await world.sleep(sweepMs, signal);
    }
  }

  async #retrying(queue: WorkQueue, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#options.world.sleep(heldMs, signal);
      for (const machine of this.#caches?.machines.values() ?? []) {
        if (this.book.get(machine.uid)?.decision?.kind === "hold") queue.add(keyOfNamed(machine));
      }
    }
  }
}

/** Asked anew after an await: the compiler would hold the answer from before it for the present one. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

interface Running {
  readonly api: ClusterApi;
  readonly caches: OpenCaches;
  readonly signal: AbortSignal;
}
