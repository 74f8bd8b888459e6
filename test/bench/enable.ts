import { join } from "node:path";
import type { BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import { createBenchNode, enableAndWait, timeRun } from "./bench-node.ts";
import { inMs, median, type Figure } from "./measure.ts";

const rounds = 30;

/** The call that the agent makes on every goal state (supervisor at work), and the one that begins; each beside a bare Node. */
export async function benchEnable(built: BuiltPackage): Promise<readonly Figure[]> {
  const node = await createBenchNode(built);
  try {
    const launcher = join(node.agent.handlerFolder, "bin/capz-bootstrap");
    const runtime = join(
      node.agent.handlerFolder,
      "runtime",
      process.arch === "arm64" ? "linux-arm64" : "linux-x64",
      "node",
    );
    const env = { CAPZ_BOOTSTRAP_ROOT: node.machine.root };
    const again: number[] = [];
    const fresh: number[] = [];
    const bare: number[] = [];
    await enableAndWait(node, 0, { publicSettings: { aftercareSeconds: "0" } });
    for (let round = 1; round <= rounds; round++) {
      bare.push(timeRun(runtime, ["-e", "0"]));
      again.push(timeRun(launcher, ["enable"], { ...env, ConfigSequenceNumber: "0" }));
    }
    for (let round = 1; round <= rounds; round++) {
      node.agent.putSettings(round, { publicSettings: { aftercareSeconds: "0" } });
      await node.agent.run("disable", round);
      fresh.push(timeRun(launcher, ["enable"], { ...env, ConfigSequenceNumber: String(round) }));
    }
    return [figure("enable again (supervisor at work)", again, bare), figure("enable that begins", fresh, bare)];
  } finally {
    await node.discard();
  }
}

function figure(name: string, values: readonly number[], bare: readonly number[]): Figure {
  const ratio = median(values) / median(bare);
  return {
    name: `${name}, median`,
    value: inMs(median(values)),
    beside: `bare Node ${inMs(median(bare))}`,
    ratio,
    target: "ratio <= 2",
    met: ratio <= 2,
  };
}
