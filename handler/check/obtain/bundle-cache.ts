import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bundle } from "./bundle.ts";
import { readFromFolder } from "./read-bundle.ts";
import type { BundleSource } from "./download-bundle.ts";

const keptBundles = 4;

/** Bundles downloaded earlier, one folder per digest; read with the same verification as a download. */
export async function cachedSources(folder: string, digest: string | undefined): Promise<readonly BundleSource[]> {
  const names = await digestsIn(folder);
  return names
    .filter((name) => digest === undefined || name === digest)
    .map((name) => ({ description: `the cache (${name.slice(0, 12)})`, read: readFromFolder(join(folder, name)) }));
}

/** Keeps a verified bundle for the next boot, when the network may be gone. Without space there is simply no cache. */
export async function cacheBundle(folder: string, bundle: Bundle, signature: Uint8Array | undefined): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const others = (await digestsIn(folder)).filter((name) => name !== bundle.digest);
    for (const name of others.slice(keptBundles - 1)) await rm(join(folder, name), { recursive: true, force: true });
    const fresh = await mkdtemp(join(folder, "new-"));
    await writeFile(join(fresh, "bundle.json"), bundle.manifestBytes, { mode: 0o600 });
    if (signature !== undefined) await writeFile(join(fresh, "bundle.json.sig"), signature, { mode: 0o600 });
    for (const [name, bytes] of bundle.files) await writeFile(join(fresh, name), bytes, { mode: 0o600 });
    await rm(join(folder, bundle.digest), { recursive: true, force: true });
    await rename(fresh, join(folder, bundle.digest));
  } catch {
    await removeUnfinished(folder);
  }
}

async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((candidate) => candidate.startsWith("new-"))) {
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function digestsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^[\da-f]{64}$/u.test(name)).sort();
}
