import { chmod, open, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorText, HandlerError, systemErrorCode } from "../errors/handler-error.ts";
import type { DownloadSink } from "./download.ts";

export interface MemorySink extends DownloadSink {
  bytes(): Buffer;
}

export function memorySink(): MemorySink {
  let chunks: Uint8Array[] = [];
  return {
    restart() {
      chunks = [];
      return Promise.resolve();
    },
    write(chunk) {
      chunks.push(chunk);
      return Promise.resolve();
    },
    bytes: () => Buffer.concat(chunks),
  };
}

export interface FileSink extends DownloadSink {
  /** Gives the complete file its name and mode. */
  finish(mode: number): Promise<void>;
  /** Removes what is there of an unfinished file. */
  discard(): Promise<void>;
}

/**
 * Writes into `.capz-<name>.part` beside it, which alone we can read, so that no part of a file ever carries the file's name.
 * `<name>.part` may itself be a file that was asked for.
 */
export function fileSink(path: string): FileSink {
  const part = join(dirname(path), `.capz-${basename(path)}.part`);
  let file: FileHandle | undefined;
  async function close(): Promise<void> {
    await file?.close();
    file = undefined;
  }
  return {
    restart: () =>
      explain(part, async () => {
        await close();
        file = await open(part, "w", 0o600);
      }),
    write: (chunk) => explain(part, async () => file?.writeFile(chunk)),
    finish: (mode) =>
      explain(path, async () => {
        await file?.sync();
        await close();
        await chmod(part, mode);
        await rename(part, path);
      }),
    async discard() {
      await close();
      await rm(part, { force: true });
    },
  };
}

async function explain<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    // Before the path, which is long: the first line of a status is cut.
    const what = systemErrorCode(cause) === "ENOSPC" ? "No space is left for" : "Cannot write";
    throw new HandlerError("stateUnwritable", `${what} the download ${path}: ${errorText(cause)}`, { cause });
  }
}
