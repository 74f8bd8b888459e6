import { setTimeout as pause } from "node:timers/promises";
import type { BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import { cloudInitFails, cloudInitRuns, kubeadmJoins } from "../../scripts/dev/start/node-events.ts";
import { createScratchMachine } from "../../scripts/dev/start/scratch-machine.ts";
import {
  costOf,
  createBenchNode,
  enableAndWait,
  latency,
  supervisorPid,
  type BenchNode,
  type ProcessCost,
} from "./bench-node.ts";
import { startCapzLoop } from "./capz-loop.ts";
import { inMs, type Figure } from "./measure.ts";

/** The node joins, or fails, as long after the start; not a multiple of the loop's 5 s. */
const eventAfterMs = 7000;

/**
 * CAPZ's own loop under `sh` and the handler with its own check, on the same machine at the same time. The loop needs its
 * 295 s to fail; a third handler waits beside it as long, so that the cost of both waits is that of the same seconds.
 */
export async function benchOldWay(built: BuiltPackage): Promise<readonly Figure[]> {
  const success = await Promise.all([oldSuccess(), ourSuccess(built)]);
  const old = oldFailure();
  const [told, loop, waiting] = await Promise.all([ourFailure(built), old, waitBeside(built, old)]);
  return [
    {
      name: `node joins ${String(eventAfterMs / 1000)} s after the start: seen after`,
      value: inMs(success[1]),
      beside: `CAPZ's loop ${inMs(success[0])}`,
      ratio: success[1] / success[0],
      target: "ratio < 1",
      met: success[1] < success[0],
    },
    {
      name: "cloud-init fails as late: told after",
      value: inMs(told.ms),
      beside: `CAPZ's loop ${inMs(loop.ms)}`,
      ratio: told.ms / loop.ms,
      target: "ratio < 0.01",
      met: told.ms < loop.ms / 100,
    },
    {
      name: "CPU of the wait until the loop gave up",
      value: `${waiting.cpuSeconds.toFixed(2)} s`,
      beside: `CAPZ's loop ${loop.cost.cpuSeconds.toFixed(2)} s`,
      ratio: waiting.cpuSeconds / loop.cost.cpuSeconds,
      target: "<= 0.15 s",
      met: waiting.cpuSeconds <= 0.15,
    },
    {
      name: "memory of the wait, peak",
      value: `${waiting.peakMiB.toFixed(1)} MiB`,
      beside: `CAPZ's loop ${loop.cost.peakMiB.toFixed(1)} MiB`,
      target: "<= 60 MiB",
      met: waiting.peakMiB <= 60,
    },
    {
      name: "text about the failure",
      value: `${String(Buffer.byteLength(told.message))} bytes, first line: ${told.message.split("\n")[0] ?? ""}`,
      beside: `CAPZ's loop ${String(Buffer.byteLength(loop.output))} bytes: ${loop.output.trim()}`,
      target: "names the cause",
      met: told.message.includes("DnsResolutionFailed"),
    },
  ];
}

async function oldSuccess(): Promise<number> {
  const machine = createScratchMachine();
  try {
    const { ended } = startCapzLoop(machine.root);
    await pause(eventAfterMs);
    const started = performance.now();
    kubeadmJoins(machine);
    await ended;
    return performance.now() - started;
  } finally {
    machine.discard();
  }
}

async function ourSuccess(built: BuiltPackage): Promise<number> {
  return onWaitingNode(built, async (node) => {
    await pause(eventAfterMs);
    return latency(node, 0, () => {
      kubeadmJoins(node.machine);
    });
  });
}

interface OldFailure {
  /** From the failure to the loop's end. */
  readonly ms: number;
  readonly output: string;
  readonly cost: ProcessCost;
}

async function oldFailure(): Promise<OldFailure> {
  const machine = createScratchMachine();
  try {
    cloudInitRuns(machine);
    const { ended } = startCapzLoop(machine.root);
    await pause(eventAfterMs);
    const started = performance.now();
    cloudInitFails(machine);
    const { output, cost } = await ended;
    return { ms: performance.now() - started, output, cost };
  } finally {
    machine.discard();
  }
}

async function ourFailure(built: BuiltPackage): Promise<{ readonly ms: number; readonly message: string }> {
  return onWaitingNode(built, async (node) => {
    await pause(eventAfterMs);
    const ms = await latency(node, 0, () => {
      cloudInitFails(node.machine);
    });
    return { ms, message: node.agent.status(0)?.message ?? "" };
  });
}

/** What the wait itself costs, beyond start-up, until `end`. */
async function waitBeside(built: BuiltPackage, end: Promise<unknown>): Promise<ProcessCost> {
  return onWaitingNode(built, async (node) => {
    const pid = supervisorPid(node);
    const before = costOf(pid);
    await end;
    const after = costOf(pid);
    return { cpuSeconds: after.cpuSeconds - before.cpuSeconds, peakMiB: after.peakMiB };
  });
}

async function onWaitingNode<T>(built: BuiltPackage, use: (node: BenchNode) => Promise<T>): Promise<T> {
  const node = await createBenchNode(built);
  try {
    cloudInitRuns(node.machine);
    await enableAndWait(node, 0, { publicSettings: { aftercareSeconds: "0" } });
    return await use(node);
  } finally {
    await node.discard();
  }
}
