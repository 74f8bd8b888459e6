import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createServer } from "node:http";
import { createArmClient, type ArmClient } from "../../../cluster/arm/arm-client.ts";
import { ask } from "../../../cluster/arm/ask.ts";
import { createArmBudget } from "../../../cluster/arm/budget.ts";
import { nextAskMs } from "../../../cluster/arm/cadence.ts";
import { placeMachine, type ArmTarget } from "../../../cluster/arm/target.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { addressOf } from "../../support/http-server.ts";
import { failedVerdict } from "../../support/verdict-samples.ts";
import { account, at } from "../support/accounts.ts";
import { startPlayedArm, type ArmFault, type PlayedArm } from "../support/played-arm.ts";

const compute = "/subscriptions/sub-1/resourceGroups/RG/providers/Microsoft.Compute";
const vmId = `azure://${compute}/virtualMachines/md-0-x`;
const never = new AbortController().signal;

let arm: PlayedArm;
let client: ArmClient;

beforeEach(async () => {
  arm = await startPlayedArm();
  client = createArmClient({ origin: arm.origin, token: () => Promise.resolve("t0ken"), timeoutMs: 300 });
});
afterEach(() => arm.close());

function target(providerId: string, scaleSet?: string): ArmTarget {
  const placed = placeMachine(providerId, scaleSet);
  if (placed === undefined) throw new Error(`no machine of Azure: ${providerId}`);
  return placed.target;
}

const asked = (one: ArmTarget) => ask(client, one, { now: () => at(0), signal: never });

describe("ask", () => {
  test("reads one VM by its instance view, with the token of the identity", async () => {
    const one = target(vmId);
    arm.vms.set(one.id, { id: one.id, status: verdictStatus(failedVerdict()) });
    const answer = await asked(one);
    expect(answer).toMatchObject({ kind: "told", requests: 1, machines: [{ id: one.id, location: "westeurope" }] });
    expect(arm.requests[0]?.query.get("$expand")).toBe("instanceView");
    expect(arm.requests[0]?.token).toBe("Bearer t0ken");
  });

  test("reads all instances of a Uniform scale set by one list, page by page", async () => {
    const set = `${compute}/virtualMachineScaleSets/pool`.toLowerCase();
    for (let n = 0; n < 250; n += 1)
      arm.vms.set(`${set}/virtualmachines/${String(n)}`, { id: `${set}/virtualMachines/${String(n)}` });
    const answer = await asked(target(`azure://${set}/virtualMachines/7`));
    expect(answer).toMatchObject({ kind: "told", requests: 3 });
    expect(answer.kind === "told" ? answer.machines.length : 0).toBe(250);
  });

  test("reads the VMs of a Flexible scale set by the filtered list", async () => {
    const set = `${compute}/virtualMachineScaleSets/flex`;
    const id = `${compute}/virtualMachines/flex_1`;
    arm.vms.set(id.toLowerCase(), { id, type: set.toLowerCase() });
    arm.vms.set(`${id}other`.toLowerCase(), { id: `${id}other`, type: "another" });
    const answer = await asked(target(`azure://${id}`, `azure://${set}`));
    expect(answer.kind === "told" ? answer.machines.map((machine) => machine.id) : []).toEqual([id.toLowerCase()]);
  });

  test.each<[string, ArmFault, object]>([
    ["404", { kind: "status", status: 404 }, { kind: "not-found" }],
    ["403", { kind: "status", status: 403 }, { kind: "refused", status: 403 }],
    ["401", { kind: "status", status: 401 }, { kind: "refused", status: 401 }],
    [
      "429 with Retry-After",
      { kind: "status", status: 429, headers: { "retry-after": "17" } },
      { kind: "throttled", retryAfterMs: 17_000 },
    ],
    [
      "429 with a date in Retry-After",
      {
        kind: "status",
        status: 429,
        headers: { date: "Sun, 22 Nov 2026 10:00:00 GMT", "retry-after": "Sun, 22 Nov 2026 10:00:17 GMT" },
      },
      { kind: "throttled", retryAfterMs: 17_000 },
    ],
    [
      "503 with a date in Retry-After that is over",
      {
        kind: "status",
        status: 503,
        headers: { date: "Sun, 22 Nov 2026 10:00:00 GMT", "retry-after": "Sun, 22 Nov 2026 09:59:00 GMT" },
      },
      { kind: "throttled", retryAfterMs: 0 },
    ],
    [
      "429 with nonsense in Retry-After",
      { kind: "status", status: 429, headers: { "retry-after": "soon" } },
      { kind: "throttled", retryAfterMs: undefined },
    ],
    [
      "a redirect to another place",
      { kind: "status", status: 307, headers: { location: "/subscriptions/other" } },
      { kind: "failed", why: "HTTP 307" },
    ],
    ["429 without it", { kind: "status", status: 429 }, { kind: "throttled", retryAfterMs: undefined }],
    [
      "503 with Retry-After",
      { kind: "status", status: 503, headers: { "retry-after": "3" } },
      { kind: "throttled", retryAfterMs: 3000 },
    ],
    ["500", { kind: "status", status: 500 }, { kind: "failed", why: "HTTP 500" }],
    ["silence", { kind: "silence" }, { kind: "failed" }],
    ["broken JSON", { kind: "broken" }, { kind: "failed" }],
  ])("takes %s for no answer, after one request", async (_, fault, answer) => {
    arm.faults.push(fault);
    expect(await asked(target(vmId))).toMatchObject({ kind: "silent", answer });
    expect(arm.requests).toHaveLength(1);
  });

  test("takes a token that cannot be had for no answer", async () => {
    const without = createArmClient({
      origin: arm.origin,
      token: () => Promise.reject(new Error("no federated token")),
    });
    const answer = await ask(without, target(vmId), { now: () => at(0), signal: never });
    expect(answer).toMatchObject({ kind: "silent", answer: { kind: "failed", why: "no federated token" } });
  });

  test("takes a list whose next page lies on another host for no answer, and asks nothing there", async () => {
    const other = await startPlayedArm();
    const set = `${compute}/virtualMachineScaleSets/pool`.toLowerCase();
    arm.faults.push({
      kind: "body",
      body: { value: [{ id: `${set}/virtualMachines/0` }], nextLink: `${other.origin}${set}/virtualMachines?page=2` },
    });
    const answer = await asked(target(`azure://${set}/virtualMachines/0`));
    expect(answer).toMatchObject({ kind: "silent", answer: { kind: "failed" } });
    expect(other.requests).toEqual([]);
    await other.close();
  });

  test("takes a list that goes round in a circle for no answer, and comes to an end", async () => {
    const set = `${compute}/virtualMachineScaleSets/pool`.toLowerCase();
    const body = { value: [], nextLink: `${arm.origin}${set}/virtualMachines?page=1` };
    arm.fault = { kind: "body", body };
    const answer = await asked(target(`azure://${set}/virtualMachines/0`));
    expect(answer).toMatchObject({
      kind: "silent",
      answer: { kind: "failed", why: "the list goes on after 100 pages" },
    });
  });

  test.each<[unknown]>([[null], [[]], [{}], [{ id: 7 }], [{ value: [null, 3, { id: 5 }] }], ["text"]])(
    "finds no machine in the answer %j, and does not fail",
    async (body) => {
      arm.fault = { kind: "body", body };
      expect(await asked(target(vmId))).toMatchObject({ kind: "told", machines: [] });
      const set = `azure://${compute}/virtualMachineScaleSets/pool/virtualMachines/0`;
      expect(await asked(target(set))).toMatchObject({ kind: "told", machines: [] });
    },
  );

  test("reads on only as fast as the budget has room, and gives a list up that it would hold for minutes", async () => {
    const set = `${compute}/virtualMachineScaleSets/pool`.toLowerCase();
    for (let n = 0; n < 250; n += 1)
      arm.vms.set(`${set}/virtualmachines/${String(n)}`, { id: `${set}/virtualMachines/${String(n)}` });
    const waits: number[] = [];
    const paces = [700, 0, 0];
    const parts = { now: () => at(0), signal: never, sleep: (ms: number) => Promise.resolve(void waits.push(ms)) };
    const one = target(`azure://${set}/virtualMachines/7`);
    expect(await ask(client, one, { ...parts, pace: () => paces.shift() ?? 0 })).toMatchObject({ kind: "told" });
    expect(waits).toEqual([700]);
    expect(await ask(client, one, { ...parts, pace: () => 3_600_000 })).toMatchObject({
      kind: "silent",
      requests: 1,
      answer: { kind: "failed" },
    });
  });

  test("takes an answer of more than 32 MiB for no answer, and does not read it to its end", async () => {
    let sent = 0;
    const server = createServer((_, response) => {
      const piece = Buffer.alloc(1024 * 1024, " ");
      const more = () => {
        while (sent < 256 && !response.destroyed) {
          sent += 1;
          if (!response.write(piece)) return;
        }
        response.end("{}");
      };
      response.on("drain", more);
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${String(addressOf(server.address()).port)}`;
    const endless = createArmClient({ origin, token: () => Promise.resolve("t") });
    expect(await endless.get("/x", never)).toEqual({ kind: "failed", why: "the answer is longer than 33554432 bytes" });
    expect(sent).toBeLessThan(200);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test("takes an answer that begins and never ends for no answer", async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"id":');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${String(addressOf(server.address()).port)}`;
    const stuck = createArmClient({ origin, token: () => Promise.resolve("t"), timeoutMs: 300 });
    expect(await stuck.get("/x", never)).toEqual({ kind: "failed", why: "no whole answer within 0.3 s" });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test("carries the token to no other host, whatever a link says", async () => {
    expect(await client.get("https://evil.test/x", never)).toMatchObject({ kind: "failed" });
    expect(arm.requests).toHaveLength(0);
  });
});

describe("placeMachine", () => {
  test.each([
    [undefined],
    [""],
    ["aws:///i-1"],
    [`azure://${compute}/disks/x`],
    [`${vmId}/../../secret?x=1`],
    [`azure://${compute}/virtualMachines/a b`],
  ])("finds no machine of Azure in %p", (providerId) => {
    expect(placeMachine(providerId)).toBeUndefined();
  });
});

describe("the budget of requests to ARM", () => {
  function budget() {
    let now = 0;
    const limits = createArmBudget({ perSecond: 5, burst: 10 }, { monotonicMs: () => now, random: () => 0 });
    return { limits, wait: (ms: number) => (now += ms) };
  }

  test("lets a burst pass, then so many a second for a subscription, and does not mix subscriptions", () => {
    const { limits, wait } = budget();
    const one = target(vmId);
    const burst = Array.from({ length: 30 }, () => limits.admit(one, "westeurope"));
    expect(burst.filter((ms) => ms === 0)).toHaveLength(10);
    expect(limits.admit({ ...one, subscription: "sub-2" }, "westeurope")).toBe(0);
    wait(1000);
    expect(Array.from({ length: 30 }, () => limits.admit(one, "westeurope")).filter((ms) => ms === 0)).toHaveLength(5);
  });

  test("asks nothing of a family in a region before Retry-After is over, and goes on elsewhere", () => {
    const { limits, wait } = budget();
    const one = target(vmId);
    limits.throttled(one, "westeurope", 60_000);
    expect(limits.admit(one, "westeurope")).toBe(60_000);
    expect(limits.admit(one, "northeurope")).toBe(0);
    wait(60_000);
    expect(limits.admit(one, "westeurope")).toBe(0);
  });

  test("waits longer and longer without a Retry-After, and never longer than an hour with one", () => {
    const { limits } = budget();
    const one = target(vmId);
    expect(limits.throttled(one, "x", undefined)).toBe(5000);
    expect(limits.throttled(one, "x", undefined)).toBe(10_000);
    expect(limits.throttled(one, "x", 10 * 3_600_000)).toBe(3_600_000);
    limits.succeeded(one, "x");
    expect(limits.throttled(one, "x", undefined)).toBe(5000);
  });
});

describe("nextAskMs", () => {
  const asking = { firstSeen: at(0), hasNode: false, capzWaits: false, now: at(60) };
  const hour = 3_600_000;
  const waiting = account({ outcome: "waiting", reason: "BootstrapInProgress" });
  test("asks often for a young machine, and seldom for an old one", () => {
    expect(nextAskMs({ ...asking, verdict: waiting })).toBe(15_000);
    expect(nextAskMs({ ...asking, verdict: waiting, now: at(7200) })).toBe(300_000);
  });

  test("asks a quarter as often where CAPZ shows the wait, and at once when it turns its condition", () => {
    const told = { ...asking, capzWaits: true, verdict: waiting };
    expect(nextAskMs(told)).toBe(60_000);
    expect(nextAskMs({ ...told, sinceTurnMs: 10 })).toBe(5000);
    expect(nextAskMs({ ...told, sinceTurnMs: 61_000 })).toBe(60_000);
  });

  test("looks at what has settled a few times a day, because settings may be applied anew", () => {
    const good = account({ outcome: "bootstrapped", reason: "Bootstrapped" });
    expect(nextAskMs({ ...asking, verdict: good })).toBe(6 * hour);
    expect(nextAskMs({ ...asking, verdict: good, sinceTurnMs: 10 })).toBe(6 * hour);
    expect(nextAskMs({ ...asking, verdict: account(), now: at(7 * 3600) })).toBe(hour);
    const absent = account({ outcome: "unknown", reason: "ExtensionAbsent" });
    expect(nextAskMs({ ...asking, hasNode: true, verdict: absent })).toBe(6 * hour);
  });

  test("follows a failure for as long as it may be revised, by its own clock and not by that of the node", () => {
    expect(nextAskMs({ ...asking, verdict: account() })).toBe(120_000);
    for (const time of ["1970-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"])
      expect(nextAskMs({ ...asking, verdict: account({ time, heard: at(0) }) })).toBe(120_000);
    const told = account({ source: "capzCondition" });
    expect(nextAskMs({ ...asking, verdict: told, now: at(30) })).toBe(3_000);
    expect(nextAskMs({ ...asking, verdict: told, now: at(90) })).toBe(15_000);
  });
});
