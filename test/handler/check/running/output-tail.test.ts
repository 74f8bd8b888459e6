import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readTail, showTail } from "../../../../handler/check/running/output-tail.ts";

const folder = mkdtempSync(join(tmpdir(), "capz-tail-"));

test("readTail() gives a short file whole and unmarked", async () => {
  writeFileSync(join(folder, "short"), "joined\n");
  expect(await readTail(join(folder, "short"), 100)).toBe("joined\n");
});

test("readTail() gives nothing for a file that does not exist", async () => {
  expect(await readTail(join(folder, "none"), 100)).toBe("");
});

test("readTail() marks what it cut and never begins inside a character", async () => {
  for (const length of [1, 2, 3, 4, 5, 6, 7, 8]) {
    writeFileSync(join(folder, "emoji"), "🚀".repeat(10));
    const kept = Math.floor(length / 4);
    const tail = await readTail(join(folder, "emoji"), length);
    expect(tail).toBe(`[… ${String(40 - kept * 4)} bytes cut …]\n${"🚀".repeat(kept)}`);
  }
});

test("showTail() takes out NUL, terminal colours and control characters, and replaces invalid bytes", () => {
  const bytes = Buffer.concat([Buffer.from("\u001b[31mred\u001b[0m\0 a\u0007b\r\nc"), Buffer.from([0xff, 0xc3])]);
  expect(showTail(bytes, { unread: 0, maxBytes: 4096 })).toBe("red ab\nc\ufffd\ufffd");
});

test("readTail() of a long file shows its end, and nothing of a line whose front was not read", async () => {
  writeFileSync(join(folder, "long"), `${"a word\n".repeat(20_000)}the end\n`);
  const tail = await readTail(join(folder, "long"), 15);
  expect(tail).toBe("[… 139993 bytes cut …]\na word\nthe end\n");
  const rest = Buffer.concat([Buffer.from([0x9f, 0x9a, 0x80]), Buffer.from("ab\ncd")]);
  expect(showTail(rest, { unread: 0, maxBytes: 100 })).toBe("\ufffd\ufffd\ufffdab\ncd");
  expect(showTail(rest, { unread: 5, maxBytes: 100 })).toBe("[… 11 bytes cut …]\ncd");
});

test("readTail() counts what it does not show of a line longer than what is read in front of the tail", async () => {
  writeFileSync(join(folder, "line"), `${"x".repeat(200_000)}\nend`);
  expect(await readTail(join(folder, "line"), 4096)).toBe("[… 200001 bytes cut …]\nend");
  writeFileSync(join(folder, "words"), `${"x".repeat(100_000)} end`);
  expect(await readTail(join(folder, "words"), 4096)).toBe("[… 100000 bytes cut …]\n… end");
});

test("readTail() of a folder is empty, and what else goes wrong is thrown", async () => {
  mkdirSync(join(folder, "below"));
  expect(await readTail(join(folder, "below"), 100)).toBe("");
  await expect(readTail(join(folder, "x".repeat(300)), 100)).rejects.toThrow("ENAMETOOLONG");
});
