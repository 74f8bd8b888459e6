import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { removeStaleTemporaries, temporaryFile } from "../../../handler/files/temporary-file.ts";

const now = new Date();
const deadPid = spawnSync("true").pid;

function folderWith(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "capz-temporary-"));
  for (const name of names) writeFileSync(join(folder, name), "half");
  return folder;
}

test("removeStaleTemporaries() removes at once what a process left that is gone", () => {
  const folder = folderWith(`.capz-${String(deadPid)}-0123456789abcdef.tmp`);
  removeStaleTemporaries(folder, now);
  expect(readdirSync(folder)).toEqual([]);
});

test("removeStaleTemporaries() leaves the young file of a living process, and removes it when it is old", () => {
  const folder = folderWith();
  const own = temporaryFile(folder);
  writeFileSync(own, "half");
  removeStaleTemporaries(folder, now);
  expect(readdirSync(folder)).toEqual([basename(own)]);
  utimesSync(own, now, new Date(now.getTime() - 61_000));
  removeStaleTemporaries(folder, now);
  expect(readdirSync(folder)).toEqual([]);
});

test("removeStaleTemporaries() touches nothing else", () => {
  const others = ["mrseq", ".capz-1-short.tmp", "x.capz-1-0123456789abcdef.tmp", ".capz-1-0123456789abcdef.tmp.bak"];
  const folder = folderWith(...others);
  removeStaleTemporaries(folder, new Date(now.getTime() + 3_600_000));
  expect(readdirSync(folder).toSorted()).toEqual(others.toSorted());
});

test("removeStaleTemporaries() is content with a folder that does not exist", () => {
  expect(() => {
    removeStaleTemporaries("/nowhere/at/all", now);
  }).not.toThrow();
});
