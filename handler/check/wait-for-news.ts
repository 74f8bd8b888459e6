import type { Host } from "../host.ts";
import { lookAtSentinel } from "./look-at-sentinel.ts";
import { createWakeUp } from "./wake-up.ts";
import { watchFolders } from "./watch-folders.ts";

/** Pauses until something changes where a bootstrap leaves its traces, at most `mostMs`; a sentinel ends the pause at once. */
export async function waitForNews(host: Host, mostMs: number, signal: AbortSignal): Promise<void> {
  const wakeUp = createWakeUp(host);
  const paths = host.platform.paths(host.root);
  const folders = watchFolders(paths.watch, (path) => {
    wakeUp.wake(path === paths.sentinel);
  });
  const endLooks = lookAtSentinel(paths, () => {
    wakeUp.wake(true);
  });
  try {
    await wakeUp.wait(mostMs, signal);
  } finally {
    endLooks();
    folders.close();
  }
}
