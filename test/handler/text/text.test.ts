import { expect, test } from "@jest/globals";
import { cleanText } from "../../../handler/text/clean-text.ts";
import { closestWord } from "../../../handler/text/closest-word.ts";
import { cutMiddle, cutText, cutToJsonBytes, headOf, jsonBytes } from "../../../handler/text/cut-text.ts";
import { nameDigest } from "../../../handler/text/name-digest.ts";
import { decodeText } from "../../../handler/text/decode-text.ts";
import { parseJson } from "../../../handler/text/parse-json.ts";

test("cleanText removes colours, cursor movement and window titles", () => {
  expect(cleanText("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007plain\u001b(B \u001b[2Kend")).toBe("red plain end");
});

test("cleanText removes NUL and other control characters but keeps tabs and line ends", () => {
  expect(cleanText("a\u0000b\u0007c\td\r\ne\rf\u009b")).toBe("abc\td\ne\nf");
});

test("cleanText replaces lone surrogates and keeps pairs", () => {
  expect(cleanText("x\ud83d y\ude00 \u{1f600}")).toBe("x\ufffd y\ufffd \u{1f600}");
});

test("cleanText leaves an unfinished sequence harmless", () => {
  expect(cleanText("a\u001b")).toBe("a");
  expect(cleanText("a\u001b[31")).not.toContain("\u001b");
});

test("nameDigest is FNV-1a of 64 bits (published test values)", () => {
  expect(nameDigest("")).toBe("cbf29ce484222325");
  expect(nameDigest("foobar")).toBe("85944171f73967e8");
});

test("cutMiddle keeps who speaks and why, within the limit and with whole characters", () => {
  expect(cutMiddle("short", 5)).toBe("short");
  const line = `error: ${"x".repeat(300)}: dial tcp: lookup api.internal: no such host`;
  expect(cutMiddle(line, 60)).toMatch(/^error: x+ … .*api\.internal: no such host$/u);
  for (let limit = 0; limit < 40; limit++) {
    const cut = cutMiddle("😀".repeat(30), limit);
    expect(cut.length).toBeLessThanOrEqual(limit);
    expect(cut.isWellFormed()).toBe(true);
  }
});

test("cutText marks the cut and stays within the limit", () => {
  expect(cutText("short", 5)).toBe("short");
  const cut = cutText("x".repeat(50), 20);
  expect(cut).toHaveLength(20);
  expect(cut).toMatch(/ … \[cut\]$/);
  expect(cutText("abcdef", 3)).toHaveLength(3);
});

test("headOf never splits a surrogate pair", () => {
  expect(headOf("ab\u{1f600}c", 3)).toBe("ab");
  expect(headOf("ab\u{1f600}c", 4)).toBe("ab\u{1f600}");
});

test("cutToJsonBytes counts escapes and multi-byte characters", () => {
  for (const text of ['"'.repeat(5000), "ü".repeat(5000), "\u{1f600}".repeat(5000), "\n".repeat(5000), "a"]) {
    const cut = cutToJsonBytes(text, 1000);
    expect(jsonBytes(cut)).toBeLessThanOrEqual(1000);
    expect(cut.isWellFormed()).toBe(true);
    if (text.length > 1000) expect(jsonBytes(cut)).toBeGreaterThan(990);
  }
});

test("closestWord finds another case and typing mistakes, but not unrelated words", () => {
  const known = ["timeoutSeconds", "fileUris", "mode", "proxy"];
  expect(closestWord("timeoutseconds", known)).toBe("timeoutSeconds");
  expect(closestWord("timeoutSecond", known)).toBe("timeoutSeconds");
  expect(closestWord("fileUrl", known)).toBe("fileUris");
  expect(closestWord("node", known)).toBe("mode");
  expect(closestWord("colour", known)).toBeUndefined();
  expect(closestWord("x".repeat(10_000), known)).toBeUndefined();
});

test("decodeText reads UTF-8 with and without BOM and UTF-16 with BOM", () => {
  expect(decodeText(Buffer.from("ü"))).toBe("ü");
  expect(decodeText(Buffer.from("\ufeffü"))).toBe("ü");
  expect(decodeText(Buffer.from("\ufeffü", "utf16le"))).toBe("ü");
  expect(decodeText(Buffer.from("\ufeffü", "utf16le").swap16())).toBe("ü");
});

test("parseJson never quotes the text in its reason", () => {
  for (const text of ["hunter2", '{"password": hunter2}', '{"password":"hunter2"', "", "[hunter2]"]) {
    const parsed = parseJson(text);
    expect(parsed.kind).toBe("malformed");
    expect(JSON.stringify(parsed)).not.toContain("hunter2");
  }
});

test.each([
  ["MODE", "mode"],
  ["mod", "mode"],
  ["mox", undefined],
  ["prox", "proxy"],
  ["proyx", undefined],
  ["timeoutSecond", "timeoutSeconds"],
  ["timeoutSecs", undefined],
  ["timoutSecond", "timeoutSeconds"],
  ["tmoutSecond", undefined],
  ["timeoutSecondsss", "timeoutSeconds"],
  ["cat", "cart"],
  ["cot", undefined],
  ["bootstrapProvidr", "bootstrapProvider"],
])("the word that %s most likely stands for is %s", (word, meant) => {
  expect(
    closestWord(word, ["timeoutSeconds", "mode", "proxy", "bootstrapProviders", "bootstrapProvider", "cart"]),
  ).toBe(meant);
});

test("a word is asked for up to 64 letters, and its own letters count before any mistake", () => {
  const long = "x".repeat(64);
  expect(closestWord(`${"x".repeat(63)}y`, [long])).toBe(long);
  expect(closestWord(`${long}y`, [long])).toBeUndefined();
  expect(closestWord("MODES", ["mode", "modes"])).toBe("modes");
});

test("a backspace takes the letter before it, but no line end and nothing before the text", () => {
  expect(cleanText("ab\bc")).toBe("ac");
  expect(cleanText("a\n\bb")).toBe("a\nb");
  expect(cleanText("\b\bab")).toBe("ab");
});
