import { createBackoff, type Backoff, type BackoffLimits } from "../kube/backoff.ts";
import type { World } from "../world.ts";

export interface WorkQueue {
  /** A key that waits already is not queued twice; one that is being worked on comes again after it. */
  add(key: string): void;
  /** Works until the signal is aborted; resolves when what was begun has ended. */
  run(signal: AbortSignal): Promise<void>;
  size(): number;
}

export interface WorkOptions {
  readonly work: (key: string) => Promise<void>;
  readonly onError: (key: string, error: unknown) => void;
  readonly workers: number;
  readonly world: World;
  readonly limits?: BackoffLimits;
}

/** One worker a key, several keys at a time, each with a back-off of its own. Bounded by the number of keys. */
export function createWorkQueue({ work, onError, workers, world, limits }: WorkOptions): WorkQueue {
  const waiting = new Set<string>();
  const busy = new Set<string>();
  const again = new Set<string>();
  const delays = new Map<string, Backoff>();
  const timers = new Set<NodeJS.Timeout>();
  let ended = false;
  let wake: () => void = () => undefined;

  const add = (key: string) => {
    if (busy.has(key)) again.add(key);
    else waiting.add(key);
    wake();
  };
  const later = (key: string) => {
    const delay = delays.get(key) ?? createBackoff(limits ?? { firstMs: 500, longestMs: 60_000 }, world);
    delays.set(key, delay);
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!ended) add(key);
    }, delay.next());
    timers.add(timer);
  };
  const one = async (key: string): Promise<void> => {
    busy.add(key);
    try {
      await work(key);
      delays.delete(key);
    } catch (error) {
      onError(key, error);
      later(key);
    } finally {
      busy.delete(key);
      if (again.delete(key)) waiting.add(key);
      wake();
    }
  };
  return {
    add,
    size: () => waiting.size + busy.size,
    run: async (signal) => {
      const running = new Set<Promise<void>>();
      const stopped = new Promise<void>((resolve) => {
        signal.addEventListener(
          "abort",
          () => {
            resolve();
          },
          { once: true },
        );
        if (signal.aborted) resolve();
      });
      while (!signal.aborted) {
        for (const key of waiting) {
          if (running.size >= workers) break;
          waiting.delete(key);
          const job: Promise<void> = one(key).finally(() => running.delete(job));
          running.add(job);
        }
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (waiting.size === 0 || running.size >= workers) await Promise.race([woken, stopped]);
      }
      ended = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
