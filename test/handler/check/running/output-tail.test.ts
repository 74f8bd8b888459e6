import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readTail, showTail } from "../../../../handler/check/running/output-tail.ts";
import { checkHost } from "../../../support/check-host.ts";
import { openFilesBelow } from "../../../support/open-files.ts";

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

test("readTail() of one long line without a blank shows its end, unless what is hidden brings its cut beginning near", async () => {
  const json = JSON.stringify(Array.from({ length: 3000 }, (_, id) => ({ id, name: `disk-${String(id)}`, ok: true })));
  writeFileSync(join(folder, "json"), json);
  expect(await readTail(join(folder, "json"), 4096)).toMatch(
    /^\[… \d+ bytes cut …\]\n.{3900,}"disk-2999","ok":true\}\]$/u,
  );
  const blob = `{"password":"half-of-it${"-x".repeat(4000)}","blob":"${"QUJD".repeat(20_000)}"}`;
  writeFileSync(join(folder, "blob"), blob.slice(16));
  expect(await readTail(join(folder, "blob"), 4096)).not.toContain("-x");
});

test("readTail() of a long file in UTF-16 is not a byte aside, whatever letter its tail begins with", async () => {
  for (const end of ["the end", "the  end"]) {
    writeFileSync(join(folder, "wide"), Buffer.from(`${"µ ".repeat(40_000)}\n${end}`, "utf16le"));
    expect(await readTail(join(folder, "wide"), 20)).toMatch(new RegExp(`cut …\\][^]*${end}$`, "u"));
  }
});

test("readTail() of a folder is empty, and what else goes wrong is thrown", async () => {
  mkdirSync(join(folder, "below"));
  expect(await readTail(join(folder, "below"), 100)).toBe("");
  await expect(readTail(join(folder, "x".repeat(300)), 100)).rejects.toThrow("ENAMETOOLONG");
});

test.each([
  ["/w/line: 1: kubeadm: not found\n", "/bin/sh: 1: kubeadm: not found\n"],
  ["bash: /w/line: line 2: syntax error\n", "bash: line 2: syntax error\n"],
  ["a\n/w/line: 1: b\nbash: /w/line: 2: c\n/w/line: 3: d\n", "a\n/bin/sh: 1: b\nbash: 2: c\n/bin/sh: 3: d\n"],
  ["größe: see /w/line, and /w/line:\n", "größe: see /w/line, and /w/line:\n"],
  ["/w/line: 1: größe: 🚀\n", "/bin/sh: 1: größe: 🚀\n"],
])("in the output %j the file that a shell read is not named", async (output, shown) => {
  writeFileSync(join(folder, "named"), output);
  expect(await readTail(join(folder, "named"), 1000, { lineFile: "/w/line" })).toBe(shown);
  expect(await readTail(join(folder, "named"), 1000)).toBe(output);
});

test.each([
  [15, "a word\na letter"],
  [14, "[… 1 bytes cut …]\n word\na letter"],
  [8, "[… 7 bytes cut …]\na letter"],
  [0, "[… 15 bytes cut …]\n"],
])("readTail() of fifteen bytes shows %d of them and says how many it left out", async (most, shown) => {
  writeFileSync(join(folder, "fifteen"), "a word\na letter");
  expect(await readTail(join(folder, "fifteen"), most)).toBe(shown);
});

test("a secret that begins in front of the tail is hidden as a whole", async () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${`${"Ab1+".repeat(16)}\n`.repeat(20)}-----END RSA PRIVATE KEY-----\n`;
  writeFileSync(join(folder, "key"), `${"a word\n".repeat(2000)}${key}`);
  expect(await readTail(join(folder, "key"), 400)).not.toContain("Ab1+");
});

test("readTail() reads in the system's code page, waits for no writer of a pipe, and leaves no file open", async () => {
  const host = checkHost();
  const toUtf8 = (bytes: Uint8Array) => Promise.resolve(Buffer.from(bytes.map((byte) => byte + 1)));
  writeFileSync(join(folder, "coded"), "HAL");
  const coded = { host: { ...host, platform: { ...host.platform, toUtf8 } } };
  expect(await readTail(join(folder, "coded"), 100, coded)).toBe("IBM");
  expect(await readTail(join(folder, "coded"), 100, { host })).toBe("HAL");
  execFileSync("mkfifo", [join(folder, "pipe")]);
  expect(await readTail(join(folder, "pipe"), 100)).toBe("");
  expect(openFilesBelow(folder)).toEqual([]);
});
