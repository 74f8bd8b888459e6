import { open } from "node:fs/promises";
import type { OlderLinesFilter } from "./evidence-source-age.ts";
import type { FoundFile } from "./evidence-source-files.ts";

export interface StreamRequest {
  readonly file: FoundFile;
  readonly maxBytes: number;
  readonly filter: OlderLinesFilter | undefined;
  /** True once the time for this file has run out. */
  readonly isLate: () => boolean;
  readonly feed: (chunk: Buffer) => void;
}

export interface Streamed {
  readonly bytes: number;
  /** `gap`: the time ran out, and between what was read and the newest end a part was left out. */
  readonly state: "whole" | "end-only" | "gap";
}

const chunkBytes = 256 * 1024;
/** The newest end is read whatever the time: the line that decides is the last one. */
const newestBytes = 1024 * 1024;

/** Streams the newest end of a file through one buffer: the decisive errors stand there, and an attempt's first cause near it. */
export async function streamFile(request: StreamRequest): Promise<Streamed> {
  const { file, maxBytes } = request;
  const handle = await open(file.path, "r");
  try {
    const from = Math.max(0, file.size - maxBytes);
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(1, file.size)));
    let skipToLine = from > 0;
    let bytes = 0;
    let gap = false;
    for (let position = from; position < file.size;) {
      if (!gap && file.size - position > newestBytes && request.isLate()) {
        gap = true;
        position = file.size - newestBytes;
        skipToLine = true;
        request.feed(lineEnd);
      }
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, file.size - position), position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const chunk = buffer.subarray(0, bytesRead);
      const whole = skipToLine ? afterFirstLine(chunk) : chunk;
      if (whole.length > 0) skipToLine = false;
      bytes += feedFiltered(request, whole);
    }
    return { bytes, state: gap ? "gap" : from > 0 ? "end-only" : "whole" };
  } finally {
    await handle.close();
  }
}

/** Ends the line that the gap cut, so that it does not run into the next one. */
const lineEnd = Buffer.from("\n");

function feedFiltered({ filter, feed }: StreamRequest, chunk: Buffer): number {
  const part = filter === undefined ? chunk : filter.pass(chunk);
  if (part.length > 0) feed(part);
  return part.length;
}

function afterFirstLine(chunk: Buffer): Buffer {
  const end = chunk.indexOf(0x0a);
  return end === -1 ? chunk.subarray(chunk.length) : chunk.subarray(end + 1);
}
