type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** Bytes that are looked at to tell the encoding. */
const sampleBytes = 512;

/**
 * Decodes what another program wrote: UTF-8, or UTF-16 of either byte order, with or without a byte order mark (PowerShell's
 * redirections, setup logs, the end of a file whose mark was not read). Bytes that fit no encoding become U+FFFD.
 */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

/** The same for a stream of chunks; the encoding is told by the first one. */
export class TextStream {
  #decoder: InstanceType<typeof TextDecoder> | undefined;

  /** The chunk as UTF-8; the chunk itself where it is UTF-8 already. */
  toUtf8(chunk: Uint8Array): Uint8Array {
    if (this.#decoder === undefined) {
      const encoding = encodingOf(chunk);
      // Decoded whole, in UTF-8 a mark of two bytes could be taken for half a character.
      this.#decoder = new TextDecoder(encoding);
    }
    if (this.#decoder.encoding === "utf-8") return chunk;
    return Buffer.from(this.#decoder.decode(chunk, { stream: true }), "utf8");
  }
}

function encodingOf(bytes: Uint8Array): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return encodingWithoutMark(bytes.subarray(0, sampleBytes));
}

/**
 * In UTF-16, every second byte of letters, digits and blanks is zero; UTF-8 holds no zero byte. In all of the sample, because a
 * log of UTF-8 may have a line in UTF-16 in it (the cleaning takes the zero bytes out of that one).
 */
function encodingWithoutMark(sample: Uint8Array): Encoding {
  if (sample.length < 4 || plainRun.test(Buffer.from(sample).toString("latin1"))) return "utf-8";
  const quarter = Math.max(4, (sample.length >> 3) * 2);
  const parts = Array.from({ length: Math.floor(sample.length / quarter) }, (_, index) =>
    sample.subarray(index * quarter, (index + 1) * quarter),
  );
  if (parts.every((part) => zerosAt(part, 1) > 0.6 && zerosAt(part, 1) > zerosAt(part, 0))) return "utf-16le";
  if (parts.every((part) => zerosAt(part, 0) > 0.6 && zerosAt(part, 0) > zerosAt(part, 1))) return "utf-16be";
  return "utf-8";
}

/** A line of plain letters: the zeros stand in what follows it. */
const plainRun = /[\t\n\r\u0020-\u007e]{16}/;

/** Share of zeros among the bytes at even (0) or odd (1) places. */
function zerosAt(bytes: Uint8Array, first: 0 | 1): number {
  let zeros = 0;
  for (let at = first; at < bytes.length; at += 2) if (bytes[at] === 0) zeros++;
  return zeros / (bytes.length >> 1);
}
