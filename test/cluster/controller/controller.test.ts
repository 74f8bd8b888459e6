import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { dryRunWriter } from "../../../cluster/commands/dry-run.ts";
import { createWorld } from "../../../cluster/create-world.ts";
import { connect } from "../../../cluster/kube/connection.ts";
import { KubeError } from "../../../cluster/kube/kube-error.ts";
import { createWriter, type Writer } from "../../../cluster/kube/write.ts";
import { conditionTypes } from "../../../cluster/telling/conditions.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import {
  azureMachineObject,
  capzCondition,
  clusterObject,
  machineObject,
  paths,
  vmId,
} from "../../../scripts/dev/start/cluster-objects.ts";
import { failedVerdict, passedVerdict } from "../../support/verdict-samples.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { events, openPlayedCluster, verdicts, waitOf, type PlayedCluster } from "../support/played-cluster.ts";

const waiting = waitOf();
const failed = verdictStatus(failedVerdict());
const line = failed.message.split("\n")[0] ?? "";
let cluster: PlayedCluster;
let api: PlayedCluster["api"];
let arm: PlayedCluster["arm"];
beforeEach(async () => {
  cluster = await openPlayedCluster();
  ({ api, arm } = cluster);
});
afterEach(() => cluster.close());

const start: PlayedCluster["start"] = (...parts) => cluster.start(...parts);
const machine: PlayedCluster["machine"] = (parts) => {
  cluster.machine(parts);
};
const condition: PlayedCluster["condition"] = (...what) => cluster.condition(...what);
const told: PlayedCluster["told"] = (...what) => cluster.told(...what);
const hearAt: PlayedCluster["hearAt"] = (...what) => {
  cluster.hearAt(...what);
};
const writes = () => cluster.writes();

describe("the controller", () => {
  test("tells a failure with its evidence: verdict object, condition, one Event on the owner", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1"));
    machine({ name: "md-0-a", vm: { status: failed } });
    await start();
    await told("md-0-a", "DnsResolutionFailed");
    expect(condition("md-0-a")).toMatchObject({ status: "False" });
    expect(condition("md-0-a", conditionTypes.remediation)).toBeUndefined();
    const [verdict] = api.list(verdicts);
    expect(verdict).toMatchObject({
      cluster: "c1",
      machine: { name: "md-0-a" },
      owner: { kind: "MachineDeployment", name: "md-0" },
      verdict: { outcome: "failed", reason: "DnsResolutionFailed", firstLine: line, source: "instanceView" },
      metadata: { ownerReferences: [{ kind: "Cluster", name: "c1" }] },
    });
    await waitUntil("the Event", () => api.list(events).length === 1);
    expect(api.list(events)[0]).toMatchObject({
      reason: "DnsResolutionFailed",
      regarding: { kind: "MachineDeployment", name: "md-0" },
    });
  });

  test("keeps a failure that only CAPZ told, for the moment before CAPZ turned its condition back", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1"));
    machine({ name: "md-0-a" });
    await start({}, false);
    const object = azureMachineObject({ cluster: "c1", name: "md-0-a" });
    const put = (message: string | undefined) =>
      api.put(paths.azureMachine("md-0-a"), {
        ...object,
        status: { conditions: [capzCondition(message, "2026-11-22T10:00:00Z")] },
      });
    put(line);
    // No pause: both changes may lie in one packet.
    put(undefined);
    await told("md-0-a", "DnsResolutionFailed");
    for (let n = 0; n < 20; n += 1) put(n % 2 === 0 ? undefined : line);
    expect(condition("md-0-a")?.status).toBe("False");
  });

  test("follows a wait into a success, and asks and writes nothing for what has settled", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1"));
    machine({ name: "md-0-a", vm: { status: waiting } });
    const { controller } = await start();
    await told("md-0-a", "BootstrapInProgress");
    machine({ name: "md-0-b", vm: { status: verdictStatus(passedVerdict()) } });
    await told("md-0-b", "Bootstrapped");
    await waitUntil("the object", () => api.list(verdicts).length === 2);
    const before = {
      writes: writes().length,
      asked: arm.requests.filter(({ path }) => path.endsWith("md-0-b")).length,
    };
    api.put(paths.machine("md-0-b"), { ...api.get(paths.machine("md-0-b")), touched: true });
    await waitUntil("nothing to do", () => controller.ready());
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(writes().length).toBe(before.writes);
    expect(arm.requests.filter(({ path }) => path.endsWith("md-0-b")).length).toBe(before.asked);
  });

  test("leaves clusters without the label, and everything that is paused, alone", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1", { watched: false }));
    machine({ name: "md-0-a", vm: { status: failed } });
    await start();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(writes()).toEqual([]);
    expect(arm.requests).toEqual([]);
    api.put(paths.cluster("c1"), { ...clusterObject("c1"), spec: { paused: true } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(writes()).toEqual([]);
    api.put(paths.cluster("c1"), clusterObject("c1"));
    await told("md-0-a", "DnsResolutionFailed");
  });

  test("marks by a condition of its own where the Cluster allows it, and says why where it does not mark", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1", { heal: "condition" }));
    machine({ name: "md-0-a", vm: { status: failed } });
    await start({
      policy: { maxMarked: 1, windowMs: 3_600_000, coolDownMs: 0, sameReasonLimit: 3, unknownRetryability: "hold" },
    });
    await waitUntil("the mark", () => condition("md-0-a", conditionTypes.remediation)?.status === "True");
    machine({ name: "md-0-b", vm: { status: failed } });
    await waitUntil("the refusal", () => condition("md-0-b", conditionTypes.remediation)?.reason === "BudgetSpent");
    await waitUntil("its Event", () => api.list(events).some(({ reason }) => reason === "RemediationHeldBudgetSpent"));
    expect(api.list(events).map(({ reason }) => reason)).toContain("RemediationRequested");
    expect(api.get(paths.machine("md-0-a"))?.["metadata"]).not.toHaveProperty("annotations");
  });

  test("marks by annotation for older health checks, and takes only its own away after a late success", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1", { heal: "annotate" }));
    machine({ name: "md-0-a", vm: { status: verdictStatus(failedVerdict({ sequence: 1 })) } });
    const theirs = machineObject({ cluster: "c1", name: "md-0-b" });
    machine({ name: "md-0-b", vm: { status: verdictStatus(failedVerdict({ sequence: 1 })) } });
    api.put(paths.machine("md-0-b"), {
      ...theirs,
      metadata: { ...(theirs["metadata"] as object), annotations: { "cluster.x-k8s.io/remediate-machine": "by hand" } },
    });
    const { controller } = await start();
    const annotation = (name: string) =>
      (api.get(paths.machine(name))?.["metadata"] as { annotations?: Record<string, string> }).annotations?.[
        "cluster.x-k8s.io/remediate-machine"
      ];
    await waitUntil("the annotation", () => annotation("md-0-a") === "capz-bootstrap-cluster");
    const passed = verdictStatus(passedVerdict({ sequence: 1 }));
    for (const name of ["md-0-a", "md-0-b"]) arm.vms.set(vmId(name).toLowerCase(), { id: vmId(name), status: passed });
    for (const name of ["md-0-a", "md-0-b"]) {
      hearAt(controller, name, passed);
      api.put(paths.machine(name), { ...api.get(paths.machine(name)), touched: true });
    }
    await waitUntil("the recovery", () => annotation("md-0-a") === undefined && condition("md-0-a")?.status === "True");
    expect(annotation("md-0-b")).toBe("by hand");
  });

  test("keeps the verdict of a Machine that is gone, gives its namesake one of its own, and sweeps what is too old", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1"));
    machine({ name: "cp-0", controlPlane: true, vm: { status: failed } });
    const first = await start();
    await told("cp-0", "DnsResolutionFailed");
    await first.stop();
    api.remove(paths.machine("cp-0"));
    machine({ name: "cp-0", controlPlane: true, vm: { status: waiting } });
    const second = await start();
    await told("cp-0", "BootstrapInProgress");
    await waitUntil("both verdicts", () => api.list(verdicts).length === 2);
    await waitUntil("the note", () => api.list(verdicts).some((object) => object["machineGone"] !== undefined));
    await second.stop();
    await start({ keep: { keepMs: 0, keptPerOwner: 50 } });
    await waitUntil("the sweep", () => api.list(verdicts).length === 1);
    expect(api.list(verdicts)[0]).toMatchObject({ verdict: { outcome: "waiting" } });
  });

  test("prints in a dry run what it would write of a Machine, also after the first thing, and writes nothing", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1", { heal: "annotate" }));
    machine({ name: "md-0-a", vm: { status: waiting } });
    const lines: string[] = [];
    const { controller } = await start({ writer: dryRunWriter((line) => lines.push(line)) });
    await waitUntil("the wait", () =>
      lines.some((one) => one.includes("BootstrapInProgress") && one.includes("/status")),
    );
    hearAt(controller, "md-0-a", failed);
    await waitUntil("the failure", () => lines.some((one) => one.includes('"status":"False"')));
    await waitUntil("the annotation", () => lines.some((one) => one.includes("remediate-machine")));
    expect(new Set(lines).size).toBe(lines.length);
    expect(writes()).toEqual([]);
  });

  test("goes on asking in a resource group where it may, when another one of the subscription refuses", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1"));
    machine({ name: "md-0-a", vm: { status: failed } });
    machine({ name: "md-0-b", vm: { status: failed } });
    const elsewhere = vmId("md-0-b").replace("/resourceGroups/workload/", "/resourceGroups/foreign/");
    const object = azureMachineObject({ cluster: "c1", name: "md-0-b" });
    api.put(paths.azureMachine("md-0-b"), { ...object, spec: { providerID: `azure://${elsewhere}` } });
    arm.refusedGroups.add("foreign");
    await start();
    await told("md-0-b", "AccessDenied");
    machine({ name: "md-0-c", vm: { status: failed } });
    await told("md-0-c", "DnsResolutionFailed");
    await told("md-0-a", "DnsResolutionFailed");
  });

  test("gives way to another owner of its condition, tells the rest all the same, and does not try again by itself", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1"));
    machine({ name: "md-0-a", vm: { status: failed } });
    const real = createWriter(await connect({ server: api.origin }, createWorld()));
    let applied = 0;
    const apply: Writer["apply"] = (writing) => {
      if (writing.subresource === undefined) return real.apply(writing);
      applied += 1;
      return Promise.reject(new KubeError("409 Conflict: Apply failed with 1 conflict", { status: 409 }));
    };
    const { lines } = await start({ writer: { ...real, apply } });
    await waitUntil("the Event", () => api.list(events).length === 1);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(applied).toBe(1);
    expect(lines.join("\n")).toContain("belongs to another field manager");
    expect(condition("md-0-a")).toBeUndefined();
  });

  test("leaves a paused Machine of a watched Cluster alone", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1"));
    const object = machineObject({ cluster: "c1", name: "md-0-a" });
    machine({ name: "md-0-a", vm: { status: failed } });
    const annotations = { "cluster.x-k8s.io/paused": "" };
    api.put(paths.machine("md-0-a"), { ...object, metadata: { ...(object["metadata"] as object), annotations } });
    machine({ name: "md-0-b", vm: { status: failed } });
    await start();
    await told("md-0-b", "DnsResolutionFailed");
    expect(arm.requests.filter(({ path }) => path.endsWith("md-0-a"))).toEqual([]);
    expect(writes().filter(({ path }) => path.includes("md-0-a"))).toEqual([]);
  });

  test("tells once for each cluster that the identity has no right, and takes it for no failure", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1"));
    arm.fault = { kind: "status", status: 403 };
    for (const name of ["md-0-a", "md-0-b", "md-0-c"]) machine({ name, vm: { status: failed } });
    await start();
    await told("md-0-a", "AccessDenied");
    expect(condition("md-0-a")?.status).toBe("Unknown");
    await waitUntil("the Event", () => api.list(events).length > 0);
    expect(api.list(events).map(({ reason }) => reason)).toEqual(["AccessDenied"]);
  });

  test("takes being throttled for no answer, waits, and says so", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1"));
    arm.faults.push(
      { kind: "status", status: 429, headers: { "retry-after": "1" } },
      { kind: "status", status: 500 },
      { kind: "broken" },
    );
    machine({ name: "md-0-a", vm: { status: failed } });
    const { metrics, lines } = await start();
    await waitUntil("the throttle", async () => (await metrics.registry.metrics()).includes('answer="throttled"'));
    expect(lines.join("\n")).toContain("Azure asks to wait (429)");
    expect(condition("md-0-a")).toBeUndefined();
  });

  test("gives the metrics of what it knows and does", async () => {
    api.put(paths.cluster("c1"), clusterObject("c1", { heal: "condition" }));
    machine({ name: "md-0-a", vm: { status: failed } });
    machine({ name: "md-0-b", vm: { status: waiting } });
    const { controller, metrics } = await start();
    await told("md-0-a", "DnsResolutionFailed");
    await told("md-0-b", "BootstrapInProgress");
    controller.measure();
    const text = await metrics.registry.metrics();
    expect(text).toContain('capz_bootstrap_verdicts{outcome="failed",reason="DnsResolutionFailed"} 1');
    expect(text).toContain('capz_bootstrap_marks_total{reason="DnsResolutionFailed"} 1');
    expect(text).toMatch(/capz_bootstrap_oldest_unsettled_seconds \d/);
    expect(text).not.toContain("md-0-");
  });
});
