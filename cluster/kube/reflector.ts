import { textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject } from "../../handler/text/parse-json.ts";
import type { ClusterLog, World } from "../world.ts";
import { createBackoff, type Backoff, type BackoffLimits } from "./backoff.ts";
import type { Connection } from "./connection.ts";
import { describeError, KubeError } from "./kube-error.ts";
import { listAll } from "./list.ts";
import type { Resource } from "./resource.ts";
import { watchOnce, type WatchEnd, type WatchEvent } from "./watch.ts";

/** The objects of a kind as this program needs them, kept like the API server's. */
export interface Reflector<Item> {
  readonly resource: Resource;
  get(key: string): Item | undefined;
  values(): IterableIterator<Item>;
  /** True once everything was listed. */
  synced(): boolean;
  /** Milliseconds since the API server last answered a list or a watch of this kind. */
  ageMs(): number;
  /** Until the signal is aborted; never throws. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ReflectorOptions<Item> {
  readonly connection: Connection;
  readonly resource: Resource;
  readonly world: World;
  readonly log: ClusterLog;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** Said beside a 404 of the list: what is not installed. */
  readonly absentHint?: string;
  /** What is kept of an object; undefined for one that cannot be read, which then counts as absent. */
  readonly read: (object: unknown) => Item | undefined;
  /** Told of every change after it is in the store. Only enqueues; an error in it is logged. */
  readonly onChange: (key: string, after: Item | undefined, before: Item | undefined) => void;
  readonly limits?: Partial<ReflectorLimits>;
}

interface ReflectorLimits extends BackoffLimits {
  readonly watchSeconds: number;
  readonly guardMs: number;
}

const defaults: ReflectorLimits = { firstMs: 1000, longestMs: 30_000, watchSeconds: 240, guardMs: 30_000 };
/** A watch that lasted this long was a good one. */
const goodWatchMs = 60_000;
/** So many failed watches in a row: something is wrong with the version too, so list again. */
const failuresUntilList = 5;

export function createReflector<Item>(options: ReflectorOptions<Item>): Reflector<Item> {
  return new ListingWatcher(options);
}

class ListingWatcher<Item> implements Reflector<Item> {
  readonly resource: Resource;
  readonly #options: ReflectorOptions<Item>;
  readonly #limits: ReflectorLimits;
  readonly #store = new Map<string, Item>();
  #lastGood: number;
  #listed = false;
  /** The version to watch from; moves with every event. */
  #version = "";

  constructor(options: ReflectorOptions<Item>) {
    this.resource = options.resource;
    this.#options = options;
    this.#limits = { ...defaults, ...options.limits };
    this.#lastGood = options.world.monotonicMs();
  }

  get(key: string): Item | undefined {
    return this.#store.get(key);
  }

  values(): IterableIterator<Item> {
    return this.#store.values();
  }

  synced(): boolean {
    return this.#listed;
  }

  ageMs(): number {
    return this.#options.world.monotonicMs() - this.#lastGood;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { world, log } = this.#options;
    const backoff = createBackoff(this.#limits, world);
    while (!signal.aborted) {
      try {
        await this.#list(signal);
        await this.#follow(backoff, signal);
      } catch (error) {
        if (isOver(signal)) return;
        const { absentHint } = this.#options;
        const hint =
          absentHint !== undefined && error instanceof KubeError && error.status === 404 ? ` ${absentHint}` : "";
        log.warn(`${this.resource.plural} could not be listed: ${describeError(error)}; it is tried again.${hint}`);
        await world.sleep(backoff.next(error instanceof KubeError ? error.retryAfterMs : undefined), signal);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { connection, namespace, labelSelector } = this.#options;
    const seen = new Set<string>();
    this.#version = await listAll(connection, this.resource, {
      namespace,
      labelSelector,
      signal,
      onItem: (item) => {
        const key = this.#take(item);
        if (key !== undefined) seen.add(key);
      },
      onRestart: () => {
        seen.clear();
      },
    });
    for (const key of [...this.#store.keys()]) if (!seen.has(key)) this.#put(key, undefined);
    this.#good();
    this.#listed = true;
  }

  /** Watches again and again until the version is of no use any more. */
  async #follow(backoff: Backoff, signal: AbortSignal): Promise<void> {
    const { world, log } = this.#options;
    let failures = 0;
    while (!signal.aborted && failures < failuresUntilList) {
      const started = world.monotonicMs();
      const { end, useful } = await this.#watch(signal);
      if (isOver(signal) || end.kind === "expired") return;
      if (useful || world.monotonicMs() - started > goodWatchMs) backoff.reset();
      if (end.kind === "failed") {
        failures = useful ? 0 : failures + 1;
        log.warn(`The watch of ${this.resource.plural} ended: ${end.why}; it is opened again`);
      } else failures = 0;
      await world.sleep(backoff.next(end.kind === "failed" ? end.retryAfterMs : undefined), signal);
    }
  }

  /** `useful`: it has brought something. */
  async #watch(signal: AbortSignal): Promise<{ readonly end: WatchEnd; readonly useful: boolean }> {
    const { connection, namespace, labelSelector, world } = this.#options;
    let events = 0;
    const end = await watchOnce(connection, this.resource, {
      namespace,
      labelSelector,
      resourceVersion: this.#version,
      timeoutSeconds: Math.round(this.#limits.watchSeconds * (1 + world.random() / 4)),
      guardMs: this.#limits.guardMs,
      signal,
      onOpen: () => {
        this.#good();
      },
      onEvent: (event) => {
        events += 1;
        this.#onEvent(event);
      },
    });
    return { end, useful: events > 0 };
  }

  #onEvent(event: WatchEvent): void {
    this.#good();
    if (event.kind === "changed") this.#take(event.object);
    if (event.kind === "deleted") this.#put(keyOf(event.object) ?? "", undefined);
    if (event.resourceVersion !== "") this.#version = event.resourceVersion;
  }

  #good(): void {
    this.#lastGood = this.#options.world.monotonicMs();
  }

  #take(object: unknown): string | undefined {
    const key = keyOf(object);
    if (key !== undefined) this.#put(key, this.#read(object));
    return key;
  }

  #read(object: unknown): Item | undefined {
    try {
      return this.#options.read(object);
    } catch (error) {
      this.#options.log.warn(`An object of ${this.resource.plural} could not be read: ${describeError(error)}`);
      return undefined;
    }
  }

  #put(key: string, after: Item | undefined): void {
    const before = this.#store.get(key);
    if (after === undefined) this.#store.delete(key);
    else this.#store.set(key, after);
    if (after === undefined && before === undefined) return;
    try {
      this.#options.onChange(key, after, before);
    } catch (error) {
      this.#options.log.warn(
        `A change of ${this.resource.plural} ${key} could not be taken up: ${describeError(error)}`,
      );
    }
  }
}

/** Asked anew after an await: the compiler would hold the answer from before it for the present one. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** "namespace/name", as everywhere in Kubernetes. */
export function keyOf(object: unknown): string | undefined {
  if (!isJsonObject(object) || !isJsonObject(object["metadata"])) return undefined;
  const name = textOf(object["metadata"]["name"]);
  return name === undefined ? undefined : `${textOf(object["metadata"]["namespace"]) ?? ""}/${name}`;
}
