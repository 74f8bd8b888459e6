import type { World } from "../world.ts";

export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Delays that double from the first to the longest, each between half and the whole, until something went well. */
export interface Backoff {
  /** Milliseconds to wait now; a Retry-After is a lower bound, itself bounded. */
  next(retryAfterMs?: number): number;
  reset(): void;
}

const longestRetryAfterMs = 60_000;

export function createBackoff({ firstMs, longestMs }: BackoffLimits, world: Pick<World, "random">): Backoff {
  let tries = 0;
  return {
    next: (retryAfterMs) => {
      const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(tries, 20));
      tries += 1;
      const delay = ceiling * (0.5 + world.random() / 2);
      return Math.round(Math.max(delay, Math.min(retryAfterMs ?? 0, longestRetryAfterMs)));
    },
    reset: () => {
      tries = 0;
    },
  };
}
