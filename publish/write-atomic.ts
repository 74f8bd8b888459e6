import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Several builds may run at once (tests, `npm start`): a reader sees the old file or the whole new one. Into a device or a pipe, such as
 * /dev/null, it is written as it is: a file in its place would break the system that needs it.
 */
export async function writeAtomic(path: string, content: Uint8Array | string, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (await isDevice(path)) {
    await writeFile(path, content);
    return;
  }
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, content);
  await chmod(temporary, mode);
  await rename(temporary, path);
}

async function isDevice(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && (found.isCharacterDevice() || found.isFIFO() || found.isBlockDevice());
}
