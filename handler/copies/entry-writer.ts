import { mkdir, open, rm, utimes, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CopyError } from "./copy-error.ts";
import { entryPath } from "./entry-path.ts";

/** What an archive may cost; one that holds more is read as far as this goes, and the report says so. */
export interface ArchiveLimits {
  /** Unpacked, files that are skipped among them: what is counted is what must be decompressed. */
  readonly bytes: number;
  readonly entries: number;
  /** A zip is read into memory as it is, compressed; what is in it is not. */
  readonly zipBytes: number;
}

export interface WrittenEntry {
  readonly name: string;
  readonly kind: "file" | "other";
  readonly size: number;
  readonly modifiedMs: number;
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>;
  /** Where the entry turns out to be damaged: what stands before the damage stays, or nothing does. */
  readonly ifDamaged: "keep-beginning" | "remove";
}

/** Writes the files of an archive below a folder, within its limits, and keeps what is to be said of the others. */
export class EntryWriter {
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
    await this.#write(join(this.#folder, ...parts), entry);
    return true;
  }

  async #write(path: string, { modifiedMs, chunks, ifDamaged }: WrittenEntry): Promise<void> {
    const file = await openNew(path);
    // A name that came before, or a file where a folder should be: the first one stays.
    if (file === undefined) return;
    this.files += 1;
    try {
      for await (const chunk of chunks) await file.write(chunk);
    } catch (error) {
      if (ifDamaged === "remove") {
        this.files -= 1;
        await rm(path, { force: true });
      }
      throw error;
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

export class LimitReached extends CopyError {
  constructor({ bytes, entries }: ArchiveLimits) {
    super(`the archive holds more than ${mebibytes(bytes)} or ${String(entries)} entries; the rest was not read`);
  }
}

/** `1024 MiB`; below one MiB the bytes. */
export function mebibytes(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes < mebibyte ? `${String(bytes)} bytes` : `${String(Math.round(bytes / mebibyte))} MiB`;
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
