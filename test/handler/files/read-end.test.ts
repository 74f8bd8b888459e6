import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnd } from "../../../handler/files/read-end.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "capz-read-end-"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

test("of a long file the end is read", async () => {
  writeFileSync(join(root, "log"), `first${"x".repeat(1024 * 1024)}last`);
  const text = await readEnd(root, "/log");
  expect([text.length, text.startsWith("x"), text.endsWith("last")]).toEqual([1024 * 1024, true, true]);
});

test("what is no file, or is not there, is empty; nobody waits for the writer of a pipe", async () => {
  mkdirSync(join(root, "folder"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  const texts = ["/folder", "/pipe", "/gone"].map((path) => readEnd(root, path));
  expect(await Promise.all(texts)).toEqual(["", "", ""]);
});
