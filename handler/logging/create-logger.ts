import { join } from "node:path";
import winston from "winston";
import { removeLink } from "../files/remove-link.ts";
import type { Host } from "../host.ts";
import type { ShownText } from "../text/shown-text.ts";
import { logFileName, logLimits, rotatedLogName, type Log, type LogTarget } from "./log.ts";
import { formatLine, levelsOf } from "./quick-log.ts";

/** The log of a command for people, which somebody at a terminal waits for. */
export interface PeopleLog extends Log {
  /** Progress for whoever waits: to the terminal alone, whether it is to say more or not. */
  tell(text: ShownText): void;
}

export interface LogOutlets {
  /** Files with rotation by size, in the same form and under the same names as the supervisor's. */
  readonly target: Omit<LogTarget, "folder"> & { readonly folder?: string };
  readonly terminal: {
    readonly stream: NodeJS.WritableStream;
    /** Whether it shows what goes into the files, too. */
    readonly verbose: boolean;
  };
}

/** winston, for the commands for people: a message goes to rotated files, to the terminal, or to both, in the form of each. */
export function createLogger({ target, terminal }: LogOutlets, host: Pick<Host, "now" | "pid">): PeopleLog {
  const files = target.folder === undefined ? undefined : toFiles(target.folder);
  const logger = winston.createLogger({ level: "debug" });
  logger.add(toTerminal(terminal));
  if (files !== undefined) logger.add(files);
  // A full disk or a folder that is gone must not end the command.
  files?.on("error", () => undefined);
  logger.on("error", () => undefined);
  return {
    ...levelsOf((level, message) => {
      const time = host.now().toISOString();
      logger.log(level, message, { line: formatLine({ level, message, time, pid: host.pid, ...target }) });
    }),
    tell: (text) => {
      logger.info(text);
    },
    flush: () =>
      new Promise((resolve) => {
        for (const event of ["finish", "error"]) {
          (files ?? logger).once(event, () => {
            resolve();
          });
        }
        logger.end();
      }),
  };
}

/** What is only told has no line of the log. */
const logged = winston.format((info) => (typeof info["line"] === "string" ? info : false));
const told = winston.format((info) => (typeof info["line"] === "string" ? false : info));

function toFiles(folder: string): winston.transport {
  // The library opens what stands there: a link, symbolic or hard, would lead our lines to a file of somebody else.
  for (let index = 0; index < logLimits.files; index++) removeLink(join(folder, rotatedLogName(index)));
  return new winston.transports.File({
    filename: join(folder, logFileName),
    maxsize: logLimits.bytes,
    maxFiles: logLimits.files,
    tailable: true,
    options: { flags: "a", mode: 0o600 },
    format: winston.format.combine(
      logged(),
      winston.format.printf(({ line }) => String(line)),
    ),
  });
}

function toTerminal({ stream, verbose }: LogOutlets["terminal"]): winston.transport {
  const text = winston.format.printf(({ level, message, line }) =>
    line === undefined ? String(message) : `${level.padEnd(5)}  ${String(message)}`,
  );
  return new winston.transports.Stream({
    stream,
    eol: "\n",
    format: verbose ? text : winston.format.combine(told(), text),
  });
}
