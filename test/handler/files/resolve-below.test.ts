import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { resolveBelow } from "../../../handler/files/resolve-below.ts";

const root = mkdtempSync(join(tmpdir(), "capz-resolve-"));
const at = (path: string): string => join(root, path);

mkdirSync(at("data/deep"), { recursive: true });
writeFileSync(at("data/deep/file"), "text");
symlinkSync("/data", at("absolute"));
symlinkSync("data/deep", at("relative"));
symlinkSync("../../../../../../etc", at("data/up"));
symlinkSync("/absolute/deep/file", at("chain"));
symlinkSync("circle", at("circle"));
symlinkSync("C:\\data\\deep", at("windows"));

test.each([
  ["data/deep/file", "data/deep/file"],
  ["absolute/deep/file", "data/deep/file"],
  ["relative/file", "data/deep/file"],
  ["chain", "data/deep/file"],
  ["windows/file", "data/deep/file"],
  ["data/up/passwd", "etc/passwd"],
  ["none/at/all", "none/at/all"],
  ["absolute/none", "data/none"],
])("%s is %s below the root", (asked, found) => {
  expect(resolveBelow(root, at(asked))).toBe(at(found));
});

test("a root that is a link stays as it is named", () => {
  const link = `${root}-link`;
  symlinkSync(root, link);
  symlinkSync(".//data//", at("slashes"));
  expect(resolveBelow(link, join(link, "slashes/deep"))).toBe(join(link, "data/deep"));
  expect(resolveBelow(link, link)).toBe(link);
});

test("on the running system the system reads the links", () => {
  expect(resolveBelow("/", at("chain"))).toBe(at("chain"));
});

test("links in a circle have no end", () => {
  expect(resolveBelow(root, at("circle/file"))).toBeUndefined();
});
