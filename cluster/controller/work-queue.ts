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
export function createWorkQueue(options: WorkOptions): WorkQueue {
  return new KeyedQueue(options);
}

class KeyedQueue implements WorkQueue {
  readonly #options: WorkOptions;
  readonly #waiting = new Set<string>();
  readonly #busy = new Set<string>();
  /** Added while they were being worked on. */
  readonly #again = new Set<string>();
  readonly #delays = new Map<string, Backoff>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(options: WorkOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#busy.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    this.#wake();
  }

  size(): number {
    return this.#waiting.size + this.#busy.size;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { workers } = this.#options;
    const running = new Set<Promise<void>>();
    const stopped = whenAborted(signal);
    while (!signal.aborted) {
      for (const key of this.#waiting) {
        if (running.size >= workers) break;
        this.#waiting.delete(key);
        const job: Promise<void> = this.#workOn(key).finally(() => running.delete(job));
        running.add(job);
      }
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#waiting.size === 0 || running.size >= workers) await Promise.race([woken, stopped]);
    }
    this.#ended = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(running);
  }

  async #workOn(key: string): Promise<void> {
    this.#busy.add(key);
    try {
      await this.#options.work(key);
      this.#delays.delete(key);
    } catch (error) {
      this.#options.onError(key, error);
      this.#later(key);
    } finally {
      this.#busy.delete(key);
      if (this.#again.delete(key)) this.#waiting.add(key);
      this.#wake();
    }
  }

  #later(key: string): void {
    const { limits, world } = this.#options;
    const delay = this.#delays.get(key) ?? createBackoff(limits ?? { firstMs: 500, longestMs: 60_000 }, world);
    this.#delays.set(key, delay);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#ended) this.add(key);
    }, delay.next());
    this.#timers.add(timer);
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener(
      "abort",
      () => {
        resolve();
      },
      { once: true },
    );
    if (signal.aborted) resolve();
  });
}
