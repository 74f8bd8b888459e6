import type { FilePart } from "./read-part.ts";

type Encoding = "utf8" | "utf16le" | "utf16be";

/** Text of a file's front. What is not valid becomes U+FFFD; a byte order mark is left out. */
export function decodeFront(part: FilePart): string {
  const { encoding, markBytes } = encodingOf(part.head, part.bytes);
  return decode(part.bytes.subarray(markBytes), encoding);
}

/** Text of a file's end, begun at a line where one begins in it. */
export function decodeEnd(part: FilePart): string {
  const { encoding, markBytes } = encodingOf(part.head, part.bytes);
  if (!part.cut) return decode(part.bytes.subarray(markBytes), encoding);
  const text = decode(encoding === "utf8" ? fromCharacter(part.bytes) : part.bytes, encoding);
  const lineEnd = text.indexOf("\n");
  return lineEnd === -1 || lineEnd === text.length - 1 ? text : text.slice(lineEnd + 1);
}

function encodingOf(
  head: Uint8Array,
  sample: Uint8Array,
): { readonly encoding: Encoding; readonly markBytes: 0 | 2 | 3 } {
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: "utf16le", markBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf16be", markBytes: 2 };
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: "utf8", markBytes: 3 };
  return { encoding: unmarked(sample), markBytes: 0 };
}

/** Programs of Windows write UTF-16 without a mark: then every other byte of Latin text is zero. */
function unmarked(sample: Uint8Array): Encoding {
  const looked = sample.subarray(0, 512);
  if (!looked.includes(0)) return "utf8";
  let even = 0;
  let odd = 0;
  for (const [index, byte] of looked.entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  const many = looked.length / 4;
  if (looked.length < 4) return "utf8";
  if (odd > many && even === 0) return "utf16le";
  return even > many && odd === 0 ? "utf16be" : "utf8";
}

/** Not TextDecoder: for UTF-16 it loads the language data, 5 MiB of mapped memory. */
function decode(bytes: Buffer, encoding: Encoding): string {
  switch (encoding) {
    case "utf8":
      return bytes.toString("utf8");
    case "utf16le":
      return bytes.toString("utf16le").toWellFormed();
    case "utf16be":
      return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
        .swap16()
        .toString("utf16le")
        .toWellFormed();
  }
}

/** Without the rest of a character whose beginning was cut off. */
function fromCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
