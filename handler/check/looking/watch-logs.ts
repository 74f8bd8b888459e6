import { dirname } from "node:path";
import { localPaths } from "../../files/mounts.ts";
import type { Host } from "../../host.ts";
import { watchFolder } from "./watch-folder.ts";

/** A program that writes on is still at work; one that has said its last word rests. */
const restMs = 150;
/** Between two calls: a look at Windows starts programs, and a talkative log must not cost the node its CPU. */
const spacingMs = 2000;
/** Calls that may follow each other without it: the last words of a failure come in several breaths, each a moment after the other. */
const burst = 3;

export interface LogsWatch {
  /** Attaches watches that have died, or whose folder is another one now. */
  renew(): void;
  close(): void;
}

/** Calls `onRest` when one of the logs was written and then left alone for a moment. */
export function watchLogs(
  host: Pick<Host, "sleep" | "monotonicMs">,
  logs: readonly string[],
  onRest: () => void,
): LogsWatch {
  const ended = new AbortController();
  let writes = 0;
  let isFollowing = false;
  let spare = burst;
  let filledAt = host.monotonicMs();
  const isOver = (): boolean => ended.signal.aborted;

  /** What is not spared is not made up for either: only quiet time fills it. */
  async function keepDistance(): Promise<void> {
    spare = Math.min(burst, spare + (host.monotonicMs() - filledAt) / spacingMs);
    if (spare >= 1) spare -= 1;
    else await host.sleep(spacingMs, ended.signal);
    filledAt = host.monotonicMs();
  }

  async function follow(): Promise<void> {
    isFollowing = true;
    for (let told = 0; told !== writes && !isOver();) {
      for (let seen = told; seen !== writes && !isOver();) {
        seen = writes;
        await host.sleep(restMs, ended.signal);
      }
      told = writes;
      if (!isOver()) onRest();
      await keepDistance();
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
  return {
    renew() {
      if (watches.length === 0) return;
      const answersLocally = localPaths();
      for (const watch of watches) watch.renew(answersLocally);
    },
    close() {
      ended.abort();
      for (const watch of watches) watch.close();
    },
  };
}
