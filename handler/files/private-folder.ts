import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { HandlerError, errorText } from "../errors/handler-error.ts";

/** Makes a folder of ours, closed to everybody else (0700). */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new HandlerError("stateUnwritable", `Cannot create folder "${path}": ${errorText(error)}`, { cause: error });
  }
}

/** The same for a folder below ours; a link or a file in its place is removed, its target stays as it is. */
export function takePrivateFolder(path: string): void {
  const present = lstatSync(path, { throwIfNoEntry: false });
  if (present !== undefined && !present.isDirectory()) rmSync(path, { force: true });
  makePrivateFolder(path);
}
