import { dirname } from "node:path";
import type { Host } from "./host.ts";
import type { Platform } from "./platform/platform.ts";
import { selectPlatform } from "./platform/select-platform.ts";
import { ownLimits } from "./process/limits.ts";
import { rememberRuns } from "./process/remember-runs.ts";
import { runProcess } from "./process/run-process.ts";
import type { WindowsSystem } from "./platform/windows.ts";
import { sleep } from "./process/sleep.ts";
import { startProcess } from "./process/start-process.ts";

/** The real world. The only place that reads the clock, the environment and the program's own path. */
export function createHost(platform: Platform): Host {
  return {
    env: process.env,
    root: process.env["CAPZ_BOOTSTRAP_ROOT"] ?? platform.defaultRoot,
    programFolder: dirname(process.argv[1] ?? process.cwd()),
    pid: process.pid,
    platform,
    now: () => new Date(),
    monotonicMs: () => Number(process.hrtime.bigint() / 1_000_000n),
    sleep,
    run: rememberRuns(runProcess),
    startProcess,
    ownLimits,
    fetch: (input, init) => fetch(input, init),
  };
}

/** The running system's side of what differs between systems; the other's is not loaded. Throws platformUnsupported. */
export function ownPlatform(): Promise<Platform> {
  return selectPlatform(process.platform, windowsSystem);
}

function windowsSystem(): WindowsSystem {
  return {
    env: process.env,
    pid: process.pid,
    parentPid: process.ppid,
    root: process.env["CAPZ_BOOTSTRAP_ROOT"] ?? `${process.env["SystemDrive"] ?? "C:"}\\`,
    nodeCommand: [process.execPath, ...process.execArgv, process.argv[1] ?? ""],
    pipePrefix: "\\\\.\\pipe\\",
    // The listeners of SIGTERM end the work in order; a command that has none goes on.
    onStop: () => process.emit("SIGTERM", "SIGTERM"),
    endProcess: (pid) => signal(pid, "SIGKILL"),
    processExists: (pid) => signal(pid, 0),
  };
}

/** False when there is no such process. */
function signal(pid: number, name: "SIGKILL" | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
