import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
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

test("what another user's living process writes is left alone, as what our own does", () => {
  const folder = folderWith(".capz-1-0123456789abcdef.tmp");
  removeStaleTemporaries(folder, now);
  expect(readdirSync(folder)).toHaveLength(1);
});

test("what cannot be removed stays, and keeps nothing else from being removed", () => {
  const dead = `.capz-${String(deadPid)}-`;
  const folder = folderWith(`${dead}ffffffffffffffff.tmp`);
  mkdirSync(join(folder, `${dead}0000000000000000.tmp`));
  removeStaleTemporaries(folder, now);
  expect(readdirSync(folder)).toEqual([`${dead}0000000000000000.tmp`]);
});

test("a living process has a whole minute", () => {
  const folder = folderWith();
  const own = temporaryFile(folder);
  writeFileSync(own, "half");
  const written = new Date(1_700_000_000_000);
  utimesSync(own, written, written);
  removeStaleTemporaries(folder, new Date(written.getTime() + 60_000));
  expect(readdirSync(folder)).toHaveLength(1);
  removeStaleTemporaries(folder, new Date(written.getTime() + 60_001));
  expect(readdirSync(folder)).toHaveLength(0);
});
