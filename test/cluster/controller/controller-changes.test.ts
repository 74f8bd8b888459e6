import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createWorld } from "../../../cluster/create-world.ts";
import { connect } from "../../../cluster/kube/connection.ts";
import { KubeError } from "../../../cluster/kube/kube-error.ts";
import { createWriter } from "../../../cluster/kube/write.ts";
import { conditionTypes } from "../../../cluster/telling/conditions.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { azureMachineObject, capzCondition, clusterObject, paths } from "../../../scripts/dev/start/cluster-objects.ts";
import { failedVerdict } from "../../support/verdict-samples.ts";
import { waitUntil } from "../../support/wait-until.ts";
import {
  events,
  openPlayedCluster,
  playedKinds,
  verdicts,
  waitOf,
  type PlayedCluster,
} from "../support/played-cluster.ts";

const failed = verdictStatus(failedVerdict({ sequence: 0 }));
const { remediation } = conditionTypes;

let kinds: ReturnType<typeof playedKinds>;
let cluster: PlayedCluster;
beforeEach(async () => {
  kinds = playedKinds();
  cluster = await openPlayedCluster(kinds);
});
afterEach(() => cluster.close());

const annotation = (name: string) =>
  (cluster.api.get(paths.machine(name))?.["metadata"] as { annotations?: Record<string, string> }).annotations?.[
    "cluster.x-k8s.io/remediate-machine"
  ];
const reasons = () => cluster.api.list(events).map(({ reason }) => reason);
const record = (name: string) =>
  cluster.api.list(verdicts).find((object) => (object["machine"] as { name: string }).name === name);

describe("newer settings on the same machine", () => {
  test("begin anew with their wait: the condition, the object and the mark follow, and a restart brings nothing back", async () => {
    const { api } = cluster;
    api.put(paths.cluster("c1"), clusterObject("c1", { heal: "annotate" }));
    cluster.machine({ name: "md-0-a", vm: { status: failed } });
    const first = await cluster.start();
    await waitUntil("the annotation", () => annotation("md-0-a") === "capz-bootstrap-cluster");
    cluster.hearAt(first.controller, "md-0-a", waitOf(1));
    await cluster.told("md-0-a", "BootstrapInProgress");
    await waitUntil("the recovery", () => annotation("md-0-a") === undefined);
    expect(cluster.condition("md-0-a", remediation)).toBeUndefined();
    await waitUntil("the Event", () => reasons().includes("RemediationWithdrawn"));
    expect(record("md-0-a")).toMatchObject({
      verdict: { outcome: "waiting", sequence: 1 },
      mark: { reason: "DnsResolutionFailed", withdrawn: expect.any(String) },
    });
    await first.stop();
    const before = cluster.writes().length;
    cluster.arm.fault = { kind: "status", status: 500 };
    const second = await cluster.start();
    await new Promise((resolve) => setTimeout(resolve, 500));
    // The Event is offered again, and known to be told by its name.
    const written = cluster.writes().slice(before);
    expect(written.filter(({ path }) => !path.endsWith("/events"))).toEqual([]);
    expect(reasons().filter((reason) => reason === "RemediationWithdrawn")).toHaveLength(1);
    expect(annotation("md-0-a")).toBeUndefined();
    // The machine that was marked and taken back has used up its share of the budget.
    cluster.arm.fault = undefined;
    await second.stop();
    cluster.machine({ name: "md-0-b", vm: { status: failed } });
    await cluster.start({
      policy: { maxMarked: 1, windowMs: 3_600_000, coolDownMs: 0, sameReasonLimit: 9, unknownRetryability: "hold" },
    });
    await waitUntil("the refusal", () => cluster.condition("md-0-b", remediation)?.reason === "BudgetSpent");
  });

  test("a failure that CAPZ told of the older settings does not come back over their wait", async () => {
    cluster.api.put(paths.cluster("c1"), clusterObject("c1"));
    cluster.machine({ name: "md-0-a", vm: { status: failed } });
    const { controller } = await cluster.start();
    await cluster.told("md-0-a", "DnsResolutionFailed");
    const long = new Date(Date.now() - 3_600_000).toISOString();
    cluster.api.put(paths.azureMachine("md-0-a"), {
      ...azureMachineObject({ cluster: "c1", name: "md-0-a" }),
      status: { conditions: [capzCondition(failed.message.split("\n")[0], long)] },
    });
    cluster.hearAt(controller, "md-0-a", waitOf(1));
    await cluster.told("md-0-a", "BootstrapInProgress");
  });
});

describe("a label that is taken away", () => {
  test.each([
    ["watch", {}],
    ["heal", { "bootstrap.capz.io/watch": "true" }],
  ])("%s: takes what asks for a replacement along, and leaves what others have written", async (_, left) => {
    const { api } = cluster;
    api.put(paths.cluster("c1"), clusterObject("c1", { heal: "annotate" }));
    cluster.machine({ name: "md-0-a", vm: { status: failed } });
    await cluster.start();
    await waitUntil("the annotation", () => annotation("md-0-a") === "capz-bootstrap-cluster");
    const now = clusterObject("c1");
    api.put(paths.cluster("c1"), { ...now, metadata: { ...(now["metadata"] as object), labels: left } });
    await waitUntil("its end", () => annotation("md-0-a") === undefined);
    expect(cluster.condition("md-0-a", remediation)).toBeUndefined();
    expect(cluster.condition("md-0-a")?.reason).toBe(
      "bootstrap.capz.io/watch" in left ? "DnsResolutionFailed" : undefined,
    );
    expect(api.list(verdicts)).toHaveLength(1);
  });

  test("a value that means nothing is said in the log", async () => {
    const object = clusterObject("c1");
    const labels = { "bootstrap.capz.io/watch": "True", "bootstrap.capz.io/heal": "yes" };
    cluster.api.put(paths.cluster("c1"), { ...object, metadata: { ...(object["metadata"] as object), labels } });
    const { lines } = await cluster.start();
    expect(lines.join("\n")).toContain('label bootstrap.capz.io/watch is "True"; it watches with exactly "true"');
    expect(lines.join("\n")).toContain('label bootstrap.capz.io/heal is "yes"; it may be condition or annotate');
  });
});

describe("Events", () => {
  test("tell no failure again that is older than an Event lives, also after a restart", async () => {
    const { api } = cluster;
    api.put(paths.cluster("c1"), clusterObject("c1", { heal: "condition" }));
    cluster.machine({ name: "md-0-a", vm: { status: verdictStatus(failedVerdict({ sequence: 0, mode: "observe" })) } });
    const first = await cluster.start();
    await waitUntil("both Events", () => api.list(events).length === 2);
    await first.stop();
    // The API server forgets an Event after an hour.
    for (const { metadata } of api.list(events) as unknown as readonly { metadata: { name: string } }[])
      api.remove(`/apis/events.k8s.io/v1/namespaces/default/events/${metadata.name}`);
    const real = createWorld();
    await cluster.start({ world: { ...real, now: () => new Date(Date.now() + 7_200_000).toISOString() } });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(api.list(events)).toEqual([]);
  });

  test("that a cluster refuses hold up neither the condition nor the mark", async () => {
    cluster.api.put(paths.cluster("c1"), clusterObject("c1", { heal: "condition" }));
    cluster.machine({ name: "md-0-a", vm: { status: failed } });
    const writer = createWriter(await connect({ server: cluster.api.origin }, createWorld()));
    const create = () => Promise.reject(new KubeError("events is forbidden", { status: 403, reason: "Forbidden" }));
    const { lines } = await cluster.start({ writer: { ...writer, create } });
    await waitUntil("the mark", () => cluster.condition("md-0-a", remediation)?.status === "True");
    await waitUntil("a word of it", () => lines.some((line) => line.includes("events is forbidden")));
  });
});

test("a cache that still shows the Machine as it was before the last write is not written from", async () => {
  cluster.api.put(paths.cluster("c1"), clusterObject("c1"));
  cluster.machine({ name: "md-0-a", vm: { status: failed } });
  const writer = createWriter(await connect({ server: cluster.api.origin }, createWorld()));
  const versions: unknown[] = [];
  const { controller } = await cluster.start({
    writer: {
      ...writer,
      apply: async (writing) => {
        if (writing.subresource === undefined) return writer.apply(writing);
        const { resourceVersion } = writing.body["metadata"] as { readonly resourceVersion: string };
        versions.push(resourceVersion);
        // Written, and told; but the watch never brings the Machine as it is now.
        return { metadata: { resourceVersion: "999999" }, status: writing.body["status"] };
      },
    },
  });
  await waitUntil("the first write", () => versions.length === 1);
  for (let n = 0; n < 5; n += 1) {
    cluster.hearAt(controller, "md-0-a", failed);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(new Set(versions).size).toBe(versions.length);
});

test("no credential in what a node says gets into the cluster: conditions, Events, objects, metrics, log", async () => {
  const sas = "sv=2024-11-04&sp=rcw&sig=S3cretSignature%2FAbCdEfGhIjKlMnOpQrStUvWxYz012345%3D";
  const address = `https://reports.blob.core.windows.net/capz/vm-1/report.zip?${sas}`;
  const text = JSON.stringify(verdictStatus(failedVerdict({ sequence: 0, reportFile: "/var/lib/report" })));
  // What an own check, or a handler of another version, may send: the address with its credential in every field.
  const status = JSON.parse(
    text
      .replaceAll("/var/lib/report", address)
      .replaceAll("lookup", `lookup ${address}`)
      .replaceAll("Next: ", `Next: read ${address}. `),
  ) as typeof failed;
  cluster.api.put(paths.cluster("c1"), clusterObject("c1", { heal: "condition" }));
  cluster.machine({ name: "md-0-a", vm: { status } });
  const { controller, metrics, lines } = await cluster.start();
  await cluster.told("md-0-a", "DnsResolutionFailed");
  cluster.api.put(paths.azureMachine("md-0-a"), {
    ...azureMachineObject({ cluster: "c1", name: "md-0-a" }),
    status: { conditions: [capzCondition(status.message.split("\n")[0], new Date().toISOString())] },
  });
  await waitUntil("CAPZ's words", () => record("md-0-a")?.["also"] !== undefined);
  await waitUntil("the Events", () => cluster.api.list(events).length === 2);
  controller.measure();
  const everything = [
    JSON.stringify(cluster.api.get(paths.machine("md-0-a"))),
    JSON.stringify(cluster.api.list(verdicts)),
    JSON.stringify(cluster.api.list(events)),
    await metrics.registry.metrics(),
    lines.join("\n"),
  ].join("\n");
  expect(everything).toContain("reports.blob.core.windows.net");
  expect(everything).not.toMatch(/S3cretSignature|sig=S/u);
});
