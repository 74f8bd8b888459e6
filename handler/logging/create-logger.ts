import { join } from "node:path";
import winston from "winston";
import type { Host } from "../host.ts";
import { logFileName, logLimits, type Log, type LogTarget } from "./log.ts";
import { formatLine } from "./quick-log.ts";

/** Log of the commands for people: winston with rotation by size, in the same form and files as the supervisor's. */
export function createLogger(target: LogTarget, host: Pick<Host, "now" | "pid">): Log {
  const transport = new winston.transports.File({
    filename: join(target.folder, logFileName),
    maxsize: logLimits.bytes,
    maxFiles: logLimits.files,
    tailable: true,
    options: { flags: "a", mode: 0o600 },
  });
  const logger = winston.createLogger({
    level: "info",
    format: winston.format.printf((info) =>
      formatLine({
        level: info.level,
        message: String(info.message),
        time: host.now().toISOString(),
        pid: host.pid,
        ...target,
      }),
    ),
  });
  logger.add(transport);
  // A full disk or a folder that is gone must not end the supervisor.
  transport.on("error", () => undefined);
  logger.on("error", () => undefined);
  return {
    debug: (message) => void logger.debug(message),
    info: (message) => void logger.info(message),
    warn: (message) => void logger.warn(message),
    error: (message) => void logger.error(message),
    flush: () =>
      new Promise((resolve) => {
        transport.once("finish", () => {
          resolve();
        });
        transport.once("error", () => {
          resolve();
        });
        logger.end();
      }),
  };
}
