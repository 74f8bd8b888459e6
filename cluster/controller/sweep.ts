import { describeError } from "../kube/kube-error.ts";
import type { Writer } from "../kube/write.ts";
import { keyOfNamed } from "../objects/objects.ts";
import { msBetween } from "../verdict/moment.ts";
import { compareTexts } from "../verdict/next-verdict.ts";
import { verdictResource } from "../verdict/verdict-object.ts";
import type { World } from "../world.ts";
import type { Book, Entry } from "./book.ts";
import type { Caches } from "./caches.ts";
import type { VerdictWriter } from "./verdict-writer.ts";

export interface KeepLimits {
  /** How long a verdict outlives its Machine. */
  readonly keepMs: number;
  /** Most verdicts of gone Machines of one owner; the oldest go first. */
  readonly keptPerOwner: number;
}

export interface SweepParts {
  readonly caches: Caches;
  readonly book: Book;
  readonly writer: Writer;
  readonly verdicts: VerdictWriter;
  readonly limits: KeepLimits;
  readonly world: World;
}

/**
 * Notes which Machines are gone, and removes verdicts that have been kept long enough. Called at the start and every minute after. An object
 * that cannot be written holds up no other one; all failures together are thrown at the end.
 */
export async function sweep(parts: SweepParts): Promise<void> {
  const { caches, book, world } = parts;
  const failures: unknown[] = [];
  const attempt = async (step: () => Promise<void>) => {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  };
  const living = new Set([...caches.machines.values()].map(({ uid }) => uid));
  const gone = [...book.entries()].filter(({ uid }) => !living.has(uid));
  for (const entry of gone) {
    if (entry.stored === undefined) {
      book.forget(entry.uid);
      continue;
    }
    const cluster = caches.clusters.get(
      keyOfNamed({ namespace: entry.stored.place.namespace, name: entry.stored.record.cluster }),
    );
    if (cluster?.watched !== true || cluster.paused) continue;
    entry.machineGone ??= world.now();
    await attempt(() => parts.verdicts.writeGone(entry, cluster));
  }
  for (const entry of expired(gone, parts.limits, world.now())) await attempt(() => remove(entry, parts));
  if (failures.length > 0) throw new AggregateError(failures, sayFailures(failures));
}

function sayFailures([first, ...others]: readonly unknown[]): string {
  return `${describeError(first)}${others.length === 0 ? "" : ` (and ${String(others.length)} more)`}`;
}

function expired(gone: readonly Entry[], { keepMs, keptPerOwner }: KeepLimits, now: string): readonly Entry[] {
  const kept = gone.filter(({ machineGone, stored }) => machineGone !== undefined && stored !== undefined);
  const owners = Map.groupBy(kept, ({ stored }) => {
    const { place, record } = stored ?? { place: undefined, record: undefined };
    return [place?.namespace, record?.cluster, record?.owner.kind, record?.owner.name].join("/");
  });
  return [...owners.values()].flatMap((entries) => {
    const newestFirst = entries.toSorted((a, b) => compareTexts(b.machineGone ?? "", a.machineGone ?? ""));
    return newestFirst.filter(
      ({ machineGone }, index) => index >= keptPerOwner || msBetween(machineGone ?? now, now) >= keepMs,
    );
  });
}

async function remove(entry: Entry, { writer, book }: SweepParts): Promise<void> {
  if (entry.stored === undefined || entry.objectUid === undefined) return;
  await writer.remove(verdictResource, entry.stored.place, entry.objectUid);
  book.forget(entry.uid);
}
