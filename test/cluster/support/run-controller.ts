import { createArmClient } from "../../../cluster/arm/arm-client.ts";
import { Controller, type ControllerOptions } from "../../../cluster/controller/controller.ts";
import { createMetrics, type Metrics } from "../../../cluster/controller/metrics.ts";
import { createWorld } from "../../../cluster/create-world.ts";
import { defaultPolicy } from "../../../cluster/healing/decide.ts";
import { connect } from "../../../cluster/kube/connection.ts";
import { createWriter } from "../../../cluster/kube/write.ts";

export interface RunningController {
  readonly controller: Controller;
  readonly metrics: Metrics;
  readonly lines: readonly string[];
  /** Ends it in order. */
  stop(): Promise<void>;
}

/** The real controller in this process, against the given servers; asks ARM every 50 ms at most. */
export async function runController(
  servers: { readonly api: string; readonly arm?: string },
  parts: Partial<ControllerOptions> = {},
): Promise<RunningController> {
  const world = createWorld();
  const connection = await connect({ server: servers.api }, world);
  const metrics = createMetrics();
  const lines: string[] = [];
  const over = new AbortController();
  const controller = new Controller({
    connection,
    writer: createWriter(connection),
    arm:
      servers.arm === undefined
        ? undefined
        : createArmClient({ origin: servers.arm, token: () => Promise.resolve("t"), timeoutMs: 2000 }),
    armPerSecond: 1000,
    policy: { ...defaultPolicy, coolDownMs: 0 },
    keep: { keepMs: 7 * 86_400_000, keptPerOwner: 50 },
    world,
    log: { info: (line) => lines.push(line), warn: (line) => lines.push(line) },
    metrics,
    tickMs: 50,
    ...parts,
  });
  const ended = controller.run(over.signal);
  // Awaited by stop(); a failure before that must not be an unhandled rejection.
  ended.catch(() => undefined);
  return {
    controller,
    metrics,
    lines,
    stop: async () => {
      over.abort();
      await ended;
      connection.agent.destroy();
    },
  };
}
