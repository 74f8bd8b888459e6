import type { FileCalls, OpenFile } from "./file-calls.ts";

/** A part of a file, its bytes as they lie there. */
export interface FilePart {
  readonly bytes: Buffer;
  /** The file's first bytes, which may say how it is written. */
  readonly head: Uint8Array;
  /** Position of the first byte in the file. */
  readonly from: number;
  /** The file has more than this part. */
  readonly cut: boolean;
}

/** Undefined for what is no regular file: a folder, a pipe, a device. */
export async function readFront(calls: FileCalls, path: string, maxBytes: number): Promise<FilePart | undefined> {
  return withRegularFile(calls, path, async (file) => {
    // One byte more than wanted tells whether there is more; files of /proc have no size.
    const bytes = await readUpTo(file, { from: 0, length: maxBytes + 1 });
    return { bytes: bytes.subarray(0, maxBytes), head: bytes.subarray(0, 3), from: 0, cut: bytes.length > maxBytes };
  });
}

export async function readEnd(calls: FileCalls, path: string, maxBytes: number): Promise<FilePart | undefined> {
  return withRegularFile(calls, path, async (file, size) => {
    // Even, so that a character of two bytes is never read by halves.
    const wanted = Math.max(0, size - maxBytes);
    const from = wanted + (wanted % 2);
    const head = await readUpTo(file, { from: 0, length: 3 });
    const length = Math.min(maxBytes, size - from);
    return { bytes: await readUpTo(file, { from, length, firstPiece: length }), head, from, cut: from > 0 };
  });
}

async function withRegularFile(
  calls: FileCalls,
  path: string,
  read: (file: OpenFile, size: number) => Promise<FilePart>,
): Promise<FilePart | undefined> {
  const file = await calls.open(path);
  try {
    const stats = await file.stat();
    return stats.isFile() ? await read(file, stats.size) : undefined;
  } finally {
    await file.close();
  }
}

interface Wanted {
  readonly from: number;
  readonly length: number;
  /** Not more than a page for the usual small file; all of it where its size is known. */
  readonly firstPiece?: number;
}

async function readUpTo(file: OpenFile, { from, length, firstPiece = 4096 }: Wanted): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(Math.min(length, firstPiece));
  let filled = 0;
  while (filled < length) {
    if (filled === buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(length, buffer.length * 4));
      buffer.copy(larger);
      buffer = larger;
    }
    const read = await file.read(buffer.subarray(filled), from + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}
