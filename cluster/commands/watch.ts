import { createArmClient } from "../arm/arm-client.ts";
import { Controller } from "../controller/controller.ts";
import { createMetrics } from "../controller/metrics.ts";
import type { HealingPolicy } from "../healing/decide.ts";
import { connect, inClusterFiles, type ConnectionFiles } from "../kube/connection.ts";
import { createWriter } from "../kube/write.ts";
import type { ClusterLog, World } from "../world.ts";
import { azureEndpoint, missingVariables } from "./azure-credential.ts";
import { dryRunWriter } from "./dry-run.ts";
import { startProbeServer } from "./probe-server.ts";

export interface WatchOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly world: World;
  readonly log: ClusterLog;
  readonly print: (line: string) => void;
  /** Aborted by SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly namespace?: string | undefined;
  readonly cloud: string;
  /** In the place of a cloud's resource manager; for tests. */
  readonly armOrigin?: string | undefined;
  readonly armPerSecond: number;
  readonly policy: HealingPolicy;
  readonly keepMs: number;
  readonly keptPerOwner: number;
  readonly dryRun: boolean;
  readonly listen: { readonly host: string; readonly port: number };
}

/** The controller, until it is told to end. Returns the exit code. */
export async function runWatch(options: WatchOptions): Promise<number> {
  const { env, world, log, signal } = options;
  const files = connectionFiles(options);
  if (files === undefined) {
    log.warn(
      "There is no API server: neither --server is given nor KUBERNETES_SERVICE_HOST set. Run it as the Deployment of manifests/management does.",
    );
    return 64;
  }
  const connection = await connect(files, world);
  const metrics = createMetrics({ dryRun: options.dryRun });
  const endpoint = await armEndpoint(options);
  if (endpoint === undefined) {
    log.warn(
      `Azure is not asked, because ${missingVariables(env).join(", ")} ${missingVariables(env).length === 1 ? "is" : "are"} not set; only what CAPZ tells is known`,
    );
  }
  const controller = new Controller({
    connection,
    writer: options.dryRun ? dryRunWriter(options.print) : createWriter(connection),
    arm: endpoint === undefined ? undefined : createArmClient(endpoint),
    armPerSecond: options.armPerSecond,
    policy: options.policy,
    keep: { keepMs: options.keepMs, keptPerOwner: options.keptPerOwner },
    world,
    log,
    metrics,
    namespace: options.namespace,
  });
  const probes = await startProbeServer(options.listen, { controller, metrics });
  log.info(
    `capz-bootstrap-cluster watches ${connection.origin.href}; probes and metrics on port ${String(probes.port)}`,
  );
  try {
    await controller.run(signal);
    log.info("Ended in order");
    return 0;
  } finally {
    await probes.close();
    connection.agent.destroy();
  }
}

function connectionFiles({ server, tokenFile, caFile, env }: WatchOptions): ConnectionFiles | undefined {
  return server === undefined ? inClusterFiles(env) : { server, tokenFile, caFile };
}

async function armEndpoint({ armOrigin, env, cloud }: WatchOptions) {
  if (armOrigin !== undefined) return { origin: armOrigin, token: () => Promise.resolve("test") };
  return azureEndpoint(env, { cloud, asPerson: false });
}
