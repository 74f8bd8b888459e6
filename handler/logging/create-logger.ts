import { join } from "node:path";
import winston from "winston";
import { removeLink } from "../files/remove-link.ts";
import type { Host } from "../host.ts";
import { logFileName, logLimits, rotatedLogName, type Log, type LogTarget } from "./log.ts";
import { formatLine, levelsOf } from "./quick-log.ts";

/** Log of the commands for people: winston with rotation by size, in the same form and files as the supervisor's. */
export function createLogger(target: LogTarget, host: Pick<Host, "now" | "pid">): Log {
  // The library opens what stands there: a link, symbolic or hard, would lead our lines to a file of somebody else.
  for (let index = 0; index < logLimits.files; index++) removeLink(join(target.folder, rotatedLogName(index)));
  const transport = new winston.transports.File({
    filename: join(target.folder, logFileName),
    maxsize: logLimits.bytes,
    maxFiles: logLimits.files,
    tailable: true,
    options: { flags: "a", mode: 0o600 },
  });
  const logger = winston.createLogger({
    level: "debug",
    format: winston.format.printf((info) => String(info.message)),
  });
  logger.add(transport);
  // A full disk or a folder that is gone must not end the supervisor.
  transport.on("error", () => undefined);
  logger.on("error", () => undefined);
  return {
    ...levelsOf((level, message) => {
      logger.log(level, formatLine({ level, message, time: host.now().toISOString(), pid: host.pid, ...target }));
    }),
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
