import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { openOutput } from "../../../handler/files/open-output.ts";
import { removeLink } from "../../../handler/files/remove-link.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "output-"));
});

function append(path: string, text: string): void {
  const descriptor = openOutput(path) ?? -1;
  writeSync(descriptor, text);
  closeSync(descriptor);
}

test("an output is appended to, and readable by root only", () => {
  const path = join(folder, "out");
  append(path, "one ");
  append(path, "two");
  expect(readFileSync(path, "utf8")).toBe("one two");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([
  ["symbolic", symlinkSync],
  ["hard", linkSync],
] as const)("a %s link in its place is removed, and what it leads to stays as it is", (_, link) => {
  const theirs = join(folder, "theirs");
  writeFileSync(theirs, "theirs");
  link(theirs, join(folder, "out"));
  append(join(folder, "out"), "ours");
  expect(readFileSync(theirs, "utf8")).toBe("theirs");
  expect(readFileSync(join(folder, "out"), "utf8")).toBe("ours");
  expect(lstatSync(join(folder, "out")).isSymbolicLink()).toBe(false);
});

test("what cannot be written, or is no file, is not opened, and holds no descriptor", () => {
  writeFileSync(join(folder, "file"), "");
  mkdirSync(join(folder, "folder"));
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  for (const path of ["file/below", "folder", "none/out"]) expect(openOutput(join(folder, path))).toBeUndefined();
  expect(openOutput("/dev/null")).toBeUndefined();
  expect(open()).toBe(before);
});

test("removeLink() takes links alone away: no file of one name, no folder, no pipe", () => {
  const [file, second, pipe, none] = ["file", "second", "pipe", "none"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  writeFileSync(file, "x");
  mkdirSync(join(folder, "folder"));
  execFileSync("mkfifo", [pipe]);
  for (const path of [file, join(folder, "folder"), pipe, none]) removeLink(path);
  expect(readdirSync(folder).sort()).toEqual(["file", "folder", "pipe"]);
  linkSync(file, second);
  removeLink(second);
  symlinkSync("nowhere", second);
  removeLink(second);
  expect(readdirSync(folder).sort()).toEqual(["file", "folder", "pipe"]);
});
