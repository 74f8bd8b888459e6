import { expect, test } from "@jest/globals";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startTimeOf } from "../../handler/platform/process-linux.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultMachine } from "../faults/fault-machine.ts";
import { mountSmallDisk, type SmallDisk } from "../faults/small-disk.ts";
import { survives, untilRunning, verdictOf, type Expected, type Trial } from "../faults/trials.ts";

const testAsRoot = process.getuid?.() === 0 ? test : test.skip;
const testWithStrace = spawnSync("strace", ["-V"]).status === 0 || process.env["CI"] === "true" ? test : test.skip;

const files = ["state", "mrseq", "lock", "status", "all"] as const;
const damages = ["empty", "gone", "half", "NULs"] as const;

test("a power cut in mid-wait that takes unwritten files: after the reboot the verdict comes", async () => {
  await survives("powerCut", async (trial) => {
    const { machine, index } = trial;
    machine.putWaiting(index, index % 2);
    await machine.enable(index);
    await untilRunning(machine, index);
    return afterPowerCut(trial);
  });
}, 180_000);

test("a power cut after the verdict that takes unwritten files: the same verdict again", async () => {
  await survives("powerCutAfterVerdict", async (trial) => {
    const { machine, index } = trial;
    machine.putWaiting(index, index % 2);
    machine.release(index);
    await machine.enable(index);
    await verdictOf(machine, index);
    return afterPowerCut(trial);
  });
}, 180_000);

async function afterPowerCut({ machine, index, damage }: Trial): Promise<Expected> {
  await damage(async () => {
    machine.killAll();
    const file = files[index % files.length] ?? "all";
    const how = damages[Math.floor(index / files.length) % damages.length] ?? "empty";
    for (const path of filesOf(machine, index, file)) damageFile(path, how);
    machine.reboot();
    machine.release(index);
    expect((await machine.enable(index)).exitCode).toBe(0);
  });
  return { kind: index % 2 === 0 ? "success" : "error" };
}

function filesOf(machine: FaultMachine, sequence: number, file: (typeof files)[number]): readonly string[] {
  const { agent, instance } = machine;
  switch (file) {
    case "state":
      return [join(instance, `${String(sequence)}.state.json`)];
    case "mrseq":
      return [join(agent.handlerFolder, "mrseq")];
    case "lock":
      return readdirSync(instance)
        .filter((name) => name.includes(".lock."))
        .map((name) => join(instance, name));
    case "status":
      return [join(agent.statusFolder, `${String(sequence)}.status`)];
    case "all":
      return (["state", "mrseq", "lock", "status"] as const).flatMap((one) => filesOf(machine, sequence, one));
  }
}

function damageFile(path: string, how: (typeof damages)[number]): void {
  if (!existsSync(path)) return;
  const { size } = statSync(path);
  const contents: Readonly<Record<typeof how, Buffer | undefined>> = {
    empty: Buffer.alloc(0),
    gone: undefined,
    half: readFileSync(path).subarray(0, size / 2),
    NULs: Buffer.alloc(size),
  };
  const content = contents[how];
  if (content === undefined) rmSync(path);
  else writeFileSync(path, content);
}

testAsRoot(
  "a full disk, from the start or in mid-wait: the verdict comes, at the latest with the space",
  async () => {
    await survives("fullDisk", (trial) =>
      onBrokenDisk(trial, (disk) => {
        disk.fill();
      }),
    );
  },
  180_000,
);

testAsRoot(
  "a disk without inodes, from the start or in mid-wait: the verdict comes, at the latest with the inodes",
  async () => {
    await survives("noInodes", (trial) =>
      onBrokenDisk(trial, (disk) => {
        disk.useUpInodes();
      }),
    );
  },
  180_000,
);

testAsRoot(
  "a read-only disk, from the start or in mid-wait: the verdict comes, at the latest when it is writable",
  async () => {
    await survives("readOnlyDisk", (trial) =>
      onBrokenDisk(trial, (disk) => {
        disk.makeReadOnly();
      }),
    );
  },
  180_000,
);

/**
 * Trials 0 to 2: broken from the start. Either the verdict comes all the same (log), or what is wrong is said at once: in the
 * status, or, where that cannot be written, by the exit code. Trials 3 to 5: broken in mid-wait; nobody calls enable again.
 */
async function onBrokenDisk({ machine, index }: Trial, breakDisk: (disk: SmallDisk) => void): Promise<Expected> {
  const { agent, instance } = machine;
  const folder = [agent.statusFolder, instance, agent.logFolder][index % 3] ?? "";
  const disk = mountSmallDisk(folder);
  try {
    machine.putWaiting(index);
    if (index < 3) {
      breakDisk(disk);
      machine.release(index);
      await expectAnswer(machine, index);
      disk.heal();
      await machine.enable(index);
    } else {
      await machine.enable(index);
      await untilRunning(machine, index);
      breakDisk(disk);
      machine.release(index);
      if (folder === agent.statusFolder) await pause(300);
      else await verdictOf(machine, index);
      disk.heal();
    }
    await verdictOf(machine, index);
    await ended(machine);
    return { kind: "success" };
  } finally {
    disk.remove();
  }
}

async function expectAnswer(machine: FaultMachine, sequence: number): Promise<void> {
  const { exitCode, output } = await machine.enable(sequence);
  if (exitCode === 0) await verdictOf(machine, sequence);
  else expect(output).toMatch(/status file .* cannot be written/u);
}

async function ended(machine: FaultMachine): Promise<void> {
  const pid = machine.supervisorPid();
  await waitUntil("the supervisor to end", () => pid === undefined || startTimeOf(pid) === undefined);
}

testWithStrace(
  "a slow disk: the verdict comes, later",
  async () => {
    await survives("slowDisk", async ({ machine, index }) => {
      machine.putWaiting(index);
      const delays = ["-e", "inject=fsync,fdatasync:delay_enter=300000", "-e", "inject=rename:delay_enter=100000"];
      expect(await enableTraced(machine, index, delays)).toBe(0);
      machine.release(index);
      await verdictOf(machine, index);
      expect(traceOf(machine, index)).toContain("(DELAYED)");
      return { kind: "success" };
    });
  },
  180_000,
);

testWithStrace(
  "a disk that fails now and then: the verdict comes",
  async () => {
    await survives("diskErrors", async ({ machine, index }) => {
      machine.putWaiting(index);
      const errors = ["inject=fsync,fdatasync:error=EIO:when=3+3", "inject=rename:error=EIO:when=4+4"][index] ?? "";
      await enableTraced(machine, index, ["-e", errors]);
      machine.release(index);
      await verdictOf(machine, index).catch(() => machine.enable(index));
      expect(traceOf(machine, index)).toContain("EIO (Input/output error) (INJECTED)");
      return { kind: "success" };
    });
  },
  180_000,
);

/** enable and all that it starts below strace, which delays or fails their system calls. */
function enableTraced(machine: FaultMachine, sequence: number, inject: readonly string[]): Promise<number | null> {
  const launcher = join(machine.agent.handlerFolder, "bin/capz-bootstrap");
  const calls = "trace=fsync,fdatasync,rename";
  const trace = tracePath(machine, sequence);
  const child = spawn("strace", ["-f", "-D", "-qq", "-o", trace, "-e", calls, ...inject, launcher, "enable"], {
    env: {
      PATH: process.env["PATH"],
      CAPZ_BOOTSTRAP_ROOT: machine.machine.root,
      ConfigSequenceNumber: String(sequence),
    },
    stdio: "ignore",
    detached: true,
  });
  return new Promise((resolve) => {
    child.once("exit", resolve);
  });
}

function tracePath({ machine }: FaultMachine, sequence: number): string {
  return join(machine.root, `check/trace-${String(sequence)}`);
}

/** What strace did to the system calls: without a mark of it the trial tried nothing. */
function traceOf(machine: FaultMachine, sequence: number): string {
  return readFileSync(tracePath(machine, sequence), "utf8");
}
