import { sleep } from "../handler/process/sleep.ts";
import type { ClusterLog, World } from "./world.ts";

/** The real world; the only place of the program that reads the clock and draws lots. */
export function createWorld(): World {
  return {
    now: () => new Date().toISOString(),
    monotonicMs: () => performance.now(),
    random: Math.random,
    sleep,
  };
}

/** One JSON object a line on standard error, as log collectors of clusters read it. */
export function createClusterLog(world: World, write: (line: string) => void): ClusterLog {
  const line = (level: string) => (message: string) => {
    write(`${JSON.stringify({ time: world.now(), level, message })}\n`);
  };
  return { info: line("info"), warn: line("warn") };
}
