import type { Host } from "../../host.ts";

/** How many runs may follow each other at once, and how long it takes until one more is allowed: noise must not cost the node its CPU. */
const burst = 10;
const refillMs = 1000;
/** Several events of one change (create, write, close) become one run. */
const settleMs = 10;

export interface WakeUp {
  /** Something changed; `urgent` (the sentinel) is never held back. */
  wake(urgent: boolean): void;
  /** Forgets what was noted; called right before a run, so that a change during the run leads to exactly one more. */
  clear(): void;
  /** Resolves "woken" at the next change (or at once when one is noted), "due" after `ms`. */
  wait(ms: number, signal: AbortSignal): Promise<"woken" | "due">;
}

export function createWakeUp(host: Pick<Host, "monotonicMs" | "sleep">): WakeUp {
  let state: "quiet" | "changed" | "urgent" = "quiet";
  let settling = false;
  let ring = new AbortController();
  let tokens = burst;
  let filledAt = host.monotonicMs();

  function takeToken(): boolean {
    const now = host.monotonicMs();
    tokens = Math.min(burst, tokens + (now - filledAt) / refillMs);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  }

  async function holdBack(signal: AbortSignal): Promise<void> {
    while (!takeToken()) {
      if (state === "urgent" || signal.aborted) return;
      ring = new AbortController();
      await host.sleep(refillMs, AbortSignal.any([signal, ring.signal]));
    }
  }

  return {
    wake(urgent) {
      if (state !== "urgent") state = urgent ? "urgent" : "changed";
      if (urgent || !settling) ring.abort();
    },
    clear() {
      state = "quiet";
    },
    async wait(ms, signal) {
      // Noted during the last run: let the rest of the same change arrive. The sentinel is the last thing that is written.
      settling = state === "changed";
      if (state !== "urgent") {
        ring = new AbortController();
        await host.sleep(settling ? settleMs : ms, AbortSignal.any([signal, ring.signal]));
        settling = false;
      }
      if (quiet()) return "due";
      await holdBack(signal);
      return "woken";
    },
  };

  function quiet(): boolean {
    return state === "quiet";
  }
}
