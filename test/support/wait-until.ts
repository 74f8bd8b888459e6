import { setTimeout as sleep } from "node:timers/promises";

export interface WaitOptions {
  /** Milliseconds after which the wait is given up; generous, because it only guards against a hang. */
  readonly timeoutMs?: number;
  readonly everyMs?: number;
  /** What to show when the wait is given up. */
  readonly describe?: () => unknown;
}

/** Asks `probe` until it gives a value other than undefined and false; throws with `what` when it never does. */
export async function waitUntil<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  options: WaitOptions = {},
): Promise<T> {
  const { timeoutMs = 60_000, everyMs = 50 } = options;
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > end) {
      const seen = options.describe === undefined ? "" : `; seen: ${JSON.stringify(await options.describe(), null, 1)}`;
      throw new Error(`Waited ${timeoutMs / 1000} s for: ${what}${seen}`);
    }
    await sleep(everyMs);
  }
}
