import type { Host } from "../../host.ts";
import { createLogger, type PeopleLog } from "../../logging/create-logger.ts";
import { handlerVersion } from "../../version.ts";
import { asideStream } from "../terminal.ts";

/** The log of a command for people, on standard error; with a folder also in its files, and then only `verbose` shows all of it. */
export function terminalLog(
  host: Host,
  operation: string,
  files?: { readonly folder: string; readonly sequence: number; readonly verbose: boolean },
): PeopleLog {
  const target = {
    operation,
    sequence: files?.sequence,
    handlerVersion,
    ...(files !== undefined && { folder: files.folder }),
  };
  return createLogger({ target, terminal: { stream: asideStream(), verbose: files?.verbose ?? true } }, host);
}
