import { open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Host } from "../host.ts";
import { onceUnblocked } from "./blocked-file.ts";
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
 * Puts a whole file in place of another (mode 0600), so that a reader or a power cut sees the old one or the new one, never
 * a part. Leaves no temporary file behind; throws the system error.
 */
export async function replaceFile({ path, bytes, sleep, durable = true }: ReplaceFile): Promise<void> {
  const temporary = temporaryFile(dirname(path));
  try {
    await writeNew(temporary, bytes, durable);
    // On Windows a reader blocks the rename; the guest agent holds a file for a moment while it reads.
    await onceUnblocked(() => rename(temporary, path), sleep);
  } catch (thrown) {
    await unlink(temporary).catch(() => undefined);
    throw thrown;
  }
  if (durable) await syncFolder(dirname(path));
}

async function writeNew(path: string, bytes: Uint8Array, durable: boolean): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    if (durable) await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the rename itself survive a power cut. Windows cannot open a folder for this; there NTFS's journal does it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The new file is in place and complete; only its durability is the file system's matter now.
  }
}
