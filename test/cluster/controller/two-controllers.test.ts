import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { conditionTypes } from "../../../cluster/telling/conditions.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { azureMachineObject, clusterObject, machineObject, paths } from "../../../scripts/dev/start/cluster-objects.ts";
import { failedVerdict, passedVerdict } from "../../support/verdict-samples.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { events, openPlayedCluster, verdicts, type PlayedCluster } from "../support/played-cluster.ts";

const failed = verdictStatus(failedVerdict());
const passed = verdictStatus(passedVerdict());
const names = ["md-0-a", "md-0-b", "md-0-c", "md-0-d"];
let cluster: PlayedCluster;
beforeEach(async () => {
  cluster = await openPlayedCluster();
});
afterEach(() => cluster.close());

/** Nothing is written any more for half a second. */
async function calm(): Promise<number> {
  let before = -1;
  await waitUntil("an end of the writes", async () => {
    before = cluster.writes().length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return cluster.writes().length === before;
  });
  return before;
}

describe("two controllers at once, as after a node that was cut off", () => {
  test("write the same, tell each failure by one Event, and come to rest", async () => {
    cluster.api.put(paths.cluster("c1"), clusterObject("c1"));
    for (const name of names) cluster.machine({ name, vm: { status: name === "md-0-d" ? passed : failed } });
    await Promise.all([cluster.start(), cluster.start()]);
    for (const name of names.slice(0, 3)) await cluster.told(name, "DnsResolutionFailed");
    await cluster.told("md-0-d", "Bootstrapped");
    await waitUntil("the objects", () => cluster.api.list(verdicts).length === names.length);
    const writes = await calm();
    expect(cluster.api.list(events)).toHaveLength(3);
    expect(cluster.api.list(verdicts)).toHaveLength(names.length);
    // Each of both writes a Machine and its object about once; a fight would not end.
    expect(writes).toBeLessThan(names.length * 10);
  });

  test("both keep a failure when CAPZ's condition turns, whichever of them ends first", async () => {
    cluster.api.put(paths.cluster("c1"), clusterObject("c1", { heal: "condition" }));
    cluster.machine({ name: "md-0-a", vm: { status: failed } });
    const [one] = await Promise.all([cluster.start(), cluster.start()]);
    await cluster.told("md-0-a", "DnsResolutionFailed");
    await waitUntil("the mark", () => cluster.condition("md-0-a", conditionTypes.remediation)?.status === "True");
    await one.stop();
    cluster.api.put(paths.azureMachine("md-0-a"), azureMachineObject({ cluster: "c1", name: "md-0-a" }));
    await calm();
    expect(cluster.condition("md-0-a")).toMatchObject({ status: "False", reason: "DnsResolutionFailed" });
    expect(cluster.condition("md-0-a", conditionTypes.remediation)).toMatchObject({ status: "True" });
  });
});

describe("a cluster that moved to another management cluster", () => {
  test("has its conditions back from Azure, keeps the verdicts it brought along, and counts their marks", async () => {
    const { api } = cluster;
    // `clusterctl move`: the objects are made anew, with new uids and without a status, while the Cluster is paused; labels, annotations and what stands
    // beside the status come along (cmd/clusterctl/client/cluster/mover.go).
    api.put(paths.cluster("c1"), clusterObject("c1", { heal: "condition" }));
    for (const name of names) cluster.machine({ name, vm: { status: failed } });
    const first = await cluster.start();
    for (const name of names) await cluster.told(name, "DnsResolutionFailed");
    await waitUntil("the objects", () => api.list(verdicts).length === names.length);
    await calm();
    await first.stop();
    const moved = await openPlayedCluster();
    try {
      const paused = { ...clusterObject("c1", { heal: "condition" }), spec: { paused: true } };
      moved.api.put(paths.cluster("c1"), paused);
      for (const object of api.list(verdicts)) {
        const { name } = object["metadata"] as { readonly name: string };
        const path = `/apis/bootstrap.capz.io/v1alpha1/namespaces/default/bootstrapverdicts/${name}`;
        moved.api.put(path, { ...object, metadata: { name, namespace: "default" } });
      }
      for (const name of names) {
        moved.api.put(paths.azureMachine(name), azureMachineObject({ cluster: "c1", name }));
        const made = machineObject({ cluster: "c1", name });
        moved.api.put(paths.machine(name), {
          ...made,
          metadata: { ...(made["metadata"] as object), uid: `moved-${name}` },
        });
      }
      for (const [id, vm] of cluster.arm.vms) moved.arm.vms.set(id, vm);
      await moved.start();
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(moved.writes().filter(({ path }) => path.includes("/machines/"))).toEqual([]);
      moved.api.put(paths.cluster("c1"), clusterObject("c1", { heal: "condition" }));
      for (const name of names) await moved.told(name, "DnsResolutionFailed");
      await waitUntil("the objects of the new Machines", () => moved.api.list(verdicts).length === 2 * names.length);
      const marked = (where: PlayedCluster) =>
        names.filter((name) => where.condition(name, conditionTypes.remediation)?.status === "True").length;
      await waitUntil("every decision", () =>
        names.every((name) => moved.condition(name, conditionTypes.remediation) !== undefined),
      );
      // What was marked before the move is still counted: the budget is that of the owner, and the marks stand in the moved objects.
      expect(marked(cluster)).toBe(3);
      expect(marked(moved)).toBe(0);
      expect(moved.condition("md-0-a", conditionTypes.remediation)).toMatchObject({ reason: "SameReasonAgain" });
    } finally {
      await moved.close();
    }
  });
});
