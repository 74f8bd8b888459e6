import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { errorText, HandlerError } from "../../errors/handler-error.ts";
import { maxBundleFileBytes, maxManifestBytes, parseManifest, sha256, verifyFile, type Bundle } from "./bundle.ts";

/** Reads a file of a bundle; throws checkUnavailable when there is none. */
export type ReadBundleFile = (name: string, maxBytes: number) => Promise<Buffer>;

/**
 * Reads and verifies a bundle's files, whichever way they are reached. `accept` decides on bundle.json first; `verify` compares a file with
 * what it says.
 */
export async function readBundle(
  read: ReadBundleFile,
  source: string,
  accept: (manifest: Buffer) => Promise<void>,
  verify: typeof verifyFile = verifyFile,
): Promise<Bundle> {
  const manifestBytes = await read("bundle.json", maxManifestBytes);
  // Nothing of the content is believed, and nothing else fetched, before this has passed.
  await accept(manifestBytes);
  const manifest = parseManifest(manifestBytes, source);
  const files = new Map<string, Buffer>();
  for (const file of manifest.files) {
    const bytes = await read(file.name, maxBundleFileBytes);
    verify(file, bytes, source);
    files.set(file.name, bytes);
  }
  return {
    manifest,
    get digest() {
      return sha256(manifestBytes);
    },
    manifestBytes,
    files,
  };
}

export function readFromFolder(folder: string): ReadBundleFile {
  return async (name, maxBytes) => {
    const path = join(folder, name);
    try {
      const file = await open(path, "r");
      return await readBounded(file, maxBytes).finally(() => file.close());
    } catch (cause) {
      throw new HandlerError("checkUnavailable", `Cannot read ${path}: ${errorText(cause)}`, { cause });
    }
  };
}

async function readBounded(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > maxBytes) throw new Error(`it has ${String(size)} bytes, allowed are ${String(maxBytes)}`);
  return await file.readFile();
}
