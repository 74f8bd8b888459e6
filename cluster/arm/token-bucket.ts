export interface BucketSize {
  readonly perSecond: number;
  readonly burst: number;
}

/** Tokens that refill with time; `nowMs` is of a clock that is never set. */
export interface TokenBucket {
  /** Takes one; gives 0, or the milliseconds until there is one. */
  take(nowMs: number): number;
  /** Gives none before this moment. */
  pauseUntil(ms: number): void;
}

export function createBucket({ perSecond, burst }: BucketSize): TokenBucket {
  let tokens = burst;
  let filledAt: number | undefined;
  let pausedUntil = 0;
  return {
    take: (nowMs) => {
      if (nowMs < pausedUntil) return pausedUntil - nowMs;
      tokens = Math.min(burst, tokens + ((nowMs - (filledAt ?? nowMs)) / 1000) * perSecond);
      filledAt = nowMs;
      if (tokens >= 1) {
        tokens -= 1;
        return 0;
      }
      return Math.ceil(((1 - tokens) / perSecond) * 1000);
    },
    pauseUntil: (ms) => {
      pausedUntil = Math.max(pausedUntil, ms);
    },
  };
}
