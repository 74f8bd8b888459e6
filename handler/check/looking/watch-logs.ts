import { dirname } from "node:path";
import type { Host } from "../../host.ts";
import { watchFolder } from "./watch-folder.ts";

/** A program that writes on is still at work; one that has said its last word rests. */
const restMs = 150;
/** Between two calls: a look at Windows starts programs, and a talkative log must not cost the node its CPU. */
const spacingMs = 2000;

/** Calls `onRest` when one of the logs was written and then left alone for a moment; returns what ends the watching. */
export function watchLogs(host: Pick<Host, "sleep">, logs: readonly string[], onRest: () => void): () => void {
  const ended = new AbortController();
  let writes = 0;
  let isFollowing = false;
  const isOver = (): boolean => ended.signal.aborted;

  async function follow(): Promise<void> {
    isFollowing = true;
    for (let told = 0; told !== writes && !isOver();) {
      for (let seen = told; seen !== writes && !isOver();) {
        seen = writes;
        await host.sleep(restMs, ended.signal);
      }
      told = writes;
      if (!isOver()) onRest();
      await host.sleep(spacingMs, ended.signal);
    }
    writes = 0;
    isFollowing = false;
  }

  const watches = logs.map((log) =>
    watchFolder(dirname(log), (path) => {
      if (path.toLowerCase() !== log.toLowerCase() && path !== dirname(log)) return;
      writes += 1;
      if (!isFollowing) void follow();
    }),
  );
  return () => {
    ended.abort();
    for (const watch of watches) watch.close();
  };
}
