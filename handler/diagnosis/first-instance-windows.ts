import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

const log = "Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log";
const mark = Buffer.from("Instance id: ");
/** A line up to the end of the id; the bytes around a cut between two chunks. */
const reach = 400;
const chunkBytes = 1024 * 1024;

/**
 * When cloudbase-init first ran for the instance that this machine is now, by the log's own local time: the log of a disk that was
 * copied from another machine names that one's instance first. Undefined where it names one instance alone, or none.
 */
export async function sinceThisInstance(root: string): Promise<Date | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(join(root, log), "r");
    return await readInstances(file);
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

/** Through one buffer: cloudbase-init's log may hold megabytes, and a failure is told only when they are read. */
async function readInstances(file: FileHandle): Promise<Date | undefined> {
  let current: { readonly id: string; readonly since: number } | undefined;
  let hasChanged = false;
  const buffer = Buffer.allocUnsafe(reach + chunkBytes);
  for (let kept = 0; ;) {
    const { bytesRead } = await file.read(buffer, kept, chunkBytes, null);
    if (bytesRead === 0) break;
    const bytes = buffer.subarray(0, kept + bytesRead);
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
      const run = readRun(bytes, at);
      if (run === undefined || run.id === current?.id) continue;
      hasChanged ||= current !== undefined;
      current = run;
    }
    kept = Math.min(reach, bytes.length);
    bytes.copyWithin(0, bytes.length - kept);
  }
  return hasChanged && current !== undefined ? new Date(current.since) : undefined;
}

/** "2026-01-31 12:01:10.310 1840 DEBUG cloudbaseinit.init [-] Instance id: 8f1e2d3c configure_host …"; a cut one is read with the next chunk. */
function readRun(bytes: Buffer, at: number): { readonly id: string; readonly since: number } | undefined {
  const before = bytes.toString("utf8", Math.max(0, at - reach / 2), at);
  const date = /(?:^|\n)(?<day>\d{4}-\d\d-\d\d) (?<time>\d\d:\d\d:\d\d)[^\n]*$/u.exec(before)?.groups;
  const id = /^(?<id>\S{1,100})\s/u.exec(bytes.toString("utf8", at + mark.length, at + reach / 2))?.groups?.["id"];
  const since = Date.parse(`${date?.["day"] ?? ""}T${date?.["time"] ?? ""}Z`);
  return id === undefined || Number.isNaN(since) ? undefined : { id, since };
}
