import type { ShownText } from "../text/shown-text.ts";

/** What the parts log to. Every message is shown (text/shown-text.ts) before it is written. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  /** What may be shown already, such as the verdict: our own words in it stay as they are. */
  infoShown(message: ShownText): void;
  /** From now on only messages of this level and above; "info" until it is called. */
  keepFrom(level: LogLevel): void;
  /** Resolves when everything logged so far is in the file. */
  flush(): Promise<void>;
}

/** Ascending. */
const levels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof levels)[number];

export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return levels.indexOf(level) >= levels.indexOf(least);
}

export interface LogTarget {
  /** The agent's log folder. */
  readonly folder: string;
  readonly operation: string;
  readonly sequence: number | undefined;
  readonly handlerVersion: string;
}

export const logFileName = "handler.log";

/** A handler that is called for years keeps its last weeks and never fills a disk. */
export const logLimits = { bytes: 2 * 1024 * 1024, files: 4 } as const;

/** 0 is the file that is written, then older and older. */
export function rotatedLogName(index: number): string {
  return index === 0 ? logFileName : logFileName.replace(/\.log$/u, `${String(index)}.log`);
}
