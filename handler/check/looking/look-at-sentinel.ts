import { stat } from "node:fs/promises";
import type { PlatformPaths } from "../../platform/platform.ts";

/**
 * Calls `onChange` when the sentinel appears or changes, by looking at it alone; returns what ends the looking. One question at a time: where
 * the file system does not answer, one file thread waits, and nothing else.
 */
export function lookAtSentinel(
  { sentinel, sentinelLookMs }: Pick<PlatformPaths, "sentinel" | "sentinelLookMs">,
  onChange: () => void,
): () => void {
  if (sentinelLookMs === undefined) return () => undefined;
  let seen: string | undefined;
  let isFirst = true;
  let isAsking = false;
  let isEnded = false;
  const look = async (): Promise<void> => {
    isAsking = true;
    const now = await mark(sentinel);
    isAsking = false;
    const isNew = !isFirst && now !== seen;
    isFirst = false;
    seen = now;
    if (isNew && !isEnded) onChange();
  };
  void look();
  const timer = setInterval(() => {
    if (!isAsking) void look();
  }, sentinelLookMs);
  timer.unref();
  return () => {
    isEnded = true;
    clearInterval(timer);
  };
}

/** Undefined when it is not there or cannot be looked at. */
async function mark(path: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs } = await stat(path);
    return `${String(size)} ${String(mtimeMs)}`;
  } catch {
    return undefined;
  }
}
