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
  /** What is kept of an object; undefined for one that cannot be read, which then counts as absent. */
  readonly read: (object: unknown) => Item | undefined;
  /** Told of every change after it is in the store. Only enqueues; an error in it is logged. */
  readonly onChange: (key: string, after: Item | undefined, before: Item | undefined) => void;
  readonly limits?: Partial<ReflectorLimits>;
}

export interface ReflectorLimits extends BackoffLimits {
  readonly watchSeconds: number;
  readonly guardMs: number;
}

const defaults: ReflectorLimits = { firstMs: 1000, longestMs: 30_000, watchSeconds: 240, guardMs: 30_000 };
/** A watch that lasted this long was a good one. */
const goodWatchMs = 60_000;
/** So many failed watches in a row: something is wrong with the version too, so list again. */
const failuresUntilList = 5;

export function createReflector<Item>(options: ReflectorOptions<Item>): Reflector<Item> {
  const { connection, resource, world, log } = options;
  const limits = { ...defaults, ...options.limits };
  const store = new Map<string, Item>();
  let lastGood = world.monotonicMs();
  let listed = false;

  const put = (key: string, after: Item | undefined) => {
    const before = store.get(key);
    if (after === undefined) store.delete(key);
    else store.set(key, after);
    if (after === undefined && before === undefined) return;
    try {
      options.onChange(key, after, before);
    } catch (error) {
      log.warn(`A change of ${resource.plural} ${key} could not be taken up: ${describeError(error)}`);
    }
  };
  const readSafely = (object: unknown): Item | undefined => {
    try {
      return options.read(object);
    } catch (error) {
      log.warn(`An object of ${resource.plural} could not be read: ${describeError(error)}`);
      return undefined;
    }
  };
  const take = (object: unknown): string | undefined => {
    const key = keyOf(object);
    if (key !== undefined) put(key, readSafely(object));
    return key;
  };
  const good = () => {
    lastGood = world.monotonicMs();
  };

  const list = async (signal: AbortSignal): Promise<string> => {
    const seen = new Set<string>();
    const version = await listAll(connection, resource, {
      namespace: options.namespace,
      labelSelector: options.labelSelector,
      signal,
      onItem: (item) => {
        const key = take(item);
        if (key !== undefined) seen.add(key);
      },
      onRestart: () => {
        seen.clear();
      },
    });
    for (const key of [...store.keys()]) if (!seen.has(key)) put(key, undefined);
    good();
    listed = true;
    return version;
  };

  /** Watches again and again until the version is of no use any more. */
  const follow = async (from: string, backoff: Backoff, signal: AbortSignal): Promise<void> => {
    let version = from;
    let failures = 0;
    while (!signal.aborted && failures < failuresUntilList) {
      const started = world.monotonicMs();
      let useful = false;
      const onEvent = (event: WatchEvent) => {
        good();
        useful = true;
        if (event.kind === "changed") take(event.object);
        if (event.kind === "deleted") put(keyOf(event.object) ?? "", undefined);
        if (event.resourceVersion !== "") version = event.resourceVersion;
      };
      const end = await watchOnce(connection, resource, {
        namespace: options.namespace,
        labelSelector: options.labelSelector,
        resourceVersion: version,
        timeoutSeconds: Math.round(limits.watchSeconds * (1 + world.random() / 4)),
        guardMs: limits.guardMs,
        signal,
        onOpen: good,
        onEvent,
      });
      if (signal.aborted || end.kind === "expired") return;
      if (useful || world.monotonicMs() - started > goodWatchMs) backoff.reset();
      failures = end.kind === "failed" && !useful ? failures + 1 : 0;
      tell(end);
      await world.sleep(backoff.next(end.kind === "failed" ? end.retryAfterMs : undefined), signal);
    }
  };
  const tell = (end: WatchEnd) => {
    if (end.kind === "failed") log.warn(`The watch of ${resource.plural} ended: ${end.why}; it is opened again`);
  };

  return {
    resource,
    get: (key) => store.get(key),
    values: () => store.values(),
    synced: () => listed,
    ageMs: () => world.monotonicMs() - lastGood,
    run: async (signal) => {
      const backoff = createBackoff(limits, world);
      while (!signal.aborted) {
        try {
          const version = await list(signal);
          await follow(version, backoff, signal);
        } catch (error) {
          if (signal.aborted) return;
          log.warn(`${resource.plural} could not be listed: ${describeError(error)}; it is tried again`);
          await world.sleep(backoff.next(error instanceof KubeError ? error.retryAfterMs : undefined), signal);
        }
      }
    },
  };
}

/** "namespace/name", as everywhere in Kubernetes. */
export function keyOf(object: unknown): string | undefined {
  if (!isJsonObject(object) || !isJsonObject(object["metadata"])) return undefined;
  const name = textOf(object["metadata"]["name"]);
  return name === undefined ? undefined : `${textOf(object["metadata"]["namespace"]) ?? ""}/${name}`;
}
