import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  acquireLock,
  lastHolder,
  liveHolder,
  type LockFiles,
  type LockHolder,
} from "../../../handler/state/exclusive-lock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function holder(pid: number): LockHolder {
  return {
    pid,
    startTime: "1",
    bootId: "boot",
    sequence: 0,
    handlerVersion: "1.0.0",
    statusFolder: "/status",
    marker: "m",
  };
}

function files(alive: readonly number[]): LockFiles {
  return { folder, name: "supervisor", isAlive: ({ pid }) => Promise.resolve(alive.includes(pid)) };
}

test("acquireLock() gives a free lock to the first and names it to the second", async () => {
  expect(await acquireLock(files([1, 2]), holder(1))).toEqual({ kind: "acquired", previous: undefined });
  expect(await acquireLock(files([1, 2]), holder(2))).toEqual({ kind: "held", holder: holder(1) });
  expect(await liveHolder(files([1, 2]))).toEqual(holder(1));
});

test("acquireLock() takes over from a dead holder, says who it was, and removes its file", async () => {
  await acquireLock(files([1]), holder(1));
  expect(await acquireLock(files([2]), holder(2))).toEqual({ kind: "acquired", previous: holder(1) });
  expect(readdirSync(folder)).toEqual(["supervisor.lock.2"]);
});

test("acquireLock() takes a lock file that a power loss left empty for a dead holder", async () => {
  writeFileSync(join(folder, "supervisor.lock.5"), "");
  expect(await acquireLock(files([]), holder(9))).toEqual({ kind: "acquired", previous: undefined });
  expect(readdirSync(folder)).toEqual(["supervisor.lock.6"]);
});

test("acquireLock() leaves no draft behind", async () => {
  await acquireLock(files([1]), holder(1));
  await acquireLock(files([1]), holder(3));
  expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
});

test("acquireLock() looks at the highest generation, not at the first that it finds", async () => {
  for (const [generation, pid] of [
    [2, 5],
    [11, 7],
    [3, 6],
  ] as const)
    writeFileSync(join(folder, `supervisor.lock.${String(generation)}`), JSON.stringify(holder(pid)));
  expect(await acquireLock(files([7]), holder(1))).toEqual({ kind: "held", holder: holder(7) });
  expect(await liveHolder(files([5, 6]))).toBeUndefined();
});

test("acquireLock() gives way to a process that went past it between its look and its claim", async () => {
  const racing: LockFiles = {
    ...files([]),
    isAlive: ({ pid }) => {
      // While the dead holder is judged another process takes the next generation and the one after it.
      if (pid === 9) writeFileSync(join(folder, "supervisor.lock.3"), JSON.stringify(holder(8)));
      return Promise.resolve(false);
    },
  };
  writeFileSync(join(folder, "supervisor.lock.1"), JSON.stringify(holder(9)));
  expect(await acquireLock(racing, holder(1))).toEqual({ kind: "held", holder: holder(8) });
  expect(readdirSync(folder).toSorted()).toEqual(["supervisor.lock.1", "supervisor.lock.3"]);
});

test("acquireLock() loses the claim of its generation to a process that made it first, and names that one", async () => {
  const racing: LockFiles = {
    ...files([]),
    isAlive: ({ pid }) => {
      if (pid === 9) writeFileSync(join(folder, "supervisor.lock.2"), JSON.stringify(holder(8)));
      return Promise.resolve(false);
    },
  };
  writeFileSync(join(folder, "supervisor.lock.1"), JSON.stringify(holder(9)));
  expect(await acquireLock(racing, holder(1))).toEqual({ kind: "held", holder: holder(8) });
  expect(readdirSync(folder).toSorted()).toEqual(["supervisor.lock.1", "supervisor.lock.2"]);
});

test("a lock file is readable by root only, holds its holder whole, and another lock's files stay", async () => {
  const others = [
    "command.lock.9",
    "supervisor.lock.x",
    "supervisor.lock.",
    "supervisor.lock.-3",
    "xsupervisor.lock.7",
  ];
  for (const name of others) writeFileSync(join(folder, name), JSON.stringify(holder(5)));
  expect(lastHolder(files([5]))).toBeUndefined();
  expect(await liveHolder(files([5]))).toBeUndefined();
  expect(await acquireLock(files([1, 5]), holder(1))).toEqual({ kind: "acquired", previous: undefined });
  expect(statSync(join(folder, "supervisor.lock.1")).mode & 0o777).toBe(0o600);
  expect(lastHolder(files([]))).toEqual(holder(1));
  expect(await acquireLock(files([2]), holder(2))).toEqual({ kind: "acquired", previous: holder(1) });
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining(["command.lock.9", "xsupervisor.lock.7", "supervisor.lock.2"]),
  );
  expect(existsSync(join(folder, "supervisor.lock.1"))).toBe(false);
});

test("a folder that is not there is an error, and of a claim that cannot be made nothing is left", async () => {
  await expect(acquireLock({ ...files([]), folder: join(folder, "gone") }, holder(1))).rejects.toMatchObject({
    code: "ENOENT",
  });
  // A claim that fails for another reason than that somebody was first is no "held".
  await expect(acquireLock({ ...files([]), name: "none/x" }, holder(1))).rejects.toMatchObject({ code: "ENOENT" });
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["null", null],
  ["a text", "holder"],
  ["a list", [holder(1)]],
  ["a pid as text", { ...holder(1), pid: "1" }],
  ["no sequence", { ...holder(1), sequence: undefined }],
  ...(["startTime", "bootId", "handlerVersion", "statusFolder", "marker"] as const).map(
    (key) => [`no ${key}`, { ...holder(1), [key]: undefined }] as const,
  ),
])("a lock file that holds %s has a dead holder", async (_, value) => {
  writeFileSync(join(folder, "supervisor.lock.4"), JSON.stringify(value));
  expect(await liveHolder(files([1]))).toBeUndefined();
  expect(await acquireLock(files([1]), holder(1))).toEqual({ kind: "acquired", previous: undefined });
  expect(readdirSync(folder)).toEqual(["supervisor.lock.5"]);
});
