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
symlinkSync("deep/", at("data/sibling"));
symlinkSync("/data/deep", at("data/back"));
symlinkSync("C:/data/deep", at("data/drive"));
symlinkSync("\\\\?\\c:\\data\\deep", at("data/long-drive"));
symlinkSync("\\??\\C:\\data\\deep", at("data/object-drive"));
symlinkSync("disC:\\data", at("data/no-drive"));
symlinkSync("we\\ird/./name", at("data/backslash"));
for (let index = 1; index <= 41; index++)
  symlinkSync(index === 1 ? "/data/deep" : `link-${String(index - 1)}`, at(`link-${String(index)}`));

test.each([
  ["data/deep/file", "data/deep/file"],
  ["absolute/deep/file", "data/deep/file"],
  ["relative/file", "data/deep/file"],
  ["chain", "data/deep/file"],
  ["windows/file", "data/deep/file"],
  ["data/up/passwd", "etc/passwd"],
  ["none/at/all", "none/at/all"],
  ["absolute/none", "data/none"],
  ["data/sibling/file", "data/deep/file"],
  ["data/back/file", "data/deep/file"],
  ["data/drive/file", "data/deep/file"],
  ["data/long-drive/file", "data/deep/file"],
  ["data/object-drive/file", "data/deep/file"],
  ["data/no-drive/x", "data/disC:\\data/x"],
  ["data/backslash", "data/we\\ird/name"],
  ["data/./deep/../deep/file", "data/deep/file"],
  ["link-40/file", "data/deep/file"],
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

test("links in a circle have no end, and forty in a row are the most", () => {
  expect(resolveBelow(root, at("link-41"))).toBeUndefined();
  expect(resolveBelow(root, at("circle/file"))).toBeUndefined();
});
