import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acquireLock, liveHolder, type LockFiles, type LockHolder } from "../../../handler/state/exclusive-lock.ts";

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

test("acquireLock() lets exactly one of many real processes win, also over a dead holder", async () => {
  writeFileSync(join(folder, "supervisor.lock.1"), JSON.stringify(holder(1)));
  const contenders = Array.from({ length: 12 }, () => contend());
  const answers = await Promise.all(contenders.map(({ answer }) => answer));
  await Promise.all(contenders.map(({ leave }) => leave()));
  expect(answers.filter((result) => result === "acquired")).toHaveLength(1);
}, 60_000);

/** A process of its own that tries once and holds what it got until it is told to leave. */
function contend(): { readonly answer: Promise<string>; readonly leave: () => Promise<void> } {
  const module = join(import.meta.dirname, "../../../handler/state/exclusive-lock.ts");
  const program = `
    import { existsSync } from "node:fs";
    const { acquireLock } = await import(${JSON.stringify(module)});
    const isAlive = ({ pid }) => Promise.resolve(pid !== 1 && existsSync("/proc/" + pid));
    const self = { pid: process.pid, startTime: "1", bootId: "boot", sequence: 0, handlerVersion: "1", statusFolder: "/s", marker: "m" };
    const result = await acquireLock({ folder: ${JSON.stringify(folder)}, name: "supervisor", isAlive }, self);
    process.stdout.write(result.kind);
    process.stdin.resume();
    process.stdin.on("end", () => process.exit(0));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => {
      resolve();
    });
  });
  return {
    answer: new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => {
        reject(new Error(`a contender ended without an answer, exit code ${String(code)}`));
      });
      child.stdout.once("data", (chunk: Buffer) => {
        resolve(chunk.toString());
      });
    }),
    leave: () => {
      child.stdin.end();
      return exited;
    },
  };
}
