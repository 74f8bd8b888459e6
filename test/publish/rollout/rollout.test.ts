import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { readExtensionDefinition, type ExtensionDefinition } from "../../../publish/extension-definition.ts";
import { createArmPublisher } from "../../../publish/rollout/arm-publisher.ts";
import type { CloudPlan } from "../../../publish/rollout/plan.ts";
import type { Clock, Publisher } from "../../../publish/rollout/publisher.ts";
import { createRdfePublisher } from "../../../publish/rollout/rdfe-publisher.ts";
import { createTransport } from "../../../publish/rollout/send-request.ts";
import {
  promoteVersion,
  publishVersion,
  unpublishVersion,
  versionStatus,
  type Rollout,
} from "../../../publish/rollout/steps.ts";
import { startArmServer, type ArmServer } from "../../support/arm-server.ts";
import { startHttpServer, type TestServer } from "../../support/http-server.ts";
import { startRdfeServer, type RdfeServer } from "../../support/rdfe-server.ts";
import { makeLoopbackCertificate } from "../../support/test-signer.ts";
import { unsignedIdentity } from "../../support/unsigned-token.ts";

const sha256 = "ab".repeat(32);
let definition: ExtensionDefinition;
let clientTls: { readonly cert: string; readonly key: string };
let packages: TestServer;

beforeAll(async () => {
  definition = await readExtensionDefinition("Linux");
  clientTls = await makeLoopbackCertificate();
});

/** A clock that tests turn; waiting takes no time and is noted. */
function testClock(): Clock & { advanceHours(hours: number): void; readonly slept: number[] } {
  let now = Date.parse("2026-11-21T08:00:00Z");
  const slept: number[] = [];
  return {
    slept,
    now: () => new Date(now),
    sleep: (ms) => {
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
    advanceHours: (hours) => {
      now += hours * 3_600_000;
    },
  };
}

const planFor = (backend: CloudPlan["backend"]): CloudPlan => ({
  cloud: "public",
  backend,
  subscriptionId: "12345678-1234-1234-1234-123456789abc",
  resourceGroup: "publishing",
  location: "West US 2",
  stages: [
    { name: "canary", regions: ["East US 2 EUAP"], bakeHours: 24, healthGate: [] },
    { name: "first", regions: ["East US 2 EUAP", "West Central US"], bakeHours: 24, healthGate: [] },
    { name: "all", regions: ["*"], bakeHours: 0, healthGate: [] },
  ],
});

const linkOf = (): string => `${packages.origin}/p.zip?sig=topsecret`;

describe.each(["arm", "rdfe"] as const)("a rollout through %s", (backend) => {
  let service: ArmServer | RdfeServer;
  let clock: ReturnType<typeof testClock>;
  let rollout: Rollout;
  let publisher: Publisher;

  beforeEach(async () => {
    packages = await startHttpServer();
    packages.answer("/p.zip", { kind: "send", body: "package bytes" });
    clock = testClock();
    const plan = planFor(backend);
    if (backend === "arm") {
      service = await startArmServer();
      const send = createTransport({ clock });
      const credential = unsignedIdentity("https://management.azure.com");
      publisher = createArmPublisher({ definition, plan, endpoint: service.endpoint, credential, send });
    } else {
      service = await startRdfeServer(clientTls);
      const send = createTransport({ clock, certificate: clientTls, ca: clientTls.cert });
      publisher = createRdfePublisher({ definition, plan, endpoint: service.endpoint, send, clock });
    }
    rollout = { publisher, plan, clock, dryRun: false };
  });

  afterEach(async () => {
    await service.close();
    await packages.close();
  });

  const publish = (version = "1.0.0", digest = sha256) =>
    publishVersion(rollout, { version, sha256: digest, mediaLink: linkOf() });
  const only = async () =>
    (await publisher.list()).map(({ version, internal, regions }) => ({ version, internal, regions }));

  test("goes from internal through every stage to all regions", async () => {
    expect(await publish()).toMatchObject({ kind: "done" });
    expect(await publisher.list()).toMatchObject([{ version: "1.0.0", internal: true, sha256 }]);
    for (const stage of ["canary", "first", "all"]) {
      expect(await promoteVersion(rollout, "1.0.0", stage)).toMatchObject({ kind: "done" });
      clock.advanceHours(25);
    }
    expect(await only()).toEqual([{ version: "1.0.0", internal: false, regions: ["*"] }]);
  });

  test("every step that is repeated is no work", async () => {
    await publish();
    expect(await publish()).toMatchObject({ kind: "already" });
    await promoteVersion(rollout, "1.0.0", "canary");
    const sent = service.requests.length;
    expect(await promoteVersion(rollout, "1.0.0", "canary")).toMatchObject({ kind: "already" });
    expect(service.requests.slice(sent).filter((line) => !line.startsWith("GET"))).toEqual([]);
  });

  test("a version keeps its content: another digest is refused", async () => {
    await publish();
    await expect(publish("1.0.0", "cd".repeat(32))).rejects.toThrow("exists already with the sha256 abab");
  });

  test("a patch below the newest one is refused, another minor is not", async () => {
    await publish("1.0.10");
    await expect(publish("1.0.9")).rejects.toThrow("older than the published 1.0.10");
    expect(await publish("0.9.9")).toMatchObject({ kind: "done" });
  });

  test("no stage is skipped and no region is taken away", async () => {
    await publish();
    await expect(promoteVersion(rollout, "1.0.0", "first")).rejects.toThrow('would skip "canary"');
    await promoteVersion(rollout, "1.0.0", "canary");
    clock.advanceHours(25);
    await promoteVersion(rollout, "1.0.0", "first");
    await expect(promoteVersion(rollout, "1.0.0", "canary")).rejects.toThrow("would take it away from regions");
    await expect(promoteVersion(rollout, "1.0.0", "nowhere")).rejects.toMatchObject({
      hint: "Stages: canary, first, all.",
    });
  });

  test("a stage stands for its time before the next one", async () => {
    await publish();
    await promoteVersion(rollout, "1.0.0", "canary");
    clock.advanceHours(23);
    const early = promoteVersion(rollout, "1.0.0", "first");
    await expect(early).rejects.toMatchObject({ hint: expect.stringContaining("may begin at 2026-11-22T08:00") });
    clock.advanceHours(1);
    expect(await promoteVersion(rollout, "1.0.0", "first")).toMatchObject({ kind: "done" });
  });

  test("nothing is promoted before it is replicated", async () => {
    service.pollsUntilReplicated = 1;
    await publish();
    await expect(promoteVersion(rollout, "1.0.0", "canary")).rejects.toThrow("is not replicated (pending)");
    expect(await promoteVersion(rollout, "1.0.0", "canary")).toMatchObject({ kind: "done" });
  });

  test("a failed replication ends the rollout", async () => {
    await publish();
    service.failReplication = true;
    await expect(promoteVersion(rollout, "1.0.0", "canary")).rejects.toThrow("is not replicated (failed)");
    expect((await versionStatus(rollout, "1.0.0", 3600)).replication.kind).toBe("failed");
  });

  test("status waits as long as it was told and no longer", async () => {
    service.pollsUntilReplicated = 3;
    await publish();
    expect((await versionStatus(rollout, "1.0.0", 20)).replication.kind).toBe("pending");
    expect((await versionStatus(rollout, "1.0.0", 600)).replication.kind).toBe("completed");
  });

  test("a health gate that says no keeps the version where it is", async () => {
    const [canary, ...rest] = rollout.plan.stages;
    if (canary === undefined) throw new Error("the plan has no stage");
    const gate = ["sh", "-c", 'echo "3 nodes failed with $1"; exit 1', "gate"];
    const plan = { ...rollout.plan, stages: [{ ...canary, healthGate: gate }, ...rest] };
    await publish();
    await promoteVersion({ ...rollout, plan }, "1.0.0", "canary");
    clock.advanceHours(25);
    await expect(promoteVersion({ ...rollout, plan }, "1.0.0", "first")).rejects.toThrow("3 nodes failed with 1.0.0");
    expect(await only()).toMatchObject([{ regions: ["East US 2 EUAP"] }]);
  });

  test("a busy service, an error, a redirect and a lost connection are waited out", async () => {
    service.faults.push(
      { kind: "answer", status: 429, retryAfter: 7 },
      { kind: "answer", status: 500 },
      { kind: "lost-connection" },
      { kind: "redirect" },
    );
    await publish();
    service.faults.push({ kind: "answer", status: 503 }, { kind: "redirect" });
    await promoteVersion(rollout, "1.0.0", "canary");
    expect(await only()).toEqual([{ version: "1.0.0", internal: false, regions: ["East US 2 EUAP"] }]);
    expect(clock.slept).toContain(7000);
  });

  test("an answer lost after the work was done leads to the same end", async () => {
    await publish();
    const requestsBefore = service.requests.length;
    await promoteVersion(rollout, "1.0.0", "canary");
    // The reads of a promotion, then its PUT, whose answer is lost after the service has done the work.
    const promotion = service.requests.slice(requestsBefore);
    const reads = promotion.findIndex((line) => line.startsWith("PUT"));
    service.faultAfter = { requests: reads, fault: { kind: "lost-answer" } };
    clock.advanceHours(25);
    expect(await promoteVersion(rollout, "1.0.0", "first")).toMatchObject({ kind: "done" });
    expect(service.requests.filter((line) => line.startsWith("PUT")).length).toBeGreaterThanOrEqual(3);
    expect(await only()).toMatchObject([{ regions: ["East US 2 EUAP", "West Central US"] }]);
  });

  test("a service that stays down is given up with the request named and no secret told", async () => {
    service.faults.push(...Array.from({ length: 6 }, () => ({ kind: "answer", status: 500 }) as const));
    const failed = await publish().catch((error: unknown) => String(error));
    expect(failed).toContain("failed 6 times: status 500, request id fault");
    expect(failed).not.toContain("topsecret");
  });

  test("unpublish hides a version, and only a hidden one is deleted", async () => {
    await publish();
    await promoteVersion(rollout, "1.0.0", "canary");
    await expect(unpublishVersion(rollout, "1.0.0", true)).rejects.toThrow("is offered to customers");
    expect(await unpublishVersion(rollout, "1.0.0", false)).toMatchObject({ kind: "done" });
    expect(await only()).toMatchObject([{ internal: true }]);
    await unpublishVersion(rollout, "1.0.0", true);
    expect(await publisher.list()).toEqual([]);
    await expect(unpublishVersion(rollout, "1.0.0", false)).rejects.toThrow("Version 1.0.0 is not published");
  });

  test("a dry run changes nothing", async () => {
    const dry = { ...rollout, dryRun: true };
    const pack = { version: "1.0.0", sha256, mediaLink: linkOf() };
    expect(await publishVersion(dry, pack)).toMatchObject({ kind: "would" });
    await publish();
    expect(await promoteVersion(dry, "1.0.0", "canary")).toMatchObject({
      kind: "would",
      what: "offer 1.0.0 in East US 2 EUAP",
    });
    expect(await unpublishVersion(dry, "1.0.0", true)).toMatchObject({ kind: "would" });
    expect(await only()).toMatchObject([{ version: "1.0.0", internal: true }]);
  });
});

test("an operation that the classic service lets fail is told with its reason", async () => {
  const service = await startRdfeServer(clientTls);
  const clock = testClock();
  const send = createTransport({ clock, certificate: clientTls, ca: clientTls.cert });
  const publisher = createRdfePublisher({ definition, plan: planFor("rdfe"), endpoint: service.endpoint, send, clock });
  service.failOperations = true;
  const change = {
    version: "1.0.0",
    internal: true,
    regions: [],
    sha256,
    stageStarted: clock.now(),
    mediaLink: "https://x.test/a",
  };
  await expect(publisher.put(change).finally(() => service.close())).rejects.toThrow("ConflictError: version exists");
});

test("the classic service without a client certificate refuses, and the refusal is passed on", async () => {
  const service = await startRdfeServer(clientTls);
  const clock = testClock();
  const send = createTransport({ clock, ca: clientTls.cert });
  const publisher = createRdfePublisher({ definition, plan: planFor("rdfe"), endpoint: service.endpoint, send, clock });
  await expect(publisher.list().finally(() => service.close())).rejects.toThrow("status 403");
});

test("a redirect to another machine is not followed: the token would go along", async () => {
  const server = await startHttpServer();
  server.answer("/a", { kind: "redirect", to: "http://localhost:1/b", status: 307 });
  const send = createTransport({ clock: testClock() });
  const request = { method: "GET", url: `${server.origin}/a`, headers: {} } as const;
  const refused = send(request).finally(() => server.close());
  await expect(refused).rejects.toThrow("refused to follow the redirect to http://localhost:1");
});
