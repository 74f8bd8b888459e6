import { lstatSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../errors/handler-error.ts";
import { uniqueHex } from "./unique-hex.ts";
import { namesIfThere } from "./names-if-there.ts";

const namePattern = /^\.capz-(?<pid>\d{1,10})-[0-9a-f]{16}\.tmp$/;
/** No write takes as long; a pid that is older may have been given to another process. */
const staleAfterMs = 60_000;

/** Path of a file that is prepared here and then put in its place; its name says whose it is. */
export function temporaryFile(folder: string): string {
  return join(folder, `.capz-${String(process.pid)}-${uniqueHex()}.tmp`);
}

/**
 * Removes what killed processes left in the middle of a write. A file of a living process stays, unless it is a minute old.
 * Synchronous, as the verdict's own write is: another file system that hangs holds the threads of every other call.
 */
export function removeStaleTemporaries(folder: string, now: Date): void {
  for (const name of namesIfThere(folder)) {
    const pid = namePattern.exec(name)?.groups?.["pid"];
    if (pid === undefined) continue;
    const path = join(folder, name);
    if (!isAlive(Number(pid)) || isOld(path, now)) removeIfPossible(path);
  }
}

/** What cannot be removed now may be later; nothing depends on it. */
function removeIfPossible(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    return;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return systemErrorCode(thrown) !== "ESRCH";
  }
}

function isOld(path: string, now: Date): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && now.getTime() - found.mtimeMs > staleAfterMs;
}
