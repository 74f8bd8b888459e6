import { readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../errors/handler-error.ts";
import { uniqueHex } from "../text/unique-hex.ts";

const namePattern = /^\.capz-(?<pid>\d{1,10})-[0-9a-f]{16}\.tmp$/;
/** No write takes as long; a pid that is older may have been given to another process. */
const staleAfterMs = 60_000;

/** Path of a file that is prepared here and then put in its place; its name says whose it is. */
export function temporaryFile(folder: string): string {
  return join(folder, `.capz-${String(process.pid)}-${uniqueHex()}.tmp`);
}

/** Removes what killed processes left in the middle of a write. A file of a living process stays, unless it is a minute old. */
export async function removeStaleTemporaries(folder: string, now: Date): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = namePattern.exec(name)?.groups?.["pid"];
    if (pid === undefined) continue;
    const path = join(folder, name);
    if (!isAlive(Number(pid)) || (await isOld(path, now))) await unlink(path).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return systemErrorCode(thrown) !== "ESRCH";
  }
}

async function isOld(path: string, now: Date): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && now.getTime() - found.mtimeMs > staleAfterMs;
}
