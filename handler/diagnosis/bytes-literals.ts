import { TextStream } from "../text/decode-text.ts";

/**
 * Turns the literals of Python's bytes in a log (`b'first\r\nsecond'`, `b"…"`, also one that is cut) into the lines that they stand
 * for. cloudbase-init logs all that the user data printed in this form, as one line that can have megabytes; read as lines, every rule
 * and every nearness of lines means the same there as in a plain log. A literal without a line end stays as it is.
 */
export class BytesLiterals {
  readonly #out: (bytes: Buffer) => void;
  readonly #lineNow: () => number;
  /** Lines of the log that were made of one line of the file: the first of them, and how many came after it. */
  readonly #made: { readonly from: number; count: number }[] = [];
  /** The quote of the literal that is read now. */
  #quote: number | undefined;
  /** The last bytes of a chunk that could not be told alone: half an escape, or a `b` that may begin a literal. */
  #carry: Buffer = Buffer.alloc(0);
  #room: Buffer = Buffer.alloc(0);
  /** The last byte before the carry; a literal does not begin within a word. */
  #before = lineFeed;
  /** Nothing follows what is read now. */
  #isLast = false;
  /** Decodes the literal's bytes, as programs of Windows also print UTF-16; undefined before the first of them. */
  #stream: TextStream | undefined;

  /** `lineNow`: number of the line that the next byte given to `out` belongs to. */
  constructor(out: (bytes: Buffer) => void, lineNow: () => number) {
    this.#out = out;
    this.#lineNow = lineNow;
  }

  /** The chunk may be used again afterwards. */
  feed(chunk: Buffer): void {
    this.#read(this.#carry.length > 0 ? Buffer.concat([this.#carry, chunk]) : chunk);
  }

  /** Gives out what the end of the log leaves unfinished. */
  end(): void {
    this.#isLast = true;
    this.#read(this.#carry);
  }

  #read(bytes: Buffer): void {
    this.#carry = Buffer.alloc(0);
    for (let at = 0; at < bytes.length;) {
      at = this.#quote === undefined ? this.#plain(bytes, at) : this.#literal(bytes, at, this.#quote);
    }
  }

  /** The line of the file in which a line of the log stands. */
  fileLine(line: number): number {
    let behind = 0;
    for (const { from, count } of this.#made) {
      if (from >= line) break;
      behind += Math.min(count, line - from);
    }
    return line - behind;
  }

  /** Passes on what is before the next literal; returns where to go on. */
  #plain(bytes: Buffer, from: number): number {
    const start = this.#made.length < mostLiterals ? this.#nextLiteral(bytes, from) : undefined;
    if (start === undefined) return this.#give(bytes, from, bytes.length);
    if (start.kind === "undecided") {
      this.#give(bytes, from, start.at);
      this.#carry = Buffer.from(bytes.subarray(start.at));
      return bytes.length;
    }
    this.#give(bytes, from, start.at);
    this.#made.push({ from: this.#lineNow(), count: 1 });
    this.#out(lineEnd);
    this.#quote = start.quote;
    this.#stream = undefined;
    this.#before = lineFeed;
    return start.at + 2;
  }

  #nextLiteral(bytes: Buffer, from: number): Start | undefined {
    for (let at = bytes.indexOf(letterB, from); at !== -1; at = bytes.indexOf(letterB, at + 1)) {
      const before = at === from ? this.#before : (bytes[at - 1] ?? 0);
      if (isWord(before)) continue;
      const quote = bytes[at + 1];
      if (quote === undefined) return this.#isLast ? undefined : { kind: "undecided", at };
      if (quote !== single && quote !== double) continue;
      const found = holdsLineEnd(bytes, at + 2, quote);
      if (found === "yes") return { kind: "literal", at, quote };
      if (found === "not-told" && !this.#isLast) return { kind: "undecided", at };
    }
    return undefined;
  }

  #give(bytes: Buffer, from: number, to: number): number {
    if (to > from) {
      this.#out(bytes.subarray(from, to));
      this.#before = bytes[to - 1] ?? lineFeed;
    }
    return to;
  }

  /** Unescapes up to the literal's end, or the chunk's. */
  #literal(bytes: Buffer, from: number, quote: number): number {
    const lines = this.#roomFor(bytes.length - from);
    let size = 0;
    let ends = 0;
    let at = from;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      if (byte === quote || byte === lineFeed) break;
      // Of megabytes, most bytes stand for themselves.
      const escape = byte === backslash ? readEscape(bytes, at, this.#isLast) : 0;
      if (escape === undecided) break;
      const meant = escape === 0 ? byte : escape & byteMask;
      if (meant === lineFeed) ends += 1;
      lines[size++] = meant;
      at += escape === 0 ? 1 : escape >> lengthShift;
    }
    if (this.#saysTooLittle(bytes, from, at)) return bytes.length;
    this.#giveDecoded(lines.subarray(0, size), ends);
    return this.#endOfPart(bytes, at, quote);
  }

  /** The beginning of a literal that the chunk's end cuts too early to tell its encoding is read with the next chunk. */
  #saysTooLittle(bytes: Buffer, from: number, at: number): boolean {
    const isEnded = at < bytes.length && bytes[at] !== backslash;
    if (this.#stream !== undefined || isEnded || at - from >= toTellEncoding || this.#isLast) return false;
    this.#carry = Buffer.from(bytes.subarray(from));
    return true;
  }

  #giveDecoded(part: Buffer, ends: number): void {
    const last = this.#made.at(-1);
    if (last !== undefined) last.count += ends;
    if (part.length === 0) return;
    this.#stream ??= new TextStream();
    const utf8 = this.#stream.toUtf8(part);
    this.#out(Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength));
  }

  /** The same place for each part: who takes it copies what is kept. */
  #roomFor(size: number): Buffer {
    if (this.#room.length < size) this.#room = Buffer.allocUnsafe(size);
    return this.#room;
  }

  #endOfPart(bytes: Buffer, at: number, quote: number): number {
    if (at >= bytes.length) return at;
    if (bytes[at] === backslash) {
      this.#carry = Buffer.from(bytes.subarray(at));
      return bytes.length;
    }
    this.#quote = undefined;
    // The line end of a cut literal ends its line, too.
    return bytes[at] === quote ? at + 1 : at;
  }
}

type Start =
  | { readonly kind: "literal"; readonly at: number; readonly quote: number }
  /** Only what follows the chunk tells. */
  | { readonly kind: "undecided"; readonly at: number };

/** A hostile log of nothing but literals must not fill the memory; those after these stay as they are written. */
const mostLiterals = 10_000;
/** A literal whose first line is longer is taken as one of many lines without looking for its end. */
const longestSearch = 8192;

/** Bytes of the log from which on the beginning of a literal tells its encoding. */
const toTellEncoding = 64;

const lineFeed = 0x0a;
const single = 0x27;
const double = 0x22;
const backslash = 0x5c;
const letterB = 0x62;
const lineEnd = Buffer.from("\n");

/** Does a line end follow before the literal's own end? */
function holdsLineEnd(bytes: Buffer, from: number, quote: number): "yes" | "no" | "not-told" {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote || byte === lineFeed) return "no";
    if (at - from > longestSearch) return "yes";
    if (byte !== backslash) continue;
    const escaped = bytes[at + 1];
    if (escaped === 0x6e || escaped === 0x72) return "yes";
    at += 1;
  }
  return "not-told";
}

/** What an escape stands for and how many bytes it has, in one number: megabytes hold a hundred thousand of them. */
const lengthShift = 8;
const byteMask = 0xff;
const undecided = -1;

function escapeOf(byte: number, length: number): number {
  return (length << lengthShift) | byte;
}

/** What Python writes for a byte: `\n`, `\r`, `\t`, `\\`, `\'`, `\"`, `\xNN`. Undecided where the chunk ends in its middle. */
function readEscape(bytes: Buffer, at: number, isLast: boolean): number {
  const kind = bytes[at + 1];
  switch (kind) {
    case undefined:
      return isLast ? escapeOf(backslash, 1) : undecided;
    case 0x6e:
      return escapeOf(lineFeed, 2);
    case 0x72:
      return escapeOf(0x0d, 2);
    case 0x74:
      return escapeOf(0x09, 2);
    case single:
    case double:
    case backslash:
      return escapeOf(kind, 2);
    case 0x78:
      return readHex(bytes, at, isLast);
    default:
      return escapeOf(backslash, 1);
  }
}

function readHex(bytes: Buffer, at: number, isLast: boolean): number {
  if (at + 3 >= bytes.length && !isLast) return undecided;
  const digits = bytes.toString("latin1", at + 2, at + 4);
  return /^[\da-f]{2}$/iu.test(digits) ? escapeOf(Number.parseInt(digits, 16), 4) : escapeOf(backslash, 1);
}

function isWord(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x5f ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte >= 0x80
  );
}
