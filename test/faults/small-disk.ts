import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A small file system of its own in the place of a folder; for root. */
export interface SmallDisk {
  fill(): void;
  useUpInodes(): void;
  makeReadOnly(): void;
  /** Gives space and inodes back and makes it writable. */
  heal(): void;
  /** What lies on it comes to the folder's own place. */
  remove(): void;
}

/** Mounts it over the folder, with what the folder holds. */
export function mountSmallDisk(folder: string): SmallDisk {
  const mount = (...args: readonly string[]) => execFileSync("mount", args);
  const aside = `${folder}.aside`;
  mkdirSync(folder, { recursive: true });
  cpSync(folder, aside, { recursive: true });
  mount("-t", "tmpfs", "-o", "size=4m,nr_inodes=512,mode=700", "none", folder);
  cpSync(aside, folder, { recursive: true });
  rmSync(aside, { recursive: true });
  const filler = join(folder, "filler");
  mkdirSync(filler);
  return {
    fill() {
      const { bfree, bsize } = statfsSync(folder);
      writeUntilFull(join(filler, "space"), bfree * bsize);
    },
    useUpInodes() {
      // Whoever works there meanwhile takes inodes, too: none is left when none is given.
      for (let count = 1; isGiven(join(filler, String(count))); count++);
    },
    makeReadOnly() {
      mount("-o", "remount,ro", folder);
    },
    heal() {
      mount("-o", "remount,rw", folder);
      rmSync(filler, { recursive: true, force: true });
      mkdirSync(filler);
    },
    remove() {
      rmSync(filler, { recursive: true, force: true });
      cpSync(folder, aside, { recursive: true });
      // Lazily: a supervisor may still hold its log open.
      execFileSync("umount", ["--lazy", folder]);
      cpSync(aside, folder, { recursive: true });
      rmSync(aside, { recursive: true });
    },
  };
}

function isGiven(path: string): boolean {
  try {
    writeFileSync(path, "");
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code !== "ENOSPC") throw error;
    return false;
  }
}

function writeUntilFull(path: string, bytes: number): void {
  for (let size = bytes; size > 0; size -= 4096) {
    try {
      writeFileSync(path, Buffer.alloc(size));
      return;
    } catch {
      // A little less fits.
    }
  }
}
