import { statSync } from "node:fs";
import type { PlatformPaths } from "../../platform/platform.ts";

/** Calls `onChange` when the sentinel appears or changes, by looking at it alone; returns what ends the looking. */
export function lookAtSentinel(
  { sentinel, sentinelLookMs }: Pick<PlatformPaths, "sentinel" | "sentinelLookMs">,
  onChange: () => void,
): () => void {
  if (sentinelLookMs === undefined) return () => undefined;
  let seen = mark(sentinel);
  const timer = setInterval(() => {
    const now = mark(sentinel);
    if (now === seen) return;
    seen = now;
    onChange();
  }, sentinelLookMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

/** Undefined when it is not there or cannot be looked at. */
function mark(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? undefined : `${String(stats.size)} ${String(stats.mtimeMs)}`;
  } catch {
    return undefined;
  }
}
