import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { crc32, createInflateRaw } from "node:zlib";
import type AdmZip from "adm-zip";
import { errorText } from "../errors/handler-error.ts";
import { CopyError } from "./copy-error.ts";
import { LimitReached, mebibytes, type ArchiveLimits, type EntryWriter } from "./entry-writer.ts";

const unixLink = 0o120000;
const unixType = 0o170000;
/** Methods of APPNOTE.TXT 4.4.5; others are as rare as an encrypted entry. */
const stored = 0;
const deflated = 8;

/** adm-zip reads the directory and finds the compressed bytes; an entry is inflated in pieces, never as a whole in memory. */
export async function unpackZip(path: string, writer: EntryWriter, { zipBytes }: ArchiveLimits): Promise<void> {
  const { default: Zip } = await import("adm-zip");
  const { size: bytes } = await stat(path);
  if (bytes > zipBytes) {
    throw new CopyError(
      `it has ${mebibytes(bytes)}, and a zip may have ${mebibytes(zipBytes)} at most. Next: Run "unzip ${basename(path)}" in an empty folder, and name that folder`,
    );
  }
  for (const entry of new Zip(await readFile(path)).getEntries()) {
    if (entry.isDirectory) continue;
    if (!(await unpackEntry(entry, writer))) return;
  }
}

/** False when no more may be unpacked. Each entry stands for itself: one that is damaged, encrypted or too large costs no other. */
async function unpackEntry(entry: AdmZip.IZipEntry, writer: EntryWriter): Promise<boolean> {
  const { size, time } = entry.header;
  const isLink = ((entry.attr >>> 16) & unixType) === unixLink;
  const { bytes: left } = writer.left();
  if (!isLink && size > left) {
    writer.leaveOut(
      `one has ${String(size)} bytes, more than may be unpacked: ${String(left)} bytes are left of what an archive may hold`,
    );
    return true;
  }
  try {
    return await writer.put({
      name: entry.entryName,
      kind: isLink ? "other" : "file",
      size,
      modifiedMs: time.getTime(),
      chunks: isLink ? [] : writer.counted(contentOf(entry)),
      ifDamaged: "remove",
    });
  } catch (error) {
    if (error instanceof LimitReached || !isOfEntry(error)) throw error;
    writer.leaveOut(errorText(error));
    return true;
  }
}

/**
 * The bytes of one entry, as many as it declares and no more.
 * @throws CopyError, or an error of adm-zip or zlib, for an entry that is damaged or cannot be read
 */
async function* contentOf(entry: AdmZip.IZipEntry): AsyncGenerator<Buffer, void, undefined> {
  const { size, crc, flags } = entry.header;
  if ((flags & 1) === 1) throw new CopyError("it is encrypted");
  let bytes = 0;
  let sum = 0;
  for await (const chunk of inflated(entry)) {
    bytes += chunk.length;
    if (bytes > size) throw new CopyError("it holds more than it declares");
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (bytes < size || sum !== crc) throw new CopyError("it is damaged: its checksum is wrong");
}

async function* inflated(entry: AdmZip.IZipEntry): AsyncGenerator<Buffer, void, undefined> {
  const { method } = entry.header;
  const packed = entry.getCompressedData();
  if (method === stored) {
    yield packed;
    return;
  }
  if (method !== deflated) throw new CopyError(`it is compressed by method ${String(method)}, which is not read`);
  const stream = createInflateRaw({ chunkSize: 64 * 1024 });
  stream.end(packed);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) yield chunk;
  } finally {
    stream.destroy();
  }
}

/** Of the bytes of the entry, not of this machine's disk. */
function isOfEntry(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code === "" || code.startsWith("Z_") || code.startsWith("ERR_");
}
