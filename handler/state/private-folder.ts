import { mkdirSync } from "node:fs";
import { HandlerError, errorText } from "../errors/handler-error.ts";

/** Makes a folder of ours, closed to everybody else (0700). */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new HandlerError("stateUnwritable", `Cannot create folder "${path}": ${errorText(error)}`, { cause: error });
  }
}
