import AdmZip from "adm-zip";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, deflateRaw } from "node:zlib";
import { sha256 } from "./digest.ts";
import type { PackageFile } from "./package-file.ts";
import { cacheFolder } from "./project.ts";
import { writeAtomic } from "./write-atomic.ts";

const deflate = promisify(deflateRaw);
const madeByUnix = 0x0314;
const regularFile = 0o100000;
/** Compressing the runtimes takes most of a build and they rarely change. */
const cacheFromBytes = 8 * 1024 * 1024;

/**
 * The zip of these files; the same files give the same bytes on every machine that runs the same Node: fixed times,
 * given order, Unix modes also when built on Windows.
 */
export async function packZip(files: readonly PackageFile[], cache = cacheFolder): Promise<Buffer> {
  // adm-zip sorts by locale unless told not to.
  const zip = new AdmZip(undefined, { noSort: true });
  const compressed = await Promise.all(files.map(({ content }) => compress(content, cache)));
  files.forEach((file, index) => {
    const entry = zip.addFile(file.name, file.content);
    entry.header.made = madeByUnix;
    entry.header.attr = ((regularFile | file.mode) << 16) >>> 0;
    // A zip entry holds local time without a zone: the same wall clock everywhere gives the same bytes.
    Object.assign(entry.header, { time: new Date(1980, 0, 1) });
    // adm-zip compresses at level 6 and cannot be told otherwise; it takes what the entry hands it.
    const data = compressed[index] ?? Buffer.alloc(0);
    entry.getCompressedData = () => {
      entry.header.compressedSize = data.length;
      return data;
    };
  });
  return zip.toBuffer();
}

async function compress(content: Buffer, cache: string): Promise<Buffer> {
  const cached = join(cache, "deflated", `${sha256(content)}-9-${process.versions.zlib}`);
  if (content.length >= cacheFromBytes) {
    const known = await readFile(cached).catch(() => undefined);
    if (known !== undefined) return known;
  }
  const data = await deflate(content, { level: constants.Z_BEST_COMPRESSION });
  if (content.length >= cacheFromBytes) await writeAtomic(cached, data);
  return data;
}
