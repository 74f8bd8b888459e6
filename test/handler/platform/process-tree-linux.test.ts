import { afterEach, expect, test } from "@jest/globals";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProcessTable, treeMembers } from "../../../handler/platform/process-tree-linux.ts";

const started: number[] = [];

afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Already gone.
    }
  }
});

/** A shell that forks itself, as a supervisor does for its command, tells both numbers, and waits. */
const forks = `
if [ ! -e "$1" ]; then
  : > "$1"
  ( read -r line ) <&3 &
  echo "$$ $!"
fi
read -r line <&3`;
const guardian = '"$@"; exit 0';

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn("/bin/sh", ["-c", guardian, "capz-bootstrap-guardian", "/bin/sh", "-c", forks, ...args], {
    stdio: ["ignore", "pipe", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  started.push(child.pid ?? 0);
  return child;
}

async function numbersOf({ stdout }: ChildProcess): Promise<readonly number[]> {
  if (stdout === null) throw new Error("it has no output");
  const [text] = (await once(stdout, "data")) as unknown[];
  const numbers = String(text).trim().split(" ").map(Number);
  started.push(...numbers);
  return numbers;
}

const tree = { marker: "no-process-carries-this", graceMs: 0 };
const membersFor = (self: number): readonly number[] =>
  treeMembers(readProcessTable(), tree, self).map(({ pid }) => pid);

/** The one process that this guardian started. */
async function childOf({ pid }: ChildProcess): Promise<number> {
  for (;;) {
    const child = readProcessTable().find(({ parent }) => parent === pid);
    if (child !== undefined) {
      started.push(child.pid);
      return child.pid;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("what a killed supervisor had forked belongs to the tree for its successor, before it carries the marker", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-forked-"));
  const args = ["supervise", join(folder, "flag")];
  const [first = 0, forked = 0] = await numbersOf(start(args));
  const successor = await childOf(start(args));
  expect(commandLine(forked)).toBe(commandLine(successor));
  // As long as its supervisor lives it is that one's, which goes by its own lock.
  expect(membersFor(successor)).toEqual([]);
  process.kill(first, "SIGKILL");
  while (readProcessTable().some(({ pid }) => pid === first)) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(membersFor(successor)).toEqual([forked]);
  const elsewhere = await childOf(start(args, { CAPZ_BOOTSTRAP_ROOT: "/elsewhere" }));
  expect(membersFor(elsewhere)).toEqual([]);
  const otherSettings = await childOf(start([...args, "--extension-name", "b"]));
  expect(membersFor(otherSettings)).toEqual([]);
});

function commandLine(pid: number): string {
  return readFileSync(`/proc/${String(pid)}/cmdline`, "utf8");
}
