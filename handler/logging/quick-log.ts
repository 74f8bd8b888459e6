import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../host.ts";
import { logFileName, type Log, type LogTarget } from "./log.ts";
import { redact } from "./redact.ts";

/**
 * Log of the short commands: a line per event, in the same file and form as the supervisor's log, without loading a
 * logging library (`enable` runs on every goal state). A log that cannot be written never fails a command.
 */
export function createQuickLog(target: LogTarget, host: Pick<Host, "now" | "pid">): Log {
  const write = (level: string) => (message: string) => {
    const line = formatLine({ level, message, time: host.now().toISOString(), pid: host.pid, ...target });
    try {
      appendFileSync(join(target.folder, logFileName), line + "\n", { mode: 0o600 });
    } catch {
      // A full or read-only disk must not keep the verdict from the status file.
    }
  };
  return {
    debug: () => undefined,
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    flush: () => Promise.resolve(),
  };
}

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly operation: string;
  readonly sequence: number | undefined;
  readonly handlerVersion: string;
  readonly pid: number;
  readonly message: string;
}

export function formatLine(line: LogLine): string {
  return JSON.stringify({
    time: line.time,
    level: line.level,
    operation: line.operation,
    sequence: line.sequence,
    version: line.handlerVersion,
    pid: line.pid,
    message: redact(line.message),
  });
}
