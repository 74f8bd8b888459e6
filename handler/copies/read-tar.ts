import { CopyError } from "./copy-error.ts";

/** One entry of a tar; `content` must be read (or skipped by `for await`) before the next entry is asked for. */
export interface TarEntry {
  readonly name: string;
  readonly kind: "file" | "other";
  readonly size: number;
  readonly modifiedMs: number;
  readonly content: AsyncIterable<Buffer>;
}

const blockBytes = 512;
/** Of a name or an extended header; a real one has some hundred bytes. */
const longestHeader = 64 * 1024;

/**
 * The entries of a tar in the formats that GNU tar, bsdtar and Python's tarfile write: ustar, GNU long names, pax paths.
 * Links, devices and sparse files are "other": a reader of logs needs none of them.
 * @throws CopyError when the bytes are no tar, or when it ends too early
 */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry, void, undefined> {
  const bytes = new ByteQueue(chunks);
  let longName: string | undefined;
  for (let header = await nextHeader(bytes); header !== undefined; header = await nextHeader(bytes)) {
    const size = numberAt(header, 124, 12);
    const padding = (blockBytes - (size % blockBytes)) % blockBytes;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "L" || type === "x") {
      longName = nameIn(await takeName(bytes, size, padding), type) ?? longName;
      continue;
    }
    if (type === "S") await skipSparseMap(bytes, header);
    const left = { bytes: size + padding };
    const name = longName ?? shortName(header);
    // The oldest format gives a folder the type of a file, and a name that ends in "/".
    const isFile = plainFile.has(type) && !name.endsWith("/");
    yield {
      name,
      kind: isFile ? "file" : "other",
      size,
      modifiedMs: modifiedAt(header),
      content: contentOf(bytes, size, left),
    };
    longName = undefined;
    await bytes.skip(left);
  }
}

/** The type of a file by today's format, by the oldest one, and of a contiguous file. */
const plainFile: ReadonlySet<string> = new Set(["0", "\0", "7"]);

/** GNU's sparse file: where its pieces lie stands in the header, and, for more than four, in blocks behind it. */
async function skipSparseMap(bytes: ByteQueue, header: Buffer): Promise<void> {
  for (let goesOn = header[482] === 1; goesOn;) {
    const map = await bytes.take(blockBytes);
    goesOn = map[504] === 1;
  }
}

/** Undefined at the end: two empty blocks end a tar, and some writers leave them out. */
async function nextHeader(bytes: ByteQueue): Promise<Buffer | undefined> {
  const header = await bytes.take(blockBytes);
  if (header.every((byte) => byte === 0)) return undefined;
  if (header.length < blockBytes) throw new CopyError("it ends in the middle of a header");
  if (!checksumFits(header)) throw new CopyError("it is no tar, or it is damaged");
  return header;
}

async function takeName(bytes: ByteQueue, size: number, padding: number): Promise<string> {
  if (size > longestHeader) throw new CopyError(`a name in it has ${String(size)} bytes`);
  return (await bytes.take(size + padding)).subarray(0, size).toString("utf8");
}

/** GNU's long name, or the path among the records of a pax header. */
function nameIn(text: string, type: "L" | "x"): string | undefined {
  return type === "L" ? untilZero(text) : paxPath(text);
}

interface Left {
  /** Of content and padding, what nobody has read yet. */
  bytes: number;
}

async function* contentOf(queue: ByteQueue, size: number, left: Left): AsyncGenerator<Buffer, void, undefined> {
  for (let rest = size; rest > 0;) {
    const part = await queue.some(rest);
    if (part.length === 0) throw new CopyError("it ends in the middle of a file");
    rest -= part.length;
    left.bytes -= part.length;
    yield part;
  }
}

/** Bytes of a stream in pieces of the reader's choice. */
class ByteQueue {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** At most `most` bytes; none at the end of the stream. */
  async some(most: number): Promise<Buffer> {
    if (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return this.#rest;
      this.#rest = next.value;
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  /** Exactly `count` bytes; fewer at the end of the stream. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0;) {
      const part = await this.some(missing);
      if (part.length === 0) break;
      missing -= part.length;
      parts.push(part);
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  async skip(left: Left): Promise<void> {
    while (left.bytes > 0) {
      const part = await this.some(left.bytes);
      if (part.length === 0) return;
      left.bytes -= part.length;
    }
  }
}

/** The sum of all bytes of the header, its own field as blanks. */
function checksumFits(header: Buffer): boolean {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  return sum === numberAt(header, 148, 8);
}

/** Octal digits, or (first bit set) a binary number; one that is larger than any log is as good as none. */
function numberAt(header: Buffer, at: number, length: number): number {
  const field = header.subarray(at, at + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    const value = field.subarray(1).reduce((number, byte) => number * 256 + byte, 0);
    if (!Number.isSafeInteger(value)) throw new CopyError("it is damaged: a size in it is too large");
    return value;
  }
  return Number.parseInt(untilZero(field.toString("latin1")).trim() || "0", 8) || 0;
}

/** A time before 1970 is a negative number, and no reason to read no further. */
function modifiedAt(header: Buffer): number {
  return ((header[136] ?? 0) & 0xc0) === 0xc0 ? 0 : numberAt(header, 136, 12) * 1000;
}

function shortName(header: Buffer): string {
  const name = untilZero(header.subarray(0, 100).toString("utf8"));
  const isUstar = header.subarray(257, 262).toString("latin1") === "ustar" && header[262] === 0;
  const prefix = isUstar ? untilZero(header.subarray(345, 500).toString("utf8")) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** "27 path=var/log/messages\n" among the records of an extended header. */
function paxPath(records: string): string | undefined {
  return /^\d+ path=(?<path>[^\n]+)$/mu.exec(records)?.groups?.["path"];
}

function untilZero(text: string): string {
  const end = text.indexOf("\0");
  return end === -1 ? text : text.slice(0, end);
}
