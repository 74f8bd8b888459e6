import { dirname } from "node:path";
import type { Host } from "../../host.ts";
import { lookAtSentinel } from "./look-at-sentinel.ts";
import { createWakeUp } from "./wake-up.ts";
import { watchFolders } from "./watch-folders.ts";

export interface SentinelWatch {
  /** Resolves when the sentinel appears or changes, after `mostMs` at the latest. */
  wait(mostMs: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** For a wait that has all the time of the world, but must notice the one file that ends it at once. */
export function watchSentinel(host: Host): SentinelWatch {
  const wakeUp = createWakeUp(host);
  const paths = host.platform.paths(host.root);
  const folders = watchFolders(paths.watch, (path) => {
    if (path === paths.sentinel) wakeUp.wake(true);
  });
  const endLooks = lookAtSentinel(
    paths,
    () => {
      wakeUp.wake(true);
    },
    () => folders.watches(dirname(paths.sentinel)),
  );
  return {
    async wait(mostMs, signal) {
      await wakeUp.wait(mostMs, signal);
      wakeUp.clear();
    },
    close() {
      endLooks();
      folders.close();
    },
  };
}
