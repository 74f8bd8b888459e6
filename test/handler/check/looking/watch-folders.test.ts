import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { entryName } from "../../../../handler/check/looking/watch-folder.ts";
import { watchFolders, type FoldersWatch } from "../../../../handler/check/looking/watch-folders.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const open: FoldersWatch[] = [];
afterEach(() => {
  for (const watch of open.splice(0)) watch.close();
});

function start(...parts: readonly string[]) {
  const top = mkdtempSync(join(tmpdir(), "capz-watch-"));
  const folder = join(top, ...parts);
  const seen: string[] = [];
  const watch = watchFolders([folder], (path) => seen.push(path));
  open.push(watch);
  const saw = (path: string) =>
    waitUntil(`an event for ${path}`, () => seen.includes(path), { everyMs: 5, describe: () => seen });
  return { top, folder, seen, watch, saw };
}

test("a file in a watched folder is noticed with its path", async () => {
  const { folder, saw } = start();
  writeFileSync(join(folder, "done"), "");
  await saw(join(folder, "done"));
});

test("a folder that does not exist yet is watched through its parents and attached when it appears", async () => {
  const { folder, top, saw } = start("run", "cluster-api");
  mkdirSync(join(top, "run"));
  mkdirSync(folder);
  await saw(folder);
  writeFileSync(join(folder, "done"), "");
  await saw(join(folder, "done"));
});

test("what happens beside a missing folder wakes nobody", async () => {
  const { top, folder, seen, saw } = start("cluster-api");
  writeFileSync(join(top, "noise"), "");
  mkdirSync(folder);
  await saw(folder);
  expect(seen).not.toContain(join(top, "noise"));
  expect(new Set(seen)).toEqual(new Set([folder]));
});

test("a folder that is removed and made again is watched again", async () => {
  const { folder, saw, seen } = start("cluster-api");
  mkdirSync(folder);
  await saw(folder);
  rmSync(folder, { recursive: true });
  await waitUntil("the removal", () => seen.includes(join(folder, "cluster-api")), { everyMs: 5 });
  seen.length = 0;
  mkdirSync(folder);
  await saw(folder);
  writeFileSync(join(folder, "again"), "");
  await saw(join(folder, "again"));
});

test("look() renews a watch whose folder was swapped for another, and sees changes without any event", async () => {
  const { folder, top, watch, saw } = start("a", "b");
  mkdirSync(folder, { recursive: true });
  await saw(folder);
  expect(watch.look()).toBe(true);
  expect(watch.look()).toBe(false);
  renameSync(join(top, "a"), join(top, "old"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "file"), "1");
  expect(watch.look()).toBe(true);
  expect(watch.look()).toBe(false);
  writeFileSync(join(folder, "later"), "2");
  await saw(join(folder, "later"));
});

test.each([
  [
    "a dangling link",
    (top: string, folder: string) => {
      symlinkSync(join(top, "nowhere"), join(folder, "link"));
    },
  ],
  [
    "more entries than are compared",
    (_: string, folder: string) => {
      putMany(folder);
    },
  ],
])("look() sees a change beside %s, and none where there is none", (_, put) => {
  const { top, folder, watch } = start();
  put(top, folder);
  expect(watch.look()).toBe(true);
  expect(watch.look()).toBe(false);
  writeFileSync(join(folder, "0"), "changed");
  expect(watch.look()).toBe(true);
  expect(watch.look()).toBe(false);
});

function putMany(folder: string): void {
  for (let index = 0; index < 210; index += 1) writeFileSync(join(folder, `z${String(index).padStart(4, "0")}`), "");
}

test("look() follows a link to what it leads to", () => {
  const { top, folder, watch } = start("watched");
  mkdirSync(folder);
  writeFileSync(join(top, "target"), "");
  symlinkSync(join(top, "target"), join(folder, "link"));
  watch.look();
  expect(watch.look()).toBe(false);
  writeFileSync(join(top, "target"), "longer");
  expect(watch.look()).toBe(true);
});

test("beyond its first two hundred entries a large folder is compared as a whole only", () => {
  const { folder, watch } = start();
  putMany(folder);
  watch.look();
  writeFileSync(join(folder, "z0209"), "changed");
  expect(watch.look()).toBe(false);
});

test.each([
  [
    "a file",
    (path: string) => {
      writeFileSync(path, "");
    },
  ],
  [
    "a link that leads to itself",
    (path: string) => {
      symlinkSync(path, path);
    },
  ],
])("%s in the place of a folder costs nothing, and the folder that follows it is watched", async (_, put) => {
  const top = mkdtempSync(join(tmpdir(), "capz-watch-"));
  const folder = join(top, "cluster-api");
  put(folder);
  const seen: string[] = [];
  const watch = watchFolders([folder], (path) => seen.push(path));
  open.push(watch);
  rmSync(folder);
  mkdirSync(folder);
  await waitUntil("the folder", () => seen.includes(folder), { everyMs: 5 });
  writeFileSync(join(folder, "done"), "");
  await waitUntil("the file", () => seen.includes(join(folder, "done")), { everyMs: 5 });
});

test("what is closed tells nothing any more, also when it is asked to look", async () => {
  const { top, folder, watch, seen, saw } = start("cluster-api");
  mkdirSync(folder);
  await saw(folder);
  watch.close();
  seen.length = 0;
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  watch.look();
  writeFileSync(join(folder, "done"), "");
  const other = watchFolders([top], (path) => seen.push(path));
  open.push(other);
  writeFileSync(join(top, "marker"), "");
  await saw(join(top, "marker"));
  expect(seen.filter((path) => path.startsWith(folder))).toEqual([]);
});

test("where nothing may be asked at all, nothing is watched", () => {
  const watch = watchFolders(
    ["/run/cluster-api"],
    () => undefined,
    () => () => false,
  );
  open.push(watch);
  expect(watch.look()).toBe(false);
});

test("the name of an entry of a drive's root loses its backslash", () => {
  expect(entryName("\\run")).toBe("run");
  expect(entryName("\\\\run")).toBe("run");
  expect(entryName("a\\b")).toBe("a\\b");
  expect(entryName("run")).toBe("run");
  expect(entryName(null)).toBeNull();
});

test("a folder that a dead share may hold is neither watched nor looked at, and the others are", async () => {
  const top = mkdtempSync(join(tmpdir(), "capz-watch-"));
  const [dead, alive] = [join(top, "dead"), join(top, "alive")];
  for (const folder of [dead, alive]) mkdirSync(folder);
  symlinkSync(join(dead, "file"), join(alive, "link"));
  const asked: string[] = [];
  const answersLocally = (path: string): boolean => {
    asked.push(path);
    return !path.startsWith(dead) && path !== join(alive, "link");
  };
  const seen: string[] = [];
  const watch = watchFolders(
    [dead, alive],
    (path) => seen.push(path),
    () => answersLocally,
  );
  open.push(watch);
  writeFileSync(join(dead, "file"), "");
  expect(watch.look()).toBe(false);
  writeFileSync(join(alive, "file"), "");
  await waitUntil("the event", () => seen.includes(join(alive, "file")), { everyMs: 5 });
  expect(watch.look()).toBe(true);
  expect(seen.filter((path) => path.startsWith(dead))).toEqual([]);
  expect(asked).toContain(join(alive, "link"));
});
