import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open as openFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { lookAtSentinel } from "../../../../handler/check/looking/look-at-sentinel.ts";
import { watchSentinel } from "../../../../handler/check/looking/watch-sentinel.ts";
import { entryName } from "../../../../handler/check/looking/watch-folder.ts";
import { watchFolders, type FoldersWatch } from "../../../../handler/check/looking/watch-folders.ts";
import { checkHost } from "../../../support/check-host.ts";
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
  const before = watchesOfThisProcess();
  const { top, folder, watch, seen, saw } = start("cluster-api");
  mkdirSync(folder);
  await saw(folder);
  watch.close();
  seen.length = 0;
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  watch.look();
  expect(watchesOfThisProcess()).toBe(before);
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

test("a file in the place of a folder that is waited for is no news", async () => {
  const { top, folder, seen } = start("cluster-api");
  const all: string[] = [];
  open.push(watchFolders([top], (path) => all.push(path)));
  writeFileSync(folder, "");
  writeFileSync(join(top, "marker"), "");
  await waitUntil("the last event", () => all.includes(join(top, "marker")), { everyMs: 5 });
  expect(seen).toEqual([]);
});

const never = new AbortController().signal;

/** Where events come, and where only looks at the sentinel bring the news. */
const ways = [
  ["an event", {}],
  ["a look", { watch: [], sentinelLookMs: 5 }],
] as const;

test.each(ways)("a wait for the sentinel ends by it through %s, once, and by nothing beside it", async (_, more) => {
  const host = checkHost();
  const { sentinel, ...others } = host.platform.paths(host.root);
  mkdirSync(join(sentinel, ".."), { recursive: true });
  const before = watchesOfThisProcess();
  const watch = watchSentinel({
    ...host,
    platform: { ...host.platform, paths: () => ({ ...others, sentinel, ...more }) },
  });
  const ended: string[] = [];
  const wait = (name: string, ms: number, signal = never) => watch.wait(ms, signal).then(() => ended.push(name));
  await wait("its time", 1);
  const first = wait("the sentinel", 3_600_000);
  writeFileSync(join(sentinel, "../beside"), "");
  await pause(60);
  expect(ended).toEqual(["its time"]);
  // On a busy machine the first look may still be under way.
  for (let text = "."; ended.length === 1; text += ".") {
    writeFileSync(sentinel, text);
    await Promise.race([first, pause(200)]);
  }
  // Creating and writing may be two events.
  await pause(60);
  await wait("what is left of it", 1);
  const stop = new AbortController();
  const second = wait("its signal", 3_600_000, stop.signal);
  await pause(60);
  expect(ended).toEqual(["its time", "the sentinel", "what is left of it"]);
  stop.abort();
  await second;
  watch.close();
  expect(watchesOfThisProcess()).toBe(before);
  const third = watch.wait(60, never);
  writeFileSync(sentinel, "again");
  await third;
  rmSync(host.root, { recursive: true });
});

/** How many folders the kernel watches for us. */
function watchesOfThisProcess(): number {
  const files = readdirSync("/proc/self/fdinfo").map((name) => textOf(join("/proc/self/fdinfo", name)));
  return files.join("").split("inotify wd:").length - 1;
}

/** "" for one that is closed meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

test("a sentinel that was there before the first look is no news; one that is written again is, until the end of the looks", async () => {
  const sentinel = join(mkdtempSync(join(tmpdir(), "capz-watch-")), "done");
  writeFileSync(sentinel, "1");
  let calls = 0;
  const end = lookAtSentinel({ sentinel, sentinelLookMs: 2 }, () => (calls += 1));
  const endNone = lookAtSentinel({ sentinel }, () => (calls += 100));
  await pause(60);
  expect(calls).toBe(0);
  let writes = 0;
  const write = () => {
    if (calls === 0) writeFileSync(sentinel, "longer".repeat((writes += 1)));
    return calls > 0;
  };
  // On a busy machine the first look may still be under way.
  await waitUntil("the news", write, { everyMs: 100 });
  await pause(30);
  end();
  const before = calls;
  writeFileSync(sentinel, "other");
  await pause(60);
  endNone();
  expect(before).toBeLessThan(writes + 2);
  expect(calls).toBe(before);
});

test("a sentinel that comes while a file system holds the first look at it is news when that look has its answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-watch-"));
  const sentinel = join(folder, "done");
  const pipes = Array.from({ length: 4 }, (_, index) => join(folder, `pipe-${String(index)}`));
  execFileSync("mkfifo", pipes);
  // Opening a pipe that nobody writes to takes a file thread as a file system that does not answer does.
  const held = pipes.map((pipe) => openFile(pipe, "r"));
  let calls = 0;
  const end = lookAtSentinel({ sentinel, sentinelLookMs: 5 }, () => (calls += 1));
  await pause(1100);
  writeFileSync(sentinel, "1");
  const writers = pipes.map((pipe) => openSync(pipe, "r+"));
  await Promise.all(held.map(async (file) => (await file).close()));
  for (const writer of writers) closeSync(writer);
  await waitUntil("the news", () => calls > 0, { everyMs: 5 });
  await pause(60);
  end();
  expect(calls).toBe(1);
});

test("the sentinel is looked at less often while its own folder is watched", async () => {
  const root = mkdtempSync(join(tmpdir(), "capz-watch-"));
  const [there, absent] = [join(root, "there"), join(root, "absent")];
  mkdirSync(there);
  const folders = watchFolders([there, absent], () => undefined);
  expect([there, absent, join(root, "other")].map(folders.watches)).toEqual([true, false, false]);
  const looks = { watched: 0, unwatched: 0 };
  const ends = (["watched", "unwatched"] as const).map((which) =>
    lookAtSentinel(
      { sentinel: join(there, "done"), sentinelLookMs: 40 },
      () => undefined,
      () => {
        looks[which] += 1;
        return which === "watched";
      },
    ),
  );
  await waitUntil("both have looked", () => looks.watched >= 4, { everyMs: 5 });
  for (const end of ends) end();
  expect(looks.unwatched).toBeGreaterThan(looks.watched);
  mkdirSync(absent);
  await waitUntil("the new folder is watched", () => folders.watches(absent), { everyMs: 5 });
  rmSync(there, { recursive: true });
  folders.look();
  expect(folders.watches(there)).toBe(false);
  folders.close();
});
