import { createReadStream } from "node:fs";
import { mkdir, open, readFile, stat, utimes, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import type AdmZip from "adm-zip";
import { errorText } from "../errors/handler-error.ts";
import { CopyError } from "./copy-error.ts";
import { entryPath } from "./entry-path.ts";
import { readTar } from "./read-tar.ts";

/** What an archive may cost; one that holds more is read as far as this goes, and the report says so. */
export interface ArchiveLimits {
  /** Unpacked, files that are skipped among them: what is counted is what must be decompressed. */
  readonly bytes: number;
  readonly entries: number;
  /** A zip is read into memory as a whole. */
  readonly zipBytes: number;
}

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
    writer.note(`the archive is damaged, and what stands behind the damage was not read: ${errorText(error)}`);
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
    await writer.put({ name, kind: "file", size, modifiedMs, chunks: writer.counted(bytes) });
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
      const go = await writer.put({ ...entry, chunks: entry.content });
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

const unixLink = 0o120000;
const unixType = 0o170000;

async function unpackZip(path: string, writer: EntryWriter, limits: ArchiveLimits): Promise<void> {
  const { default: Zip } = await import("adm-zip");
  const { size: zipBytes } = await stat(path);
  if (zipBytes > limits.zipBytes) {
    throw new CopyError(`it has ${String(zipBytes)} bytes, and a zip may have ${String(limits.zipBytes)}`);
  }
  for (const entry of new Zip(await readFile(path)).getEntries()) {
    if (entry.isDirectory) continue;
    const { size, time } = entry.header;
    const isLink = ((entry.attr >>> 16) & unixType) === unixLink;
    const chunks = isLink ? [] : inflated(entry, writer);
    if (chunks === undefined) continue;
    const kind = isLink ? "other" : "file";
    const go = await writer.put({ name: entry.entryName, kind, size, modifiedMs: time.getTime(), chunks });
    if (!go) return;
  }
}

/** Undefined for an entry that is damaged, encrypted or too large: each stands for itself, so it costs no other. */
function inflated(entry: AdmZip.IZipEntry, writer: EntryWriter): readonly Buffer[] | undefined {
  const { size } = entry.header;
  if (size > writer.left().bytes) {
    writer.leaveOut(`one has ${String(size)} bytes, more than may be unpacked`);
    return undefined;
  }
  // adm-zip inflates no more than the size that the entry declares, so this bound holds for one that lies, too. The work for one that
  // turns out to be damaged counts as well.
  writer.count(size);
  try {
    return [entry.getData()];
  } catch (error) {
    writer.leaveOut(errorText(error));
    return undefined;
  }
}

interface WrittenEntry {
  readonly name: string;
  readonly kind: "file" | "other";
  readonly size: number;
  readonly modifiedMs: number;
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>;
}

class EntryWriter {
  files = 0;
  readonly #folder: string;
  readonly #limits: ArchiveLimits;
  readonly #notes: string[] = [];
  #bytes = 0;
  #entries = 0;
  #outside = 0;
  readonly #unreadable: string[] = [];

  constructor(folder: string, limits: ArchiveLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  left(): ArchiveLimits {
    const { bytes, entries, zipBytes } = this.#limits;
    return { bytes: Math.max(0, bytes - this.#bytes), entries: Math.max(0, entries - this.#entries), zipBytes };
  }

  count(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Ends the stream at the limit, whatever the sizes in the archive say. */
  async *counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      if (this.#bytes > this.#limits.bytes) throw new LimitReached(this.#limits);
      yield chunk;
    }
  }

  /** False when no more may be unpacked. */
  async put(entry: WrittenEntry): Promise<boolean> {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries) {
      this.note(new LimitReached(this.#limits).message);
      return false;
    }
    const parts = entry.kind === "file" ? entryPath(entry.name) : [];
    if (parts === undefined) this.#outside += 1;
    if (parts === undefined || parts.length === 0) return true;
    await this.#write(join(this.#folder, ...parts), entry, entry.chunks);
    return true;
  }

  async #write(
    path: string,
    { modifiedMs }: WrittenEntry,
    chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): Promise<void> {
    const file = await openNew(path);
    // A name that came before, or a file where a folder should be: the first one stays.
    if (file === undefined) return;
    try {
      this.files += 1;
      for await (const chunk of chunks) await file.write(chunk);
    } finally {
      await file.close();
      const seconds = Math.max(0, Math.min(modifiedMs / 1000, 0xffff_ffff));
      await utimes(path, seconds, seconds).catch(() => undefined);
    }
  }

  /** `why`: the first one's is told. */
  leaveOut(why: string): void {
    this.#unreadable.push(why);
  }

  note(note: string): void {
    this.#notes.push(note);
  }

  notes(): readonly string[] {
    const outside =
      this.#outside === 0
        ? []
        : [
            `${String(this.#outside)} entries of the archive were left out: their names lead out of it, or are too long`,
          ];
    const [why] = this.#unreadable;
    const count = String(this.#unreadable.length);
    const unreadable = why === undefined ? [] : [`${count} entries of the archive could not be unpacked: ${why}`];
    return [...this.#notes, ...outside, ...unreadable];
  }
}

async function openNew(path: string): Promise<FileHandle | undefined> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await open(path, "wx", 0o600);
  } catch (error) {
    if (
      error instanceof Error &&
      "code" in error &&
      ["EEXIST", "ENOTDIR", "EISDIR", "ENAMETOOLONG"].includes(String(error.code))
    )
      return undefined;
    throw error;
  }
}

class LimitReached extends CopyError {
  constructor({ bytes, entries }: ArchiveLimits) {
    super(
      `the archive holds more than ${String(Math.round(bytes / 1024 / 1024))} MiB or ${String(entries)} entries; the rest was not read`,
    );
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
