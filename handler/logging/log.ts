/** What the parts log to. Every line is redacted before it is written. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  /** Resolves when everything logged so far is in the file. */
  flush(): Promise<void>;
}

export interface LogTarget {
  /** The agent's log folder. */
  readonly folder: string;
  readonly operation: string;
  readonly sequence: number | undefined;
  readonly handlerVersion: string;
}

export const logFileName = "handler.log";
