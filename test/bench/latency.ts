import type { BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import { cloudInitFails, cloudInitRuns, kubeadmJoins } from "../../scripts/dev/start/node-events.ts";
import { createBenchNode, enableAndWait, latency } from "./bench-node.ts";
import { inMs, median, percentile, type Figure } from "./measure.ts";

const successRounds = 40;
const failureRounds = 8;

export async function benchLatency(built: BuiltPackage): Promise<readonly Figure[]> {
  const success = await repeat(built, successRounds, (machine) => {
    kubeadmJoins(machine);
  });
  const failure = await repeat(built, failureRounds, cloudInitFails);
  return [
    {
      name: "sentinel to success on disk, median",
      value: inMs(median(success)),
      beside: "poll every 5 s 2500.0 ms",
      ratio: median(success) / 2500,
      target: "<= 20 ms",
      met: median(success) <= 20,
    },
    {
      name: "sentinel to success on disk, p99",
      value: inMs(percentile(success, 99)),
      target: "<= 250 ms",
      met: percentile(success, 99) <= 250,
    },
    {
      name: "cloud-init failure to error on disk, median",
      value: inMs(median(failure)),
      beside: "the CAPZ loop 295000 ms",
      ratio: median(failure) / 295_000,
      target: "<= 300 ms",
      met: median(failure) <= 300,
    },
  ];
}

type Machine = Parameters<typeof cloudInitRuns>[0];

async function repeat(
  built: BuiltPackage,
  rounds: number,
  change: (machine: Machine) => void,
): Promise<readonly number[]> {
  const values: number[] = [];
  const node = await createBenchNode(built);
  try {
    for (let round = 0; round < rounds; round++) {
      for (const path of ["etc/kubernetes/kubelet.conf", "var/lib/kubelet"]) node.machine.remove(path);
      node.machine.reboot();
      cloudInitRuns(node.machine);
      await enableAndWait(node, round, { publicSettings: { aftercareSeconds: "0" } });
      values.push(
        await latency(node, round, () => {
          change(node.machine);
        }),
      );
    }
  } finally {
    await node.discard();
  }
  return values;
}
