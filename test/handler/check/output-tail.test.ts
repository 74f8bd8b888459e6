import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { cleanTail, readTail } from "../../../handler/check/output-tail.ts";

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
    const tail = await readTail(join(folder, "emoji"), length);
    expect(tail).toBe(`[… ${String(40 - length)} bytes cut …]\n${"🚀".repeat(Math.floor(length / 4))}`);
  }
});

test("cleanTail() takes out NUL, terminal colours and control characters, and replaces invalid bytes", () => {
  const bytes = Buffer.concat([Buffer.from("\u001b[31mred\u001b[0m\0 a\u0007b\r\nc"), Buffer.from([0xff, 0xc3])]);
  expect(cleanTail(bytes, 0)).toBe("red ab\nc\ufffd\ufffd");
});
