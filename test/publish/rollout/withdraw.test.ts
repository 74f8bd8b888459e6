import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { readExtensionDefinition, type ExtensionDefinition } from "../../../publish/extension-definition.ts";
import { createArmPublisher } from "../../../publish/rollout/arm-publisher.ts";
import { minutesUntilDue } from "../../../publish/rollout/guards.ts";
import type { CloudPlan } from "../../../publish/rollout/plan.ts";
import { pruneVersions } from "../../../publish/rollout/prune.ts";
import type { Publisher } from "../../../publish/rollout/publisher.ts";
import { createTransport } from "../../../publish/rollout/send-request.ts";
import {
  promoteVersion,
  publishVersion,
  requireVersion,
  versionStatus,
  type Rollout,
} from "../../../publish/rollout/steps.ts";
import { holdVersion, resumeVersion, withdrawVersion } from "../../../publish/rollout/withdraw.ts";
import { startArmServer, type ArmServer } from "../../support/arm-server.ts";
import { startHttpServer, type TestServer } from "../../support/http-server.ts";
import { unsignedIdentity } from "../../support/unsigned-token.ts";

const plan: CloudPlan = {
  cloud: "public",
  backend: "arm",
  subscriptionId: "12345678-1234-1234-1234-123456789abc",
  resourceGroup: "publishing",
  location: "West US 2",
  stages: [
    { name: "canary", regions: ["East US 2 EUAP"], bakeHours: 0, healthGate: [] },
    { name: "first", regions: ["East US 2 EUAP", "West Central US", "North Europe"], bakeHours: 0, healthGate: [] },
    { name: "all", regions: ["*"], bakeHours: 0, healthGate: [] },
  ],
};
const clock = { now: () => new Date("2026-11-21T08:00:00Z"), sleep: () => Promise.resolve() };
const reason = "kubelets restart in a loop";
let definition: ExtensionDefinition;
let service: ArmServer;
let packages: TestServer;
let publisher: Publisher;
let rollout: Rollout;

beforeAll(async () => {
  definition = await readExtensionDefinition("Linux");
});

beforeEach(async () => {
  packages = await startHttpServer();
  packages.answer("/p.zip", { kind: "send", body: "package bytes" });
  service = await startArmServer();
  const credential = unsignedIdentity("https://management.azure.com");
  publisher = createArmPublisher({
    definition,
    plan,
    endpoint: service.endpoint,
    credential,
    send: createTransport({ clock }),
  });
  rollout = { publisher, plan, clock, dryRun: false };
});

afterEach(async () => {
  await service.close();
  await packages.close();
});

async function publishTo(version: string, stages: readonly string[]): Promise<void> {
  await publishVersion(rollout, { version, sha256: "ab".repeat(32), mediaLink: `${packages.origin}/p.zip` });
  for (const stage of stages) await promoteVersion(rollout, version, stage);
}

const writes = (): readonly string[] => service.requests.filter((line) => !line.startsWith("GET"));
const offered = async (version: string) => (await publisher.list()).find((row) => row.version === version);

describe("a night with a bad version", () => {
  beforeEach(async () => {
    await publishTo("2.0.1", ["canary", "first", "all"]);
    await publishTo("2.0.2", ["canary", "first"]);
  });

  test("hold stops the rollout where it is, resume lets it go on", async () => {
    expect(await holdVersion(rollout, "2.0.2", reason)).toMatchObject({ kind: "done" });
    expect(await holdVersion(rollout, "2.0.2", reason)).toMatchObject({ kind: "already" });
    await expect(promoteVersion(rollout, "2.0.2", "all")).rejects.toThrow(`The rollout of 2.0.2 is held: ${reason}`);
    expect(await offered("2.0.2")).toMatchObject({ internal: false, regions: plan.stages[1]?.regions, held: reason });
    expect(await versionStatus(rollout, "2.0.2", 0)).toMatchObject({ held: reason });
    expect(await resumeVersion(rollout, "2.0.2")).toMatchObject({ kind: "done" });
    expect(await resumeVersion(rollout, "2.0.2")).toMatchObject({ kind: "already" });
    expect(await promoteVersion(rollout, "2.0.2", "all")).toMatchObject({ kind: "done" });
  });

  test("a version is taken back from single regions and held, and what machines do is said", async () => {
    const to = { kind: "without", regions: ["northeurope"] } as const;
    const result = await withdrawVersion(rollout, "2.0.2", { to, reason });
    expect(result).toMatchObject({
      kind: "done",
      what: expect.stringContaining("only in East US 2 EUAP, West Central US"),
    });
    expect(result.consequences.join("\n")).toMatch(/2\.0\.2 keep it[\s\S]*get 2\.0\.1[\s\S]*North Europe/);
    expect(await offered("2.0.2")).toMatchObject({ regions: ["East US 2 EUAP", "West Central US"], held: reason });
    expect(await versionStatus(rollout, "2.0.2", 0)).toMatchObject({
      stage: expect.stringContaining("held in East US 2"),
    });
    const sent = writes().length;
    expect(await withdrawVersion(rollout, "2.0.2", { to: { kind: "stage", stage: "canary" }, reason })).toMatchObject({
      kind: "done",
    });
    expect(await withdrawVersion(rollout, "2.0.2", { to: { kind: "nowhere" }, reason })).toMatchObject({
      kind: "done",
    });
    expect(await withdrawVersion(rollout, "2.0.2", { to: { kind: "nowhere" }, reason })).toMatchObject({
      kind: "already",
    });
    expect(writes().length).toBe(sent + 2);
    expect(await offered("2.0.2")).toMatchObject({ internal: true });
  });

  test("where nothing else is offered, it says that new machines fail to deploy", async () => {
    const result = await withdrawVersion(rollout, "2.0.1", { to: { kind: "stage", stage: "canary" }, reason });
    expect(result.consequences[1]).toContain("get 2.0.2 where it is offered");
    await withdrawVersion(rollout, "2.0.2", { to: { kind: "nowhere" }, reason });
    const last = await withdrawVersion(rollout, "2.0.1", { to: { kind: "nowhere" }, reason });
    expect(last.consequences[1]).toContain("find no version in East US 2 EUAP: their extension fails to deploy");
  });

  test("regions that do not have the version, stages that would add some, and parts of all are refused", async () => {
    const withdraw = (version: string, to: Parameters<typeof withdrawVersion>[2]["to"]) =>
      withdrawVersion(rollout, version, { to, reason });
    await expect(withdraw("2.0.2", { kind: "without", regions: ["Japan East"] })).rejects.toThrow(
      "not offered in Japan East",
    );
    await expect(withdraw("2.0.2", { kind: "stage", stage: "all" })).rejects.toThrow("would offer it in more");
    await expect(withdraw("2.0.2", { kind: "stage", stage: "nope" })).rejects.toThrow('no stage "nope"');
    await expect(withdraw("2.0.1", { kind: "without", regions: ["Japan East"] })).rejects.toThrow("single ones cannot");
    await expect(withdraw("9.9.9", { kind: "nowhere" })).rejects.toThrow("not published");
  });

  test("a check changes nothing", async () => {
    const sent = writes().length;
    const check = { ...rollout, dryRun: true };
    expect(await withdrawVersion(check, "2.0.2", { to: { kind: "nowhere" }, reason })).toMatchObject({ kind: "would" });
    expect(await holdVersion(check, "2.0.2", reason)).toMatchObject({ kind: "would" });
    expect(writes().length).toBe(sent);
  });
});

test("the same stage again asks once more for regions whose replication failed, and is no work otherwise", async () => {
  await publishTo("2.0.1", ["canary"]);
  expect(await promoteVersion(rollout, "2.0.1", "canary")).toMatchObject({ kind: "already" });
  service.failedRegions.add("East US 2 EUAP");
  expect((await versionStatus(rollout, "2.0.1", 0)).replication.kind).toBe("failed");
  expect(await promoteVersion(rollout, "2.0.1", "canary")).toMatchObject({
    kind: "done",
    what: expect.stringContaining("once more, replication failed in East US 2 EUAP"),
  });
  service.failedRegions.clear();
  expect(await promoteVersion(rollout, "2.0.1", "canary")).toMatchObject({ kind: "already" });
});

test("a replication that failed in some regions is partly done", async () => {
  await publishTo("2.0.1", ["canary", "first"]);
  service.failedRegions.add("North Europe");
  expect((await versionStatus(rollout, "2.0.1", 0)).replication).toMatchObject({ kind: "partly" });
});

test("the minutes until the next stage count down from the stage's time, and are 0 for an internal version", async () => {
  const baking = { ...plan, stages: plan.stages.map((stage) => ({ ...stage, bakeHours: 24 })) };
  await publishTo("2.0.1", []);
  const minutesAt = async (time: string) =>
    minutesUntilDue(baking, await requireVersion(publisher, "2.0.1"), new Date(time));
  expect(await minutesAt("2026-11-21T08:00:00Z")).toBe(0);
  await promoteVersion(rollout, "2.0.1", "canary");
  expect(await minutesAt("2026-11-21T08:00:00Z")).toBe(1440);
  expect(await minutesAt("2026-11-21T08:00:30Z")).toBe(1440);
  expect(await minutesAt("2026-11-23T08:00:00Z")).toBe(0);
});

test("prune makes patches beyond the newest internal, and deletes them only by its next run", async () => {
  for (const version of ["2.0.1", "2.0.2", "2.0.3"]) await publishTo(version, ["canary"]);
  await publishTo("2.1.0", ["canary"]);
  expect(await pruneVersions({ ...rollout, dryRun: true }, 2)).toMatchObject([{ kind: "would", version: "2.0.1" }]);
  expect(await pruneVersions(rollout, 2)).toMatchObject([{ kind: "done", what: "make 2.0.1 internal" }]);
  expect(await offered("2.0.1")).toMatchObject({ internal: true });
  expect(await pruneVersions(rollout, 2)).toMatchObject([{ kind: "done", what: "delete 2.0.1" }]);
  expect(await pruneVersions(rollout, 2)).toEqual([]);
  expect((await publisher.list()).map(({ version }) => version).sort()).toEqual(["2.0.2", "2.0.3", "2.1.0"]);
});
