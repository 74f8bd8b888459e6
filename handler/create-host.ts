import { dirname } from "node:path";
import type { Host } from "./host.ts";
import { selectPlatform } from "./platform/select-platform.ts";
import { runProcess } from "./process/run-process.ts";
import { startProcess } from "./process/start-process.ts";

/** The real world. The only place that reads the clock, the environment and the program's own path. */
export function createHost(): Host {
  return {
    env: process.env,
    root: process.env["CAPZ_BOOTSTRAP_ROOT"] ?? "/",
    programFolder: dirname(process.argv[1] ?? process.cwd()),
    pid: process.pid,
    platform: selectPlatform(),
    now: () => new Date(),
    monotonicMs: () => Number(process.hrtime.bigint() / 1_000_000n),
    sleep,
    run: runProcess,
    startProcess,
    fetch: (input, init) => fetch(input, init),
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
