import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const pauseMs = 50;

/**
 * What one run of the tests needs often and makes once, in the folder that CAPZ_RUN_FOLDER names and the end of the run removes. `make`
 * is given the path to fill; who needs the same meanwhile waits for it. Undefined where there is no such folder.
 */
export function keptInRun(name: string, make: (path: string) => void): string | undefined {
  const folder = process.env["CAPZ_RUN_FOLDER"];
  if (folder === undefined) return undefined;
  const path = join(folder, name);
  const turn = `${path}.turn`;
  while (!existsSync(path)) {
    if (!takeTurn(turn)) {
      pauseFor(pauseMs);
      continue;
    }
    try {
      // Another worker may have ended its turn since the look.
      if (!existsSync(path)) fill(path, make);
    } finally {
      rmSync(turn, { recursive: true, force: true });
    }
  }
  return path;
}

function fill(path: string, make: (path: string) => void): void {
  const own = `${path}.${String(process.pid)}`;
  try {
    make(own);
    renameSync(own, path);
  } catch (error) {
    // A folder is not renamed onto another one: who waited for a killed worker was first.
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** A turn of a process that was killed is over. */
function takeTurn(turn: string): boolean {
  try {
    mkdirSync(turn);
    writeFileSync(join(turn, "owner"), String(process.pid));
    return true;
  } catch {
    if (isOver(turn)) rmSync(turn, { recursive: true, force: true });
    return false;
  }
}

function isOver(turn: string): boolean {
  try {
    const owner = Number(readFileSync(join(turn, "owner"), "utf8"));
    // Between the two calls of its owner there is no number.
    if (owner === 0) return false;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/** The package is built by a call that waits, so this one may, too. */
function pauseFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
