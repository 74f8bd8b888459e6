import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { removeLink } from "../files/remove-link.ts";
import type { Host } from "../host.ts";
import { isAtLeast, logFileName, logLimits, rotatedLogName, type Log, type LogLevel, type LogTarget } from "./log.ts";
import { show, type ShownText } from "../text/shown-text.ts";

/**
 * Log of the agent's commands and of the supervisor: a line per event, without a logging library, which alone would cost the
 * waiting supervisor a third of its memory. A log that cannot be written never fails anything.
 */
export function createQuickLog(target: LogTarget, host: Pick<Host, "now" | "pid">): Log {
  const path = join(target.folder, logFileName);
  const write = (level: LogLevel, message: ShownText) => {
    const line = formatLine({ level, message, time: host.now().toISOString(), pid: host.pid, ...target });
    try {
      rotate(target.folder);
      removeLink(path);
      appendFileSync(path, line + "\n", { mode: 0o600 });
    } catch {
      // A full or read-only disk must not keep the verdict from the status file.
    }
  };
  return { ...levelsOf(write), flush: () => Promise.resolve() };
}

/** All levels over one writer; every message goes through show. */
export function levelsOf(write: (level: LogLevel, message: ShownText) => void): Omit<Log, "flush"> {
  let least: LogLevel = "info";
  const writeKept = (level: LogLevel, message: () => ShownText) => {
    if (isAtLeast(level, least)) write(level, message());
  };
  const showing = (level: LogLevel) => (message: string) => {
    writeKept(level, () => show(message));
  };
  return {
    debug: showing("debug"),
    info: showing("info"),
    warn: showing("warn"),
    error: showing("error"),
    infoShown: (message) => {
      writeKept("info", () => message);
    },
    keepFrom(level) {
      least = level;
    },
  };
}

/** The same files as winston's rotation makes: handler.log is the newest, handler3.log the oldest. */
function rotate(folder: string): void {
  const size = statSync(join(folder, logFileName), { throwIfNoEntry: false })?.size ?? 0;
  if (size < logLimits.bytes) return;
  for (let index = logLimits.files - 1; index > 0; index--) {
    const from = join(folder, rotatedLogName(index - 1));
    if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, join(folder, rotatedLogName(index)));
  }
}

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly operation: string;
  readonly sequence: number | undefined;
  readonly handlerVersion: string;
  readonly pid: number;
  readonly message: ShownText;
}

export function formatLine(line: LogLine): string {
  return JSON.stringify({
    time: line.time,
    level: line.level,
    operation: line.operation,
    sequence: line.sequence,
    version: line.handlerVersion,
    pid: line.pid,
    message: line.message,
  });
}
