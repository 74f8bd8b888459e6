import type { Caches } from "./caches.ts";
import type { Book } from "./book.ts";
import type { Metrics } from "./metrics.ts";
import { isSettled } from "./reconcile.ts";
import type { World } from "../world.ts";

export interface Measuring {
  readonly book: Book;
  readonly caches: Pick<Caches, "machines"> | undefined;
  readonly metrics: Metrics;
  readonly queueLength: number;
  readonly world: World;
}

/** Brings the gauges to this moment; called for each scrape. */
export function measure({ book, caches, metrics, queueLength, world }: Measuring): void {
  const now = Date.parse(world.now());
  let oldest = 0;
  metrics.verdicts.reset();
  metrics.held.reset();
  metrics.queue.set(queueLength);
  for (const { uid } of caches?.machines.values() ?? []) {
    const entry = book.get(uid);
    if (entry?.state === undefined) continue;
    const { outcome, reason } = entry.state.verdict;
    metrics.verdicts.inc({ outcome, reason });
    if (entry.decision?.kind === "hold") metrics.held.inc({ why: entry.decision.reason });
    if (!isSettled(entry)) oldest = Math.max(oldest, (now - Date.parse(entry.state.firstSeen)) / 1000);
  }
  metrics.oldestUnsettled.set(oldest);
}
