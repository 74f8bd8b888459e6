import type { Platform } from "./platform/platform.ts";

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
  /** Milliseconds on a clock that runs through suspend and never jumps; its zero is arbitrary but the same for all processes of one boot. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once (without throwing) when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  run: RunProcess;
  readonly fetch: typeof fetch;
}

/** Runs a short helper program (openssl, systemctl, powershell.exe …) to its end; never throws for a red exit code. */
export type RunProcess = (file: string, args: readonly string[], options?: RunOptions) => Promise<RunResult>;

export interface RunOptions {
  readonly input?: Uint8Array;
  readonly timeoutMs?: number;
  /** Bytes of each stream to keep; what is over is dropped. Default 1 MiB. */
  readonly maxBytes?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export type RunResult =
  | { readonly kind: "exited"; readonly code: number; readonly stdout: Buffer; readonly stderr: Buffer }
  | { readonly kind: "signalled"; readonly signal: string; readonly stdout: Buffer; readonly stderr: Buffer }
  | { readonly kind: "timed-out"; readonly stdout: Buffer; readonly stderr: Buffer }
  | { readonly kind: "not-started"; readonly reason: string };
