import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import {
  azureMachineObject,
  capzCondition,
  clusterObject,
  paths,
  vmId,
} from "../../../scripts/dev/start/cluster-objects.ts";
import { failedVerdict, passedVerdict } from "../../support/verdict-samples.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { openPlayedCluster, playedKinds, verdicts, waitOf, type PlayedCluster } from "../support/played-cluster.ts";

const failed = verdictStatus(failedVerdict({ sequence: 0 }));
const passed = verdictStatus(passedVerdict({ sequence: 0 }));

let kinds: ReturnType<typeof playedKinds>;
let cluster: PlayedCluster;
beforeEach(async () => {
  kinds = playedKinds();
  cluster = await openPlayedCluster(kinds);
});
afterEach(() => cluster.close());

const askedOf = (name: string) => cluster.arm.requests.filter(({ path }) => path.endsWith(name)).length;
describe("what is asked of Azure, and when", () => {
  test("a machine is asked for at once when CAPZ turns its condition, and not before its time otherwise", async () => {
    const { api, arm } = cluster;
    api.put(paths.cluster("c1"), clusterObject("c1"));
    const words = (condition: object) => {
      api.put(paths.azureMachine("md-0-a"), {
        ...azureMachineObject({ cluster: "c1", name: "md-0-a" }),
        status: { conditions: [condition] },
      });
    };
    cluster.machine({ name: "md-0-a", vm: { status: waitOf(0) } });
    const creating = {
      type: "BootstrapSucceeded",
      status: "False",
      reason: "Creating",
      severity: "Info",
      lastTransitionTime: "2026-11-22T10:00:00Z",
    };
    words(creating);
    await cluster.start();
    await cluster.told("md-0-a", "BootstrapInProgress");
    await waitUntil("the first question", () => askedOf("md-0-a") === 1, {
      timeoutMs: 5000,
      describe: () => [arm.requests, api.list(verdicts)],
    });
    arm.vms.set(vmId("md-0-a").toLowerCase(), { id: vmId("md-0-a"), status: passed });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(askedOf("md-0-a")).toBe(1);
    words(capzCondition(undefined, "2026-11-22T10:05:00Z"));
    await cluster.told("md-0-a", "Bootstrapped");
  });

  test("a start asks for nothing that had settled before, and what is turned afterwards is looked at again", async () => {
    const { api, arm } = cluster;
    api.put(paths.cluster("c1"), clusterObject("c1"));
    const names = Array.from({ length: 30 }, (_, n) => `md-0-s${String(n)}`);
    for (const name of names) cluster.machine({ name, vm: { status: passed } });
    const first = await cluster.start();
    for (const name of names) await cluster.told(name, "Bootstrapped");
    await waitUntil("the objects", () => api.list(verdicts).length === 30);
    await first.stop();
    const before = arm.requests.length;
    await cluster.start();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(arm.requests.length).toBe(before);
    api.put(paths.azureMachine("md-0-s7"), {
      ...azureMachineObject({ cluster: "c1", name: "md-0-s7" }),
      status: { conditions: [capzCondition(undefined, new Date().toISOString())] },
    });
    await waitUntil("the look", () => arm.requests.slice(before).some(({ path }) => path.endsWith("md-0-s7")));
    expect(arm.requests.length).toBe(before + 1);
  });

  test("nothing more is asked in a resource group that refuses, for ten minutes", async () => {
    const { api, arm } = cluster;
    api.put(paths.cluster("c1"), clusterObject("c1"));
    arm.refusedGroups.add("workload");
    cluster.machine({ name: "md-0-a", vm: { status: failed } });
    await cluster.start();
    await cluster.told("md-0-a", "AccessDenied");
    const before = arm.requests.length;
    for (const name of ["md-0-b", "md-0-c"]) cluster.machine({ name, vm: { status: failed } });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(arm.requests.length).toBe(before);
  });
});

describe("kinds that come later", () => {
  test("are opened without a restart, and what is remembered stays", async () => {
    const { api, arm } = cluster;
    api.put(paths.cluster("c1"), clusterObject("c1"));
    cluster.machine({ name: "md-0-a", vm: { status: failed } });
    const { lines } = await cluster.start({ kindsEveryMs: 100 });
    await cluster.told("md-0-a", "DnsResolutionFailed");
    kinds["infrastructure.cluster.x-k8s.io"]?.plurals.push("azuremachinepoolmachines", "azuremachinepools");
    await waitUntil("the news", () =>
      lines.some((line) => line.includes("are listed anew") || line.includes("listed anew")),
    );
    const infra = "/apis/infrastructure.cluster.x-k8s.io/v1beta1/namespaces/default";
    const set = vmId("x").replace("virtualMachines/x", "virtualMachineScaleSets/pool");
    const id = `${set}/virtualMachines/0`;
    arm.vms.set(id.toLowerCase(), { id, status: failed });
    api.put(`${infra}/azuremachinepools/pool`, {
      kind: "AzureMachinePool",
      metadata: { name: "pool", namespace: "default" },
      spec: { orchestrationMode: "Uniform", providerID: `azure://${set}` },
    });
    api.put(`${infra}/azuremachinepoolmachines/pool-0`, {
      kind: "AzureMachinePoolMachine",
      metadata: { name: "pool-0", namespace: "default", ownerReferences: [{ kind: "AzureMachinePool", name: "pool" }] },
      spec: { providerID: `azure://${id}` },
    });
    api.put(paths.machine("pool-0"), {
      kind: "Machine",
      metadata: {
        name: "pool-0",
        namespace: "default",
        ownerReferences: [{ kind: "MachinePool", name: "pool", controller: true }],
      },
      spec: { clusterName: "c1", infrastructureRef: { kind: "AzureMachinePoolMachine", name: "pool-0" } },
    });
    await cluster.told("pool-0", "DnsResolutionFailed");
    expect(cluster.condition("md-0-a")?.reason).toBe("DnsResolutionFailed");
  });
});
