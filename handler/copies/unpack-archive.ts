import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { errorText } from "../errors/handler-error.ts";
import { CopyError } from "./copy-error.ts";
import { EntryWriter, LimitReached, type ArchiveLimits } from "./entry-writer.ts";
import { readTar } from "./read-tar.ts";
import { unpackZip } from "./unpack-zip.ts";

const archiveLimits: ArchiveLimits = {
  bytes: 1024 * 1024 * 1024,
  entries: 50_000,
  zipBytes: 256 * 1024 * 1024,
};

/** `gz`: a single log, compressed by itself. */
export type ArchiveKind = "tar" | "tar.gz" | "tar.zst" | "zip" | "gz";

export interface Unpacked {
  readonly files: number;
  /** Sentences on what was not unpacked. */
  readonly notes: readonly string[];
  /** What the archives in this one may still cost. */
  readonly left: ArchiveLimits;
}

/** What the first bytes of a file say of it; undefined for what is no archive. */
export async function archiveKind(path: string): Promise<ArchiveKind | "tar.xz" | "tar.bz2" | undefined> {
  const handle = await open(path, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0);
    const head = buffer.subarray(0, bytesRead);
    const begins = (hex: string) => head.subarray(0, hex.length / 2).toString("hex") === hex;
    if (begins("1f8b")) return /(?<!\.tar)\.gz$/iu.test(path) ? "gz" : "tar.gz";
    if (begins("504b0304") || begins("504b0506")) return "zip";
    if (begins("28b52ffd")) return "tar.zst";
    if (begins("fd377a585a00")) return "tar.xz";
    if (begins("425a68")) return "tar.bz2";
    return head.subarray(257, 262).toString("latin1") === "ustar" ? "tar" : undefined;
  } finally {
    await handle.close();
  }
}

/**
 * Unpacks the plain files of an archive below `folder`, which is empty and nobody else's. Names that lead out of it, links and
 * devices are left out, so nothing is ever written, or read later, in another place.
 * @throws CopyError when it is damaged, or of a kind that is not read
 */
export async function unpackArchive(
  path: string,
  {
    kind,
    folder,
    limits = archiveLimits,
  }: { readonly kind: ArchiveKind; readonly folder: string; readonly limits?: ArchiveLimits },
): Promise<Unpacked> {
  const writer = new EntryWriter(folder, limits);
  try {
    if (kind === "zip") await unpackZip(path, writer, limits);
    else if (kind === "gz") await unpackLog(path, writer);
    else await unpackTar(path, kind, writer);
  } catch (error) {
    if (writer.files === 0 || !isDamage(error)) throw asCopyError(error);
    // Logs of a broken machine come in broken archives: what stands before the damage is still worth reading.
    writer.note(
      error instanceof LimitReached
        ? error.message
        : `the archive is damaged, and what stands behind the damage was not read: ${errorText(error)}`,
    );
  }
  return { files: writer.files, notes: writer.notes(), left: writer.left() };
}

type Tar = Exclude<ArchiveKind, "zip" | "gz">;

async function unpackLog(path: string, writer: EntryWriter): Promise<void> {
  const file = createReadStream(path);
  const bytes = decompressed(file, "tar.gz");
  try {
    const { mtimeMs: modifiedMs, size } = await stat(path);
    const name = basename(path).replace(/\.gz$/iu, "");
    await writer.put({
      name,
      kind: "file",
      size,
      modifiedMs,
      chunks: writer.counted(bytes),
      ifDamaged: "keep-beginning",
    });
  } finally {
    file.destroy();
    bytes.destroy();
  }
}

async function unpackTar(path: string, kind: Tar, writer: EntryWriter): Promise<void> {
  const file = createReadStream(path);
  const bytes = decompressed(file, kind);
  try {
    for await (const entry of readTar(writer.counted(bytes))) {
      const go = await writer.put({ ...entry, chunks: entry.content, ifDamaged: "keep-beginning" });
      if (!go) return;
    }
  } finally {
    file.destroy();
    bytes.destroy();
  }
}

function decompressed(file: Readable, kind: Tar): Readable {
  switch (kind) {
    case "tar":
      return file;
    case "tar.gz":
    case "tar.zst": {
      const through = kind === "tar.gz" ? createGunzip() : createZstdDecompress();
      file.on("error", (error) => through.destroy(error));
      return file.pipe(through);
    }
  }
}

/** Of the archive, not of this machine's disk. */
function isDamage(error: unknown): boolean {
  if (error instanceof CopyError) return true;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code === "" || code.startsWith("Z_") || code.startsWith("ZSTD_") || code.startsWith("ERR_");
}

function asCopyError(error: unknown): CopyError {
  return error instanceof CopyError ? error : new CopyError(errorText(error), { cause: error });
}
