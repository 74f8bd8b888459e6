import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LockHolder } from "../../../handler/state/exclusive-lock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const dead: LockHolder = {
  pid: 1,
  startTime: "1",
  bootId: "boot",
  sequence: 0,
  handlerVersion: "1.0.0",
  statusFolder: "/status",
  marker: "m",
};

test("acquireLock() lets exactly one of many real processes win, also over a dead holder", async () => {
  writeFileSync(join(folder, "supervisor.lock.1"), JSON.stringify(dead));
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
