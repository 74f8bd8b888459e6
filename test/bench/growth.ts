import type { BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import { cloudInitRuns, kubeadmRuns } from "../../scripts/dev/start/node-events.ts";
import { measureGrowth } from "../load/growth-of.ts";
import { createBenchNode, enableAndWait, supervisorPid } from "./bench-node.ts";
import type { Figure } from "./measure.ts";

/** A wait twice as long as that of `waiting` (ten minutes), on a node that changes its stage now and then. */
export async function benchGrowth(
  built: BuiltPackage,
  { waitSeconds }: { readonly waitSeconds: number },
): Promise<readonly Figure[]> {
  const node = await createBenchNode(built);
  const seconds = 2 * waitSeconds;
  try {
    cloudInitRuns(node.machine);
    await enableAndWait(node, 0, { publicSettings: { aftercareSeconds: "0", timeoutSeconds: "5000" } });
    const { first, last } = await measureGrowth({
      pid: supervisorPid(node),
      logFolder: node.agent.logFolder,
      seconds,
      stir: (count) => {
        (count % 2 === 0 ? kubeadmRuns : cloudInitRuns)(node.machine);
      },
    });
    const over = `over ${String(Math.round(seconds / 3))} s`;
    return [
      figure(`memory ${over}`, { grown: last.residentMiB - first.residentMiB, unit: "MiB", most: 4 }),
      figure(`descriptors ${over}`, { grown: last.descriptors - first.descriptors, unit: "open", most: 0 }),
      figure(`log ${over}`, { grown: (last.logBytes - first.logBytes) / 1024, unit: "KiB", most: 4 }),
    ];
  } finally {
    await node.discard();
  }
}

interface Grown {
  readonly grown: number;
  readonly unit: string;
  readonly most: number;
}

function figure(name: string, { grown, unit, most }: Grown): Figure {
  const sign = grown < 0 ? "" : "+";
  return {
    name: `growth of ${name}`,
    value: `${sign}${grown.toFixed(1)} ${unit}`,
    target: `<= +${String(most)} ${unit}`,
    met: grown <= most,
  };
}
