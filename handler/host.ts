import type { Platform } from "./platform/platform.ts";
import type { ProcessLimits, RunProcess, StartedProcess, StartProcess } from "./process-port.ts";

export type {
  ProcessExit,
  ProcessLimits,
  RunOptions,
  RunProcess,
  RunResult,
  StartedProcess,
  StartProcess,
} from "./process-port.ts";

/** What the program asks of the world. The real one is made by create-host.ts; tests pass a small object. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that stands for `/` (or the system drive): "/" in production, a scratch folder in tests and `diagnose --root`. */
  readonly root: string;
  /** Folder of the running program: the handler folder that the guest agent unpacked. */
  readonly programFolder: string;
  readonly pid: number;
  readonly platform: Platform;
  now(): Date;
  /** Milliseconds on a clock that never jumps and stands still in suspend; its zero is the same for all processes of one boot. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once (without throwing) when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  run: RunProcess;
  /** Starts the user's check; its output goes to files, never to pipes that a left-over child could hold open. */
  startProcess(request: StartProcess): StartedProcess;
  /** Limits of this process itself. */
  ownLimits(): ProcessLimits;
  readonly fetch: typeof fetch;
}
