import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Host } from "../host.ts";
import { onceUnblocked } from "./blocked-file.ts";
import { uniqueHex } from "./unique-hex.ts";
import { temporaryFile } from "./temporary-file.ts";

export type Sleep = Host["sleep"];

export interface ReplaceFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Waits between the tries of a rename that another process blocks (Windows). */
  readonly sleep?: Sleep | undefined;
  /**
   * False: whole or not at all for every reader, but not yet flushed. For what a power cut may take because it is made again
   * (progress, a begun state): a flush costs as much as the rest of `enable`, and bootstrap needs the disk.
   */
  readonly durable?: boolean;
}

/**
 * Puts a whole file in place of another (mode 0600) without the process's file threads, which a file system that hangs may all
 * hold: no verdict may wait for them. Whole, so that a reader or a power cut sees the old one or the new one, never
 * a part. A folder in its place is set aside. Leaves no temporary file behind; throws the system error.
 */
export async function replaceFile({ path, bytes, sleep, durable = true }: ReplaceFile): Promise<void> {
  const temporary = temporaryFile(dirname(path));
  try {
    writeNew(temporary, bytes, durable);
    setFolderAside(path);
    // On Windows a reader blocks the rename; the guest agent holds a file for a moment while it reads.
    await onceUnblocked(() => {
      renameSync(temporary, path);
    }, sleep);
  } catch (thrown) {
    removeQuietly(temporary);
    throw thrown;
  }
  if (durable) syncFolder(dirname(path));
}

function writeNew(path: string, bytes: Uint8Array, durable: boolean): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeFileSync(file, bytes);
    if (durable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** No file takes the place of a folder; nothing of what somebody has put into it is lost. */
function setFolderAside(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    renameSync(path, `${path}.aside-${uniqueHex()}`);
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A later write removes it (removeStaleTemporaries).
  }
}

/** Makes the rename itself survive a power cut. Windows cannot open a folder for this; there NTFS's journal does it. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The new file is in place and complete; only its durability is the file system's matter now.
  }
}
