import { afterAll, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startTimeOf } from "../../handler/platform/process-linux.ts";
import type { AgentPlayer } from "../../scripts/dev/start/agent-player.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultMachine } from "../faults/fault-machine.ts";
import { createMemoryGroup } from "../faults/memory-group.ts";
import { survives, untilRunning, verdictOf } from "../faults/trials.ts";

const memoryGroup = process.getuid?.() === 0 ? createMemoryGroup() : undefined;
const testWithMemoryGroup = memoryGroup === undefined ? test.skip : test;

afterAll(() => memoryGroup?.remove());

test("kill -9 of the supervisor alone: it is started again without the agent, and the verdict comes", async () => {
  await survives("killSupervisor", async ({ machine, index, random }) => {
    machine.putWaiting(index, index % 2);
    await machine.enable(index);
    await untilRunning(machine, index);
    await pause(random() * 100);
    signal(machine.supervisorPid(), "SIGKILL");
    machine.release(index);
    return { kind: index % 2 === 0 ? "success" : "error" };
  });
}, 120_000);

test("kill -9 of enable at any moment, then enable again: the verdict comes", async () => {
  let killed = 0;
  await survives("killEnable", async ({ machine, index, random }) => {
    machine.putWaiting(index, index % 2);
    if (await killedEnable(machine, index, random() * 120)) killed++;
    expect((await machine.enable(index)).exitCode).toBe(0);
    machine.release(index);
    return { kind: index % 2 === 0 ? "success" : "error" };
  });
  // The kills must have hit commands at work, or the trials prove nothing.
  expect(killed).toBeGreaterThan(5);
}, 120_000);

async function killedEnable(machine: FaultMachine, sequence: number, afterMs: number): Promise<boolean> {
  const child = spawn(join(machine.agent.handlerFolder, "bin/capz-bootstrap"), ["enable"], {
    env: {
      PATH: process.env["PATH"],
      CAPZ_BOOTSTRAP_ROOT: machine.machine.root,
      ConfigSequenceNumber: String(sequence),
    },
    stdio: "ignore",
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once("exit", (_, name) => {
      resolve(name);
    });
  });
  await pause(afterMs);
  child.kill("SIGKILL");
  return (await ended) === "SIGKILL";
}

test("SIGTERM to everything at once, as at a shutdown, then enable again: the verdict comes", async () => {
  await survives("terminateAll", async ({ machine, index, random }) => {
    machine.putWaiting(index);
    await machine.enable(index);
    await untilRunning(machine, index);
    await pause(random() * 50);
    const pid = machine.supervisorPid() ?? 0;
    process.kill(-groupOf(pid), "SIGTERM");
    await waitUntil("the supervisor to end", () => startTimeOf(pid) === undefined, { everyMs: 5 });
    expect(machine.agent.status(index)?.kind).toBe("transitioning");
    await machine.enable(index);
    machine.release(index);
    return { kind: "success" };
  });
}, 120_000);

test("a supervisor that is frozen now and then: enable takes it for alive, and the verdict comes", async () => {
  await survives("freeze", async ({ machine, index, random }) => {
    machine.putWaiting(index);
    await machine.enable(index);
    await pause(random() * 150);
    const pid = machine.supervisorPid();
    signal(pid, "SIGSTOP");
    machine.release(index);
    expect((await machine.enable(index)).exitCode).toBe(0);
    await pause(500);
    signal(pid, "SIGCONT");
    return { kind: "success" };
  });
}, 120_000);

testWithMemoryGroup(
  "the kernel kills the check for its memory: an error that names the signal",
  async () => {
    await survives("outOfMemoryCheck", async ({ machine, index }) => {
      memoryGroup?.limit(400 * 1024 * 1024);
      const before = memoryGroup?.kills() ?? 0;
      machine.putCommand(
        index,
        `while [ ! -e ${machine.machine.root}/check/eat-${String(index)} ]; do sleep 0.05; done; exec tail /dev/zero`,
      );
      await machine.enable(index);
      const pid = await waitUntil("the command", () => childOf(machine.supervisorPid()));
      memoryGroup?.add(machine.supervisorPid() ?? 0);
      memoryGroup?.add(pid);
      machine.machine.write(`check/eat-${String(index)}`, "");
      await verdictOf(machine, index);
      expect(memoryGroup?.kills()).toBeGreaterThan(before);
      return { kind: "error", message: /ended by SIGKILL/u };
    });
  },
  120_000,
);

testWithMemoryGroup(
  "the kernel kills the supervisor for its memory: it is started again, and the verdict comes",
  async () => {
    await survives("outOfMemorySupervisor", async ({ machine, index }) => {
      memoryGroup?.limit(300 * 1024 * 1024);
      machine.putWaiting(index);
      await machine.enable(index);
      await untilRunning(machine, index);
      const pid = machine.supervisorPid() ?? 0;
      memoryGroup?.add(pid);
      // The kernel weighs memory and this number: our supervisor goes first, whatever the other one takes.
      writeFileSync(`/proc/${String(pid)}/oom_score_adj`, "1000");
      const hog = spawn("/bin/sh", ["-c", "sleep 0.2; exec tail /dev/zero"], { stdio: "ignore" });
      memoryGroup?.add(hog.pid ?? 0);
      await waitUntil("the kernel to kill the supervisor", () => startTimeOf(pid) === undefined, { everyMs: 5 });
      hog.kill("SIGKILL");
      machine.release(index);
      return { kind: "success" };
    });
    expect(memoryGroup?.kills()).toBeGreaterThan(0);
  },
  120_000,
);

const children = 200;

test("a check that forks 200 children in sessions of their own: none survives the deadline, new settings or disable", async () => {
  await survives("forks", async ({ machine, index }) => {
    const pids = join(machine.machine.root, `check/pids-${String(index)}`);
    const fork = `setsid sh -c 'echo $$ >> ${pids}; exec sleep 600' &`;
    const line = `n=0; while [ $n -lt ${String(children)} ]; do ${fork} n=$((n + 1)); done; sleep 600`;
    machine.putCommand(index, line, { timeoutSeconds: "30" });
    await machine.enable(index);
    await waitUntil("all children", () => read(pids).length === children);
    if (index === 0) await verdictOf(machine, index);
    if (index === 1) await machine.agent.run("disable", index);
    if (index === 2) {
      machine.putCommand(3, "true");
      await machine.enable(3);
      await verdictOf(machine, 3);
    }
    expect(read(pids).filter((pid) => startTimeOf(Number(pid)) !== undefined)).toEqual([]);
    if (index === 0) return { kind: "error", message: /still running/u };
    // The command of this sequence was interrupted: only settings that allow it let another one begin.
    machine.putCommand(index, "true", { restart: "always" });
    await machine.enable(index);
    return { kind: "success" };
  });
}, 120_000);

test("two versions enabled in the same moment, then the newer one again: one check at a time, and the newer one has the verdict", async () => {
  let newer: AgentPlayer | undefined;
  await survives("twoVersions", async ({ machine, index }) => {
    newer ??= machine.unpackNewer();
    machine.putWaiting(index, index % 2);
    copyFileSync(settingsPath(machine.agent, index), settingsPath(newer, index));
    const results = await Promise.all([machine.enable(index), newer.run("enable", index)]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    machine.release(index);
    const kind = index % 2 === 0 ? "success" : "error";
    const settled = () => [machine.agent, newer].some((agent) => agent?.status(index)?.kind === kind);
    await waitUntil("a verdict of one of the two", settled, { everyMs: 5 });
    await newer.run("enable", index);
    const after = newer;
    await waitUntil("the verdict of the newer version", () => after.status(index)?.kind === kind, { everyMs: 5 });
    await machine.enable(index);
    return { kind };
  });
}, 180_000);

function settingsPath({ configFolder }: AgentPlayer, sequence: number): string {
  return join(configFolder, `${String(sequence)}.settings`);
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

function groupOf(pid: number): number {
  return Number(statFields(pid)[2]);
}

function childOf(parent: number | undefined): number | undefined {
  return readdirSync("/proc")
    .map(Number)
    .find((pid) => pid > 1 && Number(statFields(pid)[1]) === parent);
}

/** From the state on: state, parent, group, session (proc_pid_stat(5)). */
function statFields(pid: number): readonly string[] {
  const path = `/proc/${String(pid)}/stat`;
  try {
    const stat = readFileSync(path, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function read(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}
