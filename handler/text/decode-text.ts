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

/** In UTF-16, every second byte of letters, digits and blanks is zero; UTF-8 holds no zero byte. */
function encodingWithoutMark(sample: Uint8Array): Encoding {
  const pairs = sample.length >> 1;
  if (pairs < 2) return "utf-8";
  const zeros = [0, 0];
  for (let at = 0; at < pairs * 2; at++) {
    if (sample[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = zeros;
  if (odd > pairs * 0.4 && even < pairs * 0.1) return "utf-16le";
  if (even > pairs * 0.4 && odd < pairs * 0.1) return "utf-16be";
  return "utf-8";
}
