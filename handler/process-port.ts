/** Runs a short helper program (openssl, systemctl, powershell.exe …) to its end; never throws for a red exit code. */
export type RunProcess = (file: string, args: readonly string[], options?: RunOptions) => Promise<RunResult>;

export interface RunOptions {
  readonly input?: Uint8Array;
  readonly timeoutMs?: number;
  /** Bytes of each stream to keep; what is over is dropped. Default 1 MiB. */
  readonly maxBytes?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The answer is remembered for so long, for others who ask the same. Infinity: as long as this process lives. */
  readonly rememberMs?: number;
  /** An answer to the same command that is remembered is taken. */
  readonly takesRemembered?: true;
}

export type RunResult =
  | { readonly kind: "exited"; readonly code: number; readonly stdout: Buffer; readonly stderr: Buffer }
  | { readonly kind: "signalled"; readonly signal: string; readonly stdout: Buffer; readonly stderr: Buffer }
  | { readonly kind: "timed-out"; readonly stdout: Buffer; readonly stderr: Buffer }
  | { readonly kind: "not-started"; readonly reason: string };

export interface StartProcess {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Created or emptied, readable by us alone. */
  readonly stdoutFile: string;
  readonly stderrFile: string;
  /** Limits that the child gets instead of ours. */
  readonly limits?: ProcessLimits;
  /** Own session and process group (setsid); Windows has none and keeps the child in our job. */
  readonly ownSession: boolean;
}

/** What a process inherits beside its environment, as far as we change it for ourselves. */
export interface ProcessLimits {
  /** -20 (first) to 19 (last); Node's scale on Windows too. */
  readonly nice: number;
  /** /proc/PID/oom_score_adj, -1000 to 1000; absent where there is none. */
  readonly oomScore?: number;
}

export interface StartedProcess {
  /** Undefined when the process could not be started; `exited` then says why. */
  readonly pid: number | undefined;
  /** Resolves when the process itself has ended, whatever its children do; never rejects. */
  readonly exited: Promise<ProcessExit>;
}

export type ProcessExit =
  | { readonly kind: "code"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  | {
      readonly kind: "not-started";
      readonly reason: string;
      /** The system's error code, such as ENOENT. */
      readonly systemCode?: string;
    };
