import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import { capzCommand } from "../../scripts/dev/start/capz-command.ts";
import { cloudInitFails, cloudInitRuns, kubeadmJoins } from "../../scripts/dev/start/node-events.ts";
import { createScratchMachine } from "../../scripts/dev/start/scratch-machine.ts";
import { createBenchNode, enableAndWait, latency } from "./bench-node.ts";
import { inMs, type Figure } from "./measure.ts";

/** CAPZ's own loop under `sh` and the handler with its own check, on the same machine in the same run. */
export async function benchOldWay(built: BuiltPackage): Promise<readonly Figure[]> {
  const [old, ours, failure] = [await oldSuccess(), await ourSuccess(built), await ourFailure(built)];
  return [
    {
      name: "node joins 7 s after the start: seen after",
      value: inMs(ours),
      beside: `CAPZ's loop ${inMs(old)}`,
      ratio: ours / old,
      target: "ratio < 1",
      met: ours < old,
    },
    {
      name: "useful text of a failure (first line)",
      value: `${String(failure.length)} characters: ${failure}`,
      beside: "CAPZ's loop: exit status=1 after 295 s, cause unnamed",
      target: "names the cause",
      met: failure.includes("("),
    },
  ];
}

async function oldSuccess(): Promise<number> {
  const machine = createScratchMachine();
  try {
    const child = spawn("/bin/sh", ["-c", capzCommand(machine.root)], { stdio: "ignore" });
    const ended = new Promise<void>((resolve) =>
      child.once("exit", () => {
        resolve();
      }),
    );
    await pause(7000);
    const started = performance.now();
    kubeadmJoins(machine);
    await ended;
    return performance.now() - started;
  } finally {
    machine.discard();
  }
}

async function ourSuccess(built: BuiltPackage): Promise<number> {
  const node = await createBenchNode(built);
  try {
    cloudInitRuns(node.machine);
    await enableAndWait(node, 0, { publicSettings: { aftercareSeconds: "0" } });
    return await latency(node, 0, () => {
      kubeadmJoins(node.machine);
    });
  } finally {
    await node.discard();
  }
}

async function ourFailure(built: BuiltPackage): Promise<string> {
  const node = await createBenchNode(built);
  try {
    cloudInitRuns(node.machine);
    await enableAndWait(node, 0, { publicSettings: { aftercareSeconds: "0" } });
    await latency(node, 0, () => {
      cloudInitFails(node.machine);
    });
    return firstLineOf(`${node.agent.statusFolder}/0.status`);
  } finally {
    await node.discard();
  }
}

function firstLineOf(path: string): string {
  const text = /"message":"(?<line>(?:[^"\\]|\\[^n])*)/u.exec(readFileSync(path, "utf8"))?.groups?.["line"];
  return text ?? "";
}
