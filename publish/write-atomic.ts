import { randomUUID } from "node:crypto";
import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Several builds may run at once (tests, `npm start`): a reader sees the old file or the whole new one. */
export async function writeAtomic(path: string, content: Uint8Array | string, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, content);
  await chmod(temporary, mode);
  await rename(temporary, path);
}
