import { setTimeout as pause } from "node:timers/promises";
import type { BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import { cloudInitRuns } from "../../scripts/dev/start/node-events.ts";
import { costOf, createBenchNode, enableAndWait, supervisorPid } from "./bench-node.ts";
import type { Figure } from "./measure.ts";

/** Cost of a wait in which nothing happens, beyond the start-up: the supervisor and its check, children included. */
export async function benchWaiting(
  built: BuiltPackage,
  { waitSeconds }: { readonly waitSeconds: number },
): Promise<readonly Figure[]> {
  const node = await createBenchNode(built);
  try {
    cloudInitRuns(node.machine);
    await enableAndWait(node, 0, { publicSettings: { aftercareSeconds: "0" } });
    const pid = supervisorPid(node);
    const before = costOf(pid);
    await pause(waitSeconds * 1000);
    const after = costOf(pid);
    const cpu = after.cpuSeconds - before.cpuSeconds;
    const target = (0.1 * waitSeconds) / 300;
    return [
      {
        name: `CPU of a wait of ${String(waitSeconds)} s`,
        value: `${cpu.toFixed(4)} s`,
        target: `<= ${target.toFixed(2)} s`,
        met: cpu <= target,
      },
      {
        name: "resident memory of the supervisor, peak",
        value: `${after.peakMiB.toFixed(1)} MiB`,
        target: "<= 58 MiB",
        met: after.peakMiB <= 58,
      },
    ];
  } finally {
    await node.discard();
  }
}
