import type { Controller } from "../../../cluster/controller/controller.ts";
import { conditionTypes } from "../../../cluster/telling/conditions.ts";
import { readVm } from "../../../cluster/verdict/read-vm.ts";
import type { Status } from "../../../handler/contract/status.ts";
import { waitingStatus } from "../../../handler/verdict/waiting-status.ts";
import {
  azureMachineObject,
  machineObject,
  paths,
  vmId,
  type MachineParts,
} from "../../../scripts/dev/start/cluster-objects.ts";
import { startPlayedApiServer, type PlayedApiServer } from "../../../scripts/dev/start/played-api-server.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { azureVm, type NodeStatus, type PlayedVm } from "./azure-vm.ts";
import { startPlayedArm, type PlayedArm } from "./played-arm.ts";
import { runController, type RunningController } from "./run-controller.ts";

export const verdicts = "/apis/bootstrap.capz.io/v1alpha1/bootstrapverdicts";
export const events = "/apis/events.k8s.io/v1/events";

interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** The played servers, and the real controller in this process, as one. */
export interface PlayedCluster {
  readonly api: PlayedApiServer;
  readonly arm: PlayedArm;
  /** Resolves when everything is listed. */
  start(parts?: Parameters<typeof runController>[1], withArm?: boolean): Promise<RunningController>;
  machine(parts: Omit<MachineParts, "cluster"> & { readonly vm?: Partial<PlayedVm> }): void;
  condition(name: string, type?: string): ShownCondition | undefined;
  /** Until the Machine's condition has this reason. */
  told(name: string, reason: string): Promise<boolean>;
  /** A failure is asked for every two minutes, a wait every 15 s; the controller hears the answer at once, and looks at the Machine. */
  hearAt(controller: Controller, name: string, status: NodeStatus): void;
  writes(): readonly PlayedApiServer["requests"][number][];
  close(): Promise<void>;
}

/** What the played API server serves; a test may add kinds while it runs. */
export function playedKinds(): Record<string, { version: string; plurals: string[] }> {
  return {
    "cluster.x-k8s.io": { version: "v1beta2", plurals: ["clusters", "machines", "machinedeployments"] },
    "controlplane.cluster.x-k8s.io": { version: "v1beta2", plurals: ["kubeadmcontrolplanes"] },
    "infrastructure.cluster.x-k8s.io": { version: "v1beta1", plurals: ["azuremachines"] },
    "bootstrap.capz.io": { version: "v1alpha1", plurals: ["bootstrapverdicts"] },
    "events.k8s.io": { version: "v1", plurals: ["events"] },
  };
}

/** The status of a wait; with a sequence it says whose it is. */
export function waitOf(sequence?: number, elapsedSeconds = 3): Status {
  return waitingStatus({
    stage: "kubeadm-join",
    elapsedSeconds,
    timeoutSeconds: 900,
    lastEvent: undefined,
    warnings: [],
    ...(sequence === undefined
      ? {}
      : { of: { vmId: "5c0ffee0-0000-4000-8000-0123456789ab", sequence, mode: "enforce" as const, time: new Date() } }),
  });
}

export async function openPlayedCluster(kinds = playedKinds()): Promise<PlayedCluster> {
  const api = await startPlayedApiServer(kinds);
  const arm = await startPlayedArm();
  const running: RunningController[] = [];
  api.put(paths.deployment("md-0"), {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachineDeployment",
    metadata: { name: "md-0", namespace: "default" },
  });
  const condition: PlayedCluster["condition"] = (name, type = conditionTypes.succeeded) => {
    const status = api.get(paths.machine(name))?.["status"] as
      { readonly conditions?: readonly ShownCondition[] } | undefined;
    return status?.conditions?.find((one) => one.type === type);
  };
  return {
    api,
    arm,
    start: async (parts = {}, withArm = true) => {
      const one = await runController({ api: api.origin, ...(withArm ? { arm: arm.origin } : {}) }, parts);
      running.push(one);
      await waitUntil("the first lists", () => one.controller.ready());
      return one;
    },
    machine: (parts) => {
      const all = { cluster: "c1", ...parts };
      api.put(paths.azureMachine(parts.name), azureMachineObject(all));
      api.put(paths.machine(parts.name), machineObject(all));
      const id = vmId(parts.name);
      if (parts.vm !== undefined) arm.vms.set(id.toLowerCase(), { id, ...parts.vm });
    },
    condition,
    told: (name, reason) => waitUntil(`${reason} on ${name}`, () => condition(name)?.reason === reason),
    hearAt: (controller, name, status) => {
      const { uid } = api.get(paths.machine(name))?.["metadata"] as { readonly uid: string };
      const now = new Date().toISOString();
      const read = readVm(azureVm({ id: vmId(name), status }), now);
      if (read !== undefined) controller.book.hear(uid, read.account, { now, monotonicMs: 0 });
      api.put(paths.azureMachine(name), { ...api.get(paths.azureMachine(name)), heard: now });
    },
    writes: () => api.requests.filter(({ method }) => method !== "GET"),
    close: async () => {
      // Stopped twice does no harm: a test may have stopped one itself.
      for (const one of running) await one.stop();
      await api.close();
      await arm.close();
    },
  };
}
