import { watch } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import type { Host } from "../../host.ts";

const fastMs = 20;
const slowMs = 1000;
/** Growth between two looks from which on the file is looked at quickly. */
const burstBytes = 1024 * 1024;
const keptBytes = 1024 * 1024;

export interface OutputLimit {
  readonly host: Pick<Host, "sleep">;
  readonly files: readonly string[];
  readonly maxBytes: number;
  /** Ends the watch. */
  readonly done: AbortSignal;
}

/**
 * Resolves when the files together hold more than `maxBytes`; never, when `done` comes first. A resource limit of the
 * shell would stop every file the command writes, not just its output. A file event starts quick looks (20 ms), so that a
 * flood of a gigabyte per second overshoots by little, and a quiet command costs one look per second.
 */
export async function exceedsOutputLimit(limit: OutputLimit): Promise<void> {
  let before = 0;
  let pause = fastMs;
  // Most runs of a check are over by then and cost nothing here.
  await limit.host.sleep(fastMs, limit.done);
  while (!limit.done.aborted) {
    const size = await totalSize(limit.files);
    if (size > limit.maxBytes) return;
    pause = size - before > burstBytes ? fastMs : Math.min(pause * 2, slowMs);
    before = size;
    await pauseOrWrite(limit, pause);
  }
  await new Promise<never>(() => undefined);
}

async function totalSize(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file).catch(() => undefined))?.size ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Waits `pause`, or `fastMs` after the next write. One event is enough: the watch is dropped at once and costs nothing in a flood. */
async function pauseOrWrite(limit: OutputLimit, pause: number): Promise<void> {
  const written = new AbortController();
  const watchers = pause <= fastMs ? [] : limit.files.flatMap((file) => watchOnce(file, written));
  try {
    await limit.host.sleep(pause, AbortSignal.any([written.signal, limit.done]));
    if (written.signal.aborted) await limit.host.sleep(fastMs, limit.done);
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

function watchOnce(file: string, written: AbortController) {
  try {
    const watcher = watch(file, { persistent: false }, () => {
      watcher.close();
      written.abort();
    });
    watcher.on("error", () => undefined);
    return [watcher];
  } catch {
    // No inotify watch left: the slow look remains.
    return [];
  }
}

/** Keeps the end of a file that has grown too large, and gives the disk space back. */
export async function keepEndOf(file: string): Promise<void> {
  const { size } = await stat(file);
  if (size <= keptBytes) return;
  const end = Buffer.alloc(keptBytes);
  const source = await open(file, "r");
  try {
    await source.read(end, 0, keptBytes, size - keptBytes);
  } finally {
    await source.close();
  }
  // The space is freed first: the disk may be full.
  await rm(file, { force: true });
  const target = await open(`${file}.end`, "w", 0o600);
  try {
    await target.writeFile(end);
  } finally {
    await target.close();
  }
  await rename(`${file}.end`, file);
}
