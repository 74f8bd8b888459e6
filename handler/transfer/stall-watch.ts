import type { Host } from "../host.ts";

export interface StallWatch {
  /** Aborts when nothing was touched for the limit. */
  readonly signal: AbortSignal;
  touch(): void;
  stop(): void;
}

export function startStallWatch(host: Pick<Host, "monotonicMs" | "sleep">, limitMs: number): StallWatch {
  const stalled = new AbortController();
  const stopped = new AbortController();
  let touchedAt = host.monotonicMs();
  void watchTouches();
  return {
    signal: stalled.signal,
    touch() {
      touchedAt = host.monotonicMs();
    },
    stop() {
      stopped.abort();
    },
  };

  async function watchTouches(): Promise<void> {
    for (let left = limitMs; left > 0; left = limitMs - (host.monotonicMs() - touchedAt)) {
      await host.sleep(left, stopped.signal);
      if (stopped.signal.aborted) return;
    }
    stalled.abort();
  }
}
