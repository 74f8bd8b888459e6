import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { capzCommand } from "../../../../scripts/dev/start/capz-command.ts";
import { rulesFile } from "../../../../scripts/dev/build-rules.ts";
import { createForesight } from "../../../../handler/operations/supervise/foresight.ts";
import { keepRecord } from "../../../../handler/operations/supervise/run-record.ts";
import { startBeat } from "../../../../handler/operations/supervise/status-beat.ts";
import { superviseCommand } from "../../../../handler/operations/supervise/supervise-command.ts";
import { supervise } from "../../../../handler/operations/supervise/supervise.ts";
import { HandlerError } from "../../../../handler/errors/handler-error.ts";
import { newRunState, writeRunState } from "../../../../handler/state/run-state.ts";
import { ours } from "../../../../handler/text/shown-text.ts";
import { makeBundle, serveBundle } from "../../../support/bundle-maker.ts";
import { checkProgram } from "../../../support/check-program.ts";
import { startHttpServer } from "../../../support/http-server.ts";
import { waitUntil } from "../../../support/wait-until.ts";
import { enabledMachine, eventsOf, lookResult, type EnabledMachine } from "./handler-machine.ts";

const passes = 'return result("bootstrapped");';
const fails = 'return result("failed", { reason: "KubeadmFailed", message: "it failed" });';
const waits = 'return result("not-yet");';
const always = new AbortController().signal;

async function recordOf(machine: EnabledMachine) {
  const state = newRunState(machine.host, await machine.contextOf());
  return keepRecord(machine.host, machine.instance, state);
}

test("a timeline has whole seconds, stages where there are some, and two hundred entries at most", async () => {
  const machine = await enabledMachine();
  const record = await recordOf(machine);
  record.note({ event: "first", elapsedMs: 1499 });
  record.note({ event: "second", stage: "kubeadm-join", elapsedMs: 62_500 });
  const time = expect.any(String);
  expect(record.current().timeline).toEqual([
    { time, seconds: 1, event: "first" },
    { time, seconds: 63, stage: "kubeadm-join", event: "second" },
  ]);
  for (let index = 0; index < 300; index += 1) record.note({ event: String(index), elapsedMs: 0 });
  expect(record.current().timeline).toHaveLength(200);
  discard(machine);
});

test("a beat notes each stage once, and writes at once what is new alone", async () => {
  const machine = await enabledMachine();
  const context = await machine.contextOf();
  const record = await recordOf(machine);
  const run = {
    context,
    marker: "m",
    signal: always,
    told: always,
    record,
    foresight: createForesight(context.host),
    readSettings: () => Promise.reject(new Error()),
  };
  const deadline = {
    signal: always,
    budgetMs: 1_200_000,
    elapsedMs: () => 90_900,
    remainingMs: () => 0,
    close: () => Promise.resolve(),
  };
  const pauses: number[] = [];
  const host = {
    ...context.host,
    monotonicMs: () => 5000,
    sleep: (ms: number, signal?: AbortSignal) => {
      pauses.push(ms);
      return ms === 30_000 ? machine.host.sleep(3_600_000, signal) : Promise.resolve();
    },
  };
  const beat = startBeat({ run: { ...run, context: { ...context, host } }, deadline, warnings: [], mode: "enforce" });
  const settled = async (writes: number) => {
    await waitUntil("the write", () => pauses.filter((ms) => ms === 30_000).length >= writes, { everyMs: 2 });
  };
  const tails = (stdout: string, stderr: string) => ({
    stdout: ours`${Number(stdout)}`,
    stderr: ours`${Number(stderr)}`,
  });
  await settled(1);
  beat.tell({ facts: {} });
  beat.tell({ stage: "kubeadm-join", message: "begun", facts: {} });
  await settled(2);
  expect(machine.status()?.message).toMatch(
    /^Waiting for bootstrap: kubeadm join; 90 s of 1200 s used, 1110 s left at .*; last: begun$/u,
  );
  beat.tell({ stage: "kubeadm-join", facts: {} });
  beat.tell({ facts: {} }, { stdout: ours``, stderr: ours`` });
  await machine.host.sleep(400);
  expect(pauses).toEqual([30_000, 500, 30_000]);
  beat.tell({ facts: {} }, tails("1", "0"));
  await settled(3);
  expect(machine.status()?.message).toMatch(/; last: begun\n[\s\S]*\[stdout\]\n1/u);
  beat.tell({ facts: {} }, tails("1", "0"));
  beat.tell({ facts: {} });
  await machine.host.sleep(400);
  expect(pauses.filter((ms) => ms === 30_000)).toHaveLength(3);
  beat.tell({ facts: {} }, tails("1", "2"));
  await settled(4);
  expect(machine.status()?.message).toContain("[stderr]\n2");
  await beat.stop();
  expect(record.current().timeline.map(({ event }) => event)).toEqual(["kubeadm join"]);
  discard(machine);
});

test("a verdict that cannot be written is tried again until it can, and told in the log once", async () => {
  const machine = await enabledMachine({ look: passes });
  const context = await machine.contextOf();
  let tries = 0;
  const sleep: typeof machine.host.sleep = (ms, signal) => {
    if (ms !== 2000) return machine.host.sleep(ms, signal);
    tries += 1;
    if (tries === 3) {
      rmSync(machine.under("statusFolder"));
      mkdirSync(machine.under("statusFolder"));
    }
    return Promise.resolve();
  };
  rmSync(machine.under("statusFolder"), { recursive: true });
  writeFileSync(machine.under("statusFolder"), "in the way");
  expect(await machine.run({ context: { ...context, host: { ...context.host, sleep } } })).toBe("concluded");
  expect(tries).toBe(3);
  expect(machine.status()).toMatchObject({ kind: "success" });
  expect(machine.log().match(/"level":"error"/gu)).toHaveLength(1);
  discard(machine);
});

test("who is asked to end while a verdict cannot be written gives it up", async () => {
  const machine = await enabledMachine({ look: passes });
  const context = await machine.contextOf();
  const stop = new AbortController();
  let tries = 0;
  const sleep: typeof machine.host.sleep = (ms, signal) => {
    if (ms !== 2000) return machine.host.sleep(ms, signal);
    tries += 1;
    stop.abort();
    return Promise.resolve();
  };
  rmSync(machine.under("statusFolder"), { recursive: true });
  writeFileSync(machine.under("statusFolder"), "in the way");
  const running = machine.run({ context: { ...context, host: { ...context.host, sleep } }, signal: stop.signal });
  await expect(running).rejects.toMatchObject({ id: "stateUnwritable" });
  expect(tries).toBe(1);
  discard(machine);
});

test.each([
  ["serve the diagnosis", readFileSync(rulesFile, "utf8"), false],
  ["that cannot be used are told, and the package's serve", "{}", true],
])("the rules of a downloaded check %s", async (_, rules, warned) => {
  const server = await startHttpServer();
  const bundle = makeBundle({ program: checkProgram(fails, lookResult), version: "3.1.0", protocol: 2, rules });
  serveBundle(server, "/checks", bundle);
  const settings = {
    aftercareSeconds: 0,
    checkVersion: "3.1.0",
    checkSha256: bundle.digest,
    checkBaseUris: [`${server.origin}/checks`],
  };
  const machine = await enabledMachine({ look: passes, settings, factor: 1 });
  mkdirSync(machine.under("var/log"), { recursive: true });
  const log =
    'error execution phase preflight: Get "https://api.internal:6443/x": dial tcp: lookup api.internal: no such host\n';
  writeFileSync(machine.under("var/log/cloud-init-output.log"), log);
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()?.message).toMatch(/^Bootstrap failed \(Dns/u);
  expect(machine.status()?.substatuses["BootstrapVerdict"]).toMatchObject({ checkVersion: "3.1.0" });
  expect(machine.log().includes("The rule catalogue ")).toBe(warned);
  await server.close();
  discard(machine);
});

test("supervise takes the name of its extension from its arguments", async () => {
  const machine = await enabledMachine({ look: passes, env: { ConfigExtensionName: "pool-a" } });
  writeFileSync(
    machine.under("configFolder/pool-a.0.settings"),
    readFileSync(machine.under("configFolder/0.settings")),
  );
  machine.restart();
  const before = new Map(names.map((name) => [name, process.listeners(name as "SIGTERM")]));
  const host = { ...machine.host, env: { PATH: machine.host.env["PATH"] } };
  expect(await superviseCommand(["--sequence", "0", "--extension-name", "pool-a"], host)).toBe("concluded");
  for (const name of names)
    for (const listener of process.listeners(name as "SIGTERM"))
      if (before.get(name)?.includes(listener) !== true) process.removeListener(name, listener);
  expect(readdirSync(machine.under("statusFolder"))).toEqual(["pool-a.0.status"]);
  expect(readFileSync(machine.under("statusFolder/pool-a.0.status"), "utf8")).toContain("Bootstrapped in");
  discard(machine);
});

const names = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection"] as const;

test("aftercare that cannot go on ends with the verdict that stands", async () => {
  const machine = await enabledMachine({ look: fails, settings: { aftercareSeconds: 3600 } });
  const context = await machine.contextOf();
  let reads = 0;
  const settings = await import("../../../../handler/operations/read-settings.ts");
  const readOnce = () => (reads++ === 0 ? settings.readSettings(context) : Promise.reject(new Error("they are gone")));
  machine.restart();
  expect(await supervise(context, { signal: always, readSettings: readOnce })).toBe("concluded");
  expect(machine.state()?.verdict).toMatchObject({ final: true, status: { kind: "error" } });
  expect(machine.log()).toContain("Aftercare ends early: Error: they are gone");
  discard(machine);
});

test("a node that comes up behind its deadline is told again; until then its look is repeated as often as the settings say", async () => {
  const machine = await enabledMachine({
    look: `const [seen] = yield [{ ask: "path", path: "/run/cluster-api/bootstrap-success.complete" }];
      if (seen.value.kind === "file") ${passes}
      ${waits}`,
    settings: { timeoutSeconds: 30, aftercareSeconds: 3600, pollSeconds: 5 },
    factor: 200,
  });
  const running = machine.run();
  await waitUntil("the deadline", () => machine.status()?.message.includes("DeadlineExceeded"), { everyMs: 5 });
  await waitUntil("the first verdict in the state", () => machine.state()?.verdict, { everyMs: 5 });
  expect(machine.state()?.verdict).toMatchObject({ final: false });
  machine.sentinel();
  expect(await running).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "success", message: expect.stringContaining("late by") });
  discard(machine);
});

test("a success is not uploaded anywhere", async () => {
  const server = await startHttpServer();
  const machine = await enabledMachine({ look: passes, settings: { reportUploadUri: `${server.origin}/report.zip` } });
  expect(await machine.run()).toBe("concluded");
  expect(server.requests).toEqual([]);
  await server.close();
  discard(machine);
});

test("what is odd about a check that was had is told in the verdict and in the log", async () => {
  const server = await startHttpServer();
  const bundle = makeBundle({ program: checkProgram(passes, lookResult), version: "2.9.0", protocol: 2 });
  serveBundle(server, "/checks", bundle);
  const checkBaseUris = [`${server.origin}/checks`];
  const settings = { checkVersion: "2.9.0", checkSha256: bundle.digest, checkBaseUris };
  const machine = await enabledMachine({ look: waits, settings, factor: 1 });
  expect(await machine.run()).toBe("concluded");
  const warning = "checkVersion asks for the check bundle 2.9.0, which is older than 3.0.0 in the package";
  expect(machine.status()?.substatuses["BootstrapVerdict"]).toMatchObject({
    checkVersion: "2.9.0",
    warnings: [warning],
  });
  expect(machine.log()).toMatch(new RegExp(`"level":"warn".*"message":"${warning}`, "u"));
  await server.close();
  discard(machine);
});

test("a command that removes what we keep of it costs no verdict, which the log says is not kept", async () => {
  const machine = await enabledMachine();
  machine.put(0, { commandToExecute: `rm -r '${machine.instance}'`, bootstrapProvider: "none" });
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "success" });
  expect(machine.log()).toContain("The verdict could not be kept in the state: ");
  discard(machine);
});

test("how long a wait had lasted is told also where its settings cannot be read any more", async () => {
  const machine = await enabledMachine({ settings: { timeoutSeconds: -1 } });
  const state = newRunState(machine.host, await machine.contextOf());
  await writeRunState(machine.instance, { ...state, clock: { ...state.clock, usedMs: 31_000 } });
  expect(await machine.run()).toBe("concluded");
  const { elapsedSeconds } = machine.status()?.substatuses["BootstrapVerdict"] as { elapsedSeconds: number };
  expect(elapsedSeconds).toBeGreaterThanOrEqual(31);
  expect(elapsedSeconds).toBeLessThan(100);
  discard(machine);
});

test.each([
  ["while facts are collected", undefined, "interrupted"],
  ["in the midst of a download", new HandlerError("interrupted", "it was cut off"), "interrupted"],
  ["beside a mistake of ours", new TypeError("a mistake of ours"), "concluded"],
])("a supervisor that is asked to end %s gives no verdict for it", async (_, thrown, end) => {
  const machine = await enabledMachine({ look: passes, settings: { mode: "report" } });
  const context = await machine.contextOf();
  const { readSettings } = await import("../../../../handler/operations/read-settings.ts");
  const stop = new AbortController();
  const stopped = () => {
    stop.abort();
    return thrown === undefined ? readSettings(context) : Promise.reject(thrown);
  };
  machine.restart();
  expect(await supervise(context, { signal: stop.signal, readSettings: stopped })).toBe(end);
  expect(machine.state()?.verdict !== undefined).toBe(end === "concluded");
  discard(machine);
});

test("CAPZ's own loop that nobody may look beside has no aftercare", async () => {
  const machine = await enabledMachine({ look: passes, factor: 100 });
  const commandToExecute = capzCommand(machine.host.root).replace("seq 1 60", "seq 1 1").replace("-eq 60", "-eq 1");
  machine.put(0, { commandToExecute, lookBeside: false, aftercareSeconds: 30, pollSeconds: 5 });
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "error", code: 2 });
  discard(machine);
});

test.each([
  ["where nothing bootstraps", { bootstrapProvider: "none" }],
  ["that wants nobody beside it", { lookBeside: false }],
])("nobody looks at the node beside a command %s", async (_, more) => {
  const machine = await enabledMachine({ look: waits, settings: { commandToExecute: "sleep 0.1; exit 4", ...more } });
  await machine.run();
  expect(machine.status()?.message).not.toContain("The node meanwhile");
  expect(readdirSync(join(machine.instance, "0.work"))).not.toContain("beside");
  discard(machine);
});

test("the shares of a command's service are its own, and the file of its line goes with it", async () => {
  const machine = await enabledMachine({ settings: { commandToExecute: "true", bootstrapProvider: "none" } });
  const shared: unknown[] = [];
  const shareFully = (service: object) => Promise.resolve(void shared.push(service));
  const context = await machine.contextOf({ platform: { ...machine.host.platform, shareFully } });
  await machine.run({ context });
  expect(shared).toEqual([{ unit: expect.stringMatching(/^capz-bootstrap-CAPZ-/u), root: machine.host.root }]);
  expect(machine.status()).toMatchObject({ kind: "success" });
  discard(machine);
});

test.each([
  ["interrupted", true, /^Bootstrap not checked \(Interrupted\)/u],
  ["internal", false, /^Bootstrap not checked \(Internal\w*\)/u],
] as const)(
  "settings that end with %s are told, and only what we did not expect with its place",
  async (id, known, line) => {
    const machine = await enabledMachine();
    const context = await machine.contextOf();
    const thrown = known ? new HandlerError(id, "it was cut off") : new TypeError("a mistake of ours");
    machine.restart();
    expect(await supervise(context, { signal: always, readSettings: () => Promise.reject(thrown) })).toBe("concluded");
    expect(machine.status()?.message).toMatch(line);
    expect(machine.log().includes("run-parts.test.ts")).toBe(!known);
    expect(eventsOf(machine.state())).toHaveLength(1);
    discard(machine);
  },
);

function discard({ host }: EnabledMachine): void {
  rmSync(host.root, { recursive: true });
}

test("a failure that is near begins the diagnosis: taken once, only while it is fresh, and not begun again at once", async () => {
  const machine = await enabledMachine();
  const bundle = join(machine.host.programFolder, "bundle");
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, "rules.json"), readFileSync(rulesFile));
  const clock = { ms: 0 };
  const foresight = createForesight({ ...machine.host, monotonicMs: () => clock.ms });
  const takenAt = async (ms: number) => {
    clock.ms = ms;
    return (await foresight.take())?.ruleSet.rules.length;
  };
  expect(await takenAt(0)).toBeUndefined();
  foresight.begin();
  expect(await takenAt(5000)).toBeGreaterThan(100);
  expect(await takenAt(5000)).toBeUndefined();
  foresight.begin();
  clock.ms = 10_000;
  foresight.begin();
  expect(await takenAt(10_001)).toBeUndefined();
  clock.ms = 200_000;
  foresight.begin();
  expect(await takenAt(200_001)).toBeGreaterThan(100);
  rmSync(bundle, { recursive: true });
  clock.ms = 400_000;
  foresight.begin();
  expect(await takenAt(400_001)).toBeUndefined();
  discard(machine);
});
