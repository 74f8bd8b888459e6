import { expect, test } from "@jest/globals";
import { decodeText, TextStream } from "../../../handler/text/decode-text.ts";

const zeros = Array.from("x".repeat(600)).join("\0");
const plain = "kubeadm join failed: connection refused\r\n";

function utf16(text: string, order: "little" | "big"): Buffer {
  const bytes = Buffer.from(text, "utf16le");
  return order === "little" ? bytes : bytes.swap16();
}

test.each(["little", "big"] as const)(
  "UTF-16 of %s end first is told without a mark, also where it is short",
  (order) => {
    expect(decodeText(utf16(plain.repeat(40), order))).toBe(plain.repeat(40));
    expect(decodeText(utf16("no", order))).toBe("no");
    expect(decodeText(utf16("joined: über", order))).toBe("joined: über");
  },
);

test.each([
  ["half a mark", Buffer.from([0xff, 0x41, 0x42, 0x43]), "\ufffdABC"],
  ["half of the other", Buffer.from([0xfe, 0x41, 0x42, 0x43]), "\ufffdABC"],
  ["a mark's second byte alone", Buffer.from([0x41, 0xfe, 0x42, 0xff]), "A\ufffdB\ufffd"],
  ["three bytes", Buffer.from([0x41, 0, 0x42]), "A\u0000B"],
  ["zeros alone", Buffer.alloc(8), "\0".repeat(8)],
  ["a few zeros", Buffer.from("a\0bcdefghijklmno"), "a\0bcdefghijklmno"],
  [
    "a plain line with zeros between all letters behind it",
    Buffer.from(`begin of the output\n${zeros}`),
    `begin of the output\n${zeros}`,
  ],
  ["zeros at every fourth place", Buffer.from("ab\0cde\0fgh\0ijk\0l"), "ab\0cde\0fgh\0ijk\0l"],
])("this is UTF-8: %s", (_name, bytes, text) => {
  expect(decodeText(bytes)).toBe(text);
});

test.each(["little", "big"] as const)("UTF-8 with a line of UTF-16, %s end first, in it is UTF-8", (order) => {
  const bytes = Buffer.concat([utf16(plain.repeat(2), order), Buffer.from(plain.repeat(20))]);
  expect(decodeText(bytes)).toContain(plain.repeat(20));
});

test("a log is UTF-16 by its first half KiB, whatever comes later", () => {
  const bytes = Buffer.concat([utf16(plain.repeat(20), "little"), Buffer.from("文文", "utf16le")]);
  expect(decodeText(bytes).endsWith("文文")).toBe(true);
});

test("a stream of UTF-16 is turned into UTF-8 also where a chunk ends within a character", () => {
  const bytes = utf16(`${plain}😀`, "little");
  const stream = new TextStream();
  const parts = [bytes.subarray(0, 41), bytes.subarray(41, -3), bytes.subarray(-3)];
  expect(Buffer.concat(parts.map((part) => stream.toUtf8(part))).toString("utf8")).toBe(`${plain}😀`);
});

test("a stream of UTF-8 passes as it is, the same bytes, also with characters that are parted", () => {
  const bytes = Buffer.from(`${plain}ü`);
  const stream = new TextStream();
  const parts = [bytes.subarray(0, -1), bytes.subarray(-1)];
  expect(parts.map((part) => stream.toUtf8(part))).toEqual(parts);
  expect(stream.toUtf8(bytes)).toBe(bytes);
});
