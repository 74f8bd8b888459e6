import type { Host } from "../host.ts";

/** What is kept on disk of a running deadline. */
export interface DeadlineRecord {
  readonly usedMs: number;
  readonly bootId: string;
  /** Reading of the boot's monotonic clock when `usedMs` was true. */
  readonly atMonotonicMs: number;
}

export interface DeadlineOptions {
  readonly host: Pick<Host, "monotonicMs" | "sleep">;
  readonly budgetMs: number;
  readonly bootId: string;
  readonly stored: DeadlineRecord | undefined;
  persist(record: DeadlineRecord): Promise<void>;
}

export interface Deadline {
  /** Aborts when the budget is used up. */
  readonly signal: AbortSignal;
  /** All the time that there is, from the beginning. */
  readonly budgetMs: number;
  elapsedMs(): number;
  remainingMs(): number;
  /** Stops the clock watch and keeps the last record. */
  close(): Promise<void>;
}

/** Only a power cut gives the node so much time again. */
const persistEveryMs = 15_000;

/**
 * One budget over everything the supervisor does. Within one boot the time of a dead supervisor counts, since the
 * monotonic clock went on; over a reboot only what was used before counts, and the time the machine was off does not.
 */
export function startDeadline(options: DeadlineOptions): Deadline {
  const { host, budgetMs, bootId } = options;
  const before = usedBefore(options);
  const startedAt = host.monotonicMs();
  const elapsedMs = () => before + Math.max(0, host.monotonicMs() - startedAt);
  const remainingMs = () => Math.max(0, budgetMs - elapsedMs());
  const keep = async () => {
    const record = { usedMs: Math.round(elapsedMs()), bootId, atMonotonicMs: host.monotonicMs() };
    // A full disk must not end the wait: the only loss is a few seconds of the account after a reboot.
    await options.persist(record).catch(() => undefined);
  };
  const reached = new AbortController();
  const closed = new AbortController();
  const watched = watchClock();

  async function watchClock(): Promise<void> {
    while (remainingMs() > 0) {
      await keep();
      await host.sleep(Math.min(Math.ceil(remainingMs()), persistEveryMs), closed.signal);
      if (closed.signal.aborted) return;
    }
    reached.abort();
  }

  return {
    signal: reached.signal,
    budgetMs,
    elapsedMs,
    remainingMs,
    async close() {
      closed.abort();
      await watched;
      await keep();
    },
  };
}

function usedBefore({ host, bootId, stored }: DeadlineOptions): number {
  if (stored === undefined) return 0;
  if (stored.bootId !== bootId) return stored.usedMs;
  return stored.usedMs + Math.max(0, host.monotonicMs() - stored.atMonotonicMs);
}
