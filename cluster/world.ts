/** What the program needs of the outside world beside the network: time and chance. Only create-world.ts makes the real one. */
export interface World {
  /** RFC 3339, UTC, with milliseconds. */
  now(): string;
  /** Milliseconds of a clock that is never set. */
  monotonicMs(): number;
  /** From 0 up to 1. */
  random(): number;
  /** Resolves after `ms`, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface ClusterLog {
  info(message: string): void;
  warn(message: string): void;
}
