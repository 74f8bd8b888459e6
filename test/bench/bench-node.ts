import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  createAgentPlayer,
  type AgentPlayer,
  type HandlerSettings,
  type SeenStatus,
} from "../../scripts/dev/start/agent-player.ts";
import type { BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import { createScratchMachine, type ScratchMachine } from "../../scripts/dev/start/scratch-machine.ts";
import { findSupervisor } from "../../scripts/dev/start/supervisor-process.ts";

export interface BenchNode {
  readonly machine: ScratchMachine;
  readonly agent: AgentPlayer;
  discard(): Promise<void>;
}

/** A scratch machine with the handler installed, without systemd: the detached session is what is measured. */
export async function createBenchNode({ zip, version }: BuiltPackage): Promise<BenchNode> {
  const machine = createScratchMachine();
  const agent = createAgentPlayer({ root: machine.root, zip, version });
  await agent.run("install", 0);
  return {
    machine,
    agent,
    async discard() {
      await agent.run("disable", 0);
      await agent.run("uninstall", 0);
      machine.discard();
    },
  };
}

export async function enableAndWait(node: BenchNode, sequence: number, settings: HandlerSettings): Promise<void> {
  node.agent.putSettings(sequence, settings);
  await node.agent.run("enable", sequence);
  while (!isWaiting(node.agent.status(sequence))) await pause(5);
  // The first probe run is over when the stage is known; the watches stand by then.
  await pause(400);
}

function isWaiting(status: SeenStatus | undefined): boolean {
  return (
    status?.kind === "transitioning" &&
    !status.message.includes("starting the check") &&
    !status.message.includes("obtaining")
  );
}

/** Milliseconds from `change` to a status file of that kind on disk, looked at every half millisecond. */
export async function latency(node: BenchNode, sequence: number, change: () => void): Promise<number> {
  const path = join(node.agent.statusFolder, `${String(sequence)}.status`);
  const before = readFileSync(path);
  const started = performance.now();
  change();
  for (;;) {
    const now = existsSync(path) ? readFileSync(path) : before;
    if (!now.equals(before) && /"status":"(?:success|error)"/u.test(now.toString())) return performance.now() - started;
    await pause(0.5);
  }
}

export interface ProcessCost {
  /** User and system time of the supervisor and of the children it has waited for. */
  readonly cpuSeconds: number;
  /** VmHWM: the most that was ever resident. */
  readonly peakMiB: number;
}

export function costOf(pid: number): ProcessCost {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const seconds = (user: number, system: number) => (Number(fields[user]) + Number(fields[system])) / 100;
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  const peakKiB = Number(/VmHWM:\s+(?<kib>\d+)/u.exec(status)?.groups?.["kib"] ?? Number.NaN);
  return { cpuSeconds: (secondsOfThreads(pid) ?? seconds(11, 12)) + seconds(13, 14), peakMiB: peakKiB / 1024 };
}

/** In nanoseconds where `stat` counts hundredths of a second; of the threads that live, and none of a wait's ends before it. */
function secondsOfThreads(pid: number): number | undefined {
  const tasks = `/proc/${String(pid)}/task`;
  try {
    const times = readdirSync(tasks).map((id) => readFileSync(join(tasks, id, "schedstat"), "utf8").split(" ", 1)[0]);
    return times.reduce((sum, time) => sum + Number(time), 0) / 1e9;
  } catch {
    return undefined;
  }
}

export function supervisorPid(node: BenchNode): number {
  const holder = findSupervisor(node.agent, node.machine.root);
  if (holder === undefined) throw new Error("There is no supervisor to measure");
  return holder.pid;
}

/** Milliseconds of one run of a program, start to exit. */
export function timeRun(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  const started = performance.now();
  spawnSync(file, args, { env: { PATH: process.env["PATH"] ?? "", ...env }, stdio: "ignore" });
  return performance.now() - started;
}
