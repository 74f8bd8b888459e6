import { stat } from "node:fs";
import type { PlatformPaths } from "../../platform/platform.ts";

/** A watch on the folder itself rarely loses an event: what may be lost is found so many looks later. */
const watchedPace = 5;

/** A first answer that comes later is of no use as a beginning: the check has looked without it, and the sentinel may have come since. */
const lateMs = 1000;

/**
 * Calls `onChange` when the sentinel appears or changes, by looking at it alone; returns what ends the looking. One question at a time: where
 * the file system does not answer, one file thread waits, and nothing else. Slower while `isWatched`: each look wakes an idle program.
 */
export function lookAtSentinel(
  { sentinel, sentinelLookMs }: Pick<PlatformPaths, "sentinel" | "sentinelLookMs">,
  onChange: () => void,
  isWatched: () => boolean = () => false,
): () => void {
  if (sentinelLookMs === undefined) return () => undefined;
  const paceMs = sentinelLookMs;
  let seen: string | undefined;
  let isFirst = true;
  let isEnded = false;
  let timer = setTimeout(() => {
    isFirst = false;
  }, lateMs).unref();
  const look = (): void => {
    // With a callback: a promise of what is not there costs an error with its stack each time.
    stat(sentinel, (error, stats) => {
      if (isEnded) return;
      const now = error === null ? `${String(stats.size)} ${String(stats.mtimeMs)}` : undefined;
      const isNew = !isFirst && now !== seen;
      isFirst = false;
      seen = now;
      clearTimeout(timer);
      timer = setTimeout(look, isWatched() ? watchedPace * paceMs : paceMs).unref();
      if (isNew) onChange();
    });
  };
  look();
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}
