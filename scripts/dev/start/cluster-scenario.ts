import { runStatus } from "../../../cluster/commands/status.ts";
import { createWorld } from "../../../cluster/create-world.ts";
import { conditionTypes } from "../../../cluster/telling/conditions.ts";
import type { Status } from "../../../handler/contract/status.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { waitingStatus } from "../../../handler/verdict/waiting-status.ts";
import { startPlayedArm } from "../../../test/cluster/support/played-arm.ts";
import { runController } from "../../../test/cluster/support/run-controller.ts";
import { failedVerdict, passedVerdict } from "../../../test/support/verdict-samples.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { azureMachineObject, capzCondition, clusterObject, machineObject, paths, vmId } from "./cluster-objects.ts";
import { startScenarioServer, type ScenarioServer } from "./management-servers.ts";

export const clusterScenario = {
  name: "cluster",
  about: "the management side: one machine fails, one joins late, one hangs; CAPZ forgets, the verdict stays",
} as const;

type Say = (line: string) => void;

interface Shown {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** True when it went as it should. */
export async function playCluster(say: Say): Promise<boolean> {
  const api = await startScenarioServer();
  const arm = await startPlayedArm();
  const over = new AbortController();
  say(`Management cluster: ${api.what}; Azure and CAPZ are played`);
  const controller = await runController({ api: api.origin, arm: arm.origin });
  try {
    const show = (name: string, status: Status) =>
      arm.vms.set(vmId(name).toLowerCase(), { id: vmId(name), status, time: createWorld().now() });
    await api.put(paths.cluster("workload"), clusterObject("workload", { heal: "condition" }));
    await api.put(paths.deployment("md-0"), deployment);
    for (const name of ["md-0-fails", "md-0-late", "md-0-hangs"]) {
      show(name, waiting(name === "md-0-hangs" ? "kubeadm-preflight" : "kubeadm-join"));
      await api.put(paths.azureMachine(name), azureMachineObject({ cluster: "workload", name }));
      await api.put(paths.machine(name), machineObject({ cluster: "workload", name }));
    }
    const watching = watchStatus(api, { say, signal: over.signal });
    await until(api, "md-0-hangs", { type: conditionTypes.succeeded, status: "Unknown" });
    await createWorld().sleep(2500);
    return await play(api, {
      say,
      show,
      stopWatching: () => {
        over.abort();
        return watching;
      },
    });
  } finally {
    over.abort();
    await controller.stop();
    await arm.close();
    await api.close();
  }
}

interface Playing {
  readonly say: Say;
  readonly show: (name: string, status: Status) => void;
  readonly stopWatching: () => Promise<number>;
}

async function play(api: ScenarioServer, { say, show, stopWatching }: Playing): Promise<boolean> {
  const failed = verdictStatus(failedVerdict({ time: createWorld().now() }));
  const line = failed.message.split("\n")[0] ?? "";
  say("\n── md-0-fails: the extension reports an error, and CAPZ puts it into its condition");
  show("md-0-fails", failed);
  await capzSays(api, line);
  await until(api, "md-0-fails", { type: conditionTypes.succeeded, status: "False" });
  say("── CAPZ reconciles again and turns its condition back to True");
  await capzSays(api, undefined);
  await until(api, "md-0-fails", { type: conditionTypes.remediation, status: "True" });
  say("── md-0-late: joins after all");
  show("md-0-late", verdictStatus(passedVerdict({ time: createWorld().now() })));
  await until(api, "md-0-late", { type: conditionTypes.succeeded, status: "True" });
  await createWorld().sleep(2500);
  await stopWatching();
  const azure = await conditionsOf(api, paths.azureMachine("md-0-fails"));
  const ours = await conditionsOf(api, paths.machine("md-0-fails"));
  say("\n── In the end");
  for (const { type, status, reason } of [...azure, ...ours])
    say(`md-0-fails  ${type} = ${status}${reason === undefined ? "" : ` (${reason})`}`);
  say("A health check that names RemediationNeeded replaces the Machine now; the verdict outlives it.");
  const stays = ours.some(({ type, status }) => type === conditionTypes.succeeded && status === "False");
  return stays && azure.some(({ status }) => status === "True");
}

function waiting(stage: string): Status {
  return waitingStatus({ stage, elapsedSeconds: 30, timeoutSeconds: 900, lastEvent: undefined, warnings: [] });
}

const deployment = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachineDeployment",
  metadata: { name: "md-0", namespace: "default" },
};

function capzSays(api: ScenarioServer, message: string | undefined): Promise<void> {
  return api.putStatus(paths.azureMachine("md-0-fails"), { conditions: [capzCondition(message, createWorld().now())] });
}

async function until(api: ScenarioServer, name: string, wanted: Pick<Shown, "type" | "status">): Promise<void> {
  await waitUntil(`${wanted.type}=${wanted.status} on ${name}`, async () =>
    (await conditionsOf(api, paths.machine(name))).some(
      ({ type, status }) => type === wanted.type && status === wanted.status,
    ),
  );
}

async function conditionsOf(api: ScenarioServer, path: string): Promise<readonly Shown[]> {
  const object = (await api.get(path)) as { readonly status?: { readonly conditions?: readonly Shown[] } };
  return object.status?.conditions ?? [];
}

const listPaths: Readonly<Record<string, string>> = {
  "bootstrapverdicts.bootstrap.capz.io": "/apis/bootstrap.capz.io/v1alpha1/bootstrapverdicts",
  "machines.cluster.x-k8s.io": "/apis/cluster.x-k8s.io/v1beta2/machines",
  "azuremachines.infrastructure.cluster.x-k8s.io": "/apis/infrastructure.cluster.x-k8s.io/v1beta1/azuremachines",
};

/** Of the kinds of machine pools this cluster has none. */
function listOf(api: ScenarioServer, what: string): Promise<unknown> {
  const path = listPaths[what];
  return path === undefined ? Promise.resolve({ items: [] }) : api.get(path);
}

/** `status --watch`, with the answers of the API server in the place of kubectl's. */
function watchStatus(
  api: ScenarioServer,
  { say, signal }: { readonly say: Say; readonly signal: AbortSignal },
): Promise<number> {
  return runStatus({
    allNamespaces: false,
    json: false,
    watch: true,
    kubectl: ["kubectl"],
    run: async ([, , what]) => ({
      kind: "ended",
      code: 0,
      stdout: JSON.stringify(await listOf(api, what ?? "")),
      stderr: "",
    }),
    world: createWorld(),
    print: (text) => {
      say(`$ kubectl capz-bootstrap status --watch\n${text.trim()}\n`);
    },
    printError: say,
    width: 150,
    signal,
  });
}
