import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, jest, test } from "@jest/globals";
import { capzCommand } from "../../../../scripts/dev/start/capz-command.ts";
import { markStopped } from "../../../../handler/operations/stop-mark.ts";
import { keepCaller } from "../../../../handler/operations/caller-record.ts";
import { endRun } from "../../../../handler/operations/people/end-run.ts";
import { runInForeground } from "../../../../handler/operations/people/run-in-foreground.ts";
import { superviseCommand } from "../../../../handler/operations/supervise/supervise-command.ts";
import type { Host } from "../../../../handler/host.ts";
import { acquireLock } from "../../../../handler/state/exclusive-lock.ts";
import { checkMarker, selfAsHolder, supervisorLock } from "../../../../handler/operations/supervisor.ts";
import { linux } from "../../../../handler/platform/linux.ts";
import { newRunState, writeRunState, type CommandState } from "../../../../handler/state/run-state.ts";
import { listen } from "../../../support/http-server.ts";
import { waitUntil } from "../../../support/wait-until.ts";
import { enabledMachine, eventsOf, type EnabledMachine, type Given } from "./handler-machine.ts";

const passes = 'return result("bootstrapped");';
const waits = 'return result("not-yet");';
const fails = 'return result("failed", { reason: "KubeadmFailed", message: "it failed" });';

interface Calls {
  readonly killed: unknown[];
  readonly stopped: unknown[];
}

/** A machine that tells whom it was asked to end. */
async function watchedMachine(given: Given) {
  const machine = await enabledMachine(given);
  const calls: Calls = { killed: [], stopped: [] };
  const platform: Host["platform"] = {
    ...machine.host.platform,
    killTree: (tree) => Promise.resolve(void calls.killed.push(tree)),
    stopSupervisor: (request) => Promise.resolve(void calls.stopped.push(request)),
  };
  return { ...machine, calls, contextWith: () => machine.contextOf({ platform }) };
}

/** Takes the lock in the name of another process. */
async function holdLock(machine: EnabledMachine, change: { sequence?: number; statusFolder?: string; alive: boolean }) {
  const { alive, ...rest } = change;
  const context = await machine.contextOf();
  const mark = alive ? "the other one" : "long dead";
  const self = { ...(await selfAsHolder(context, "marker-of-the-other")), ...rest, startTime: mark, pid: 4_000_000 };
  await acquireLock(supervisorLock(context, context.identity.bootId), self);
  const platform = {
    ...machine.host.platform,
    isSameProcess: (_: number, other: string) => Promise.resolve(other === "the other one"),
  };
  return platform;
}

test("a second supervisor of the same settings finds nothing to do, and touches no status", async () => {
  const machine = await watchedMachine({ look: passes });
  const platform = await holdLock(machine, { alive: true });
  expect(await machine.run({ context: await machine.contextOf({ platform }) })).toBe("not-needed");
  expect(machine.status()).toMatchObject({ kind: "transitioning" });
  expect(machine.log()).toContain("process 4000000 is at work on this sequence; nothing to do");
  discard(machine);
});

test.each([
  ["of other settings", { sequence: 7 }],
  ["of a version that an update has left behind", { statusFolder: "/gone/status" }],
])(
  "a supervisor %s that does not end is ended after two seconds and every fifteen, and then the verdict comes",
  async (_, other) => {
    const machine = await watchedMachine({ look: passes, factor: 200 });
    const alive = await holdLock(machine, { ...other, alive: true });
    const { platform } = (await machine.contextWith()).host;
    const started = machine.host.monotonicMs();
    const isSameProcess: typeof alive.isSameProcess = (pid, mark) =>
      machine.calls.stopped.length < 2 ? alive.isSameProcess(pid, mark) : Promise.resolve(false);
    const context = await machine.contextOf({ platform: { ...platform, isSameProcess } });
    expect(await machine.run({ context })).toBe("concluded");
    expect(machine.host.monotonicMs() - started).toBeGreaterThan(16_000);
    const asked = { pid: 4_000_000, startTime: "the other one", marker: "marker-of-the-other" };
    expect(machine.calls.stopped).toEqual([expect.objectContaining(asked), expect.objectContaining(asked)]);
    expect(machine.log()).toContain("still at work; ending it");
    expect(machine.status()).toMatchObject({ kind: "success" });
    discard(machine);
  },
);

test("a supervisor of older settings ends no newer one, and gives way to it after fifteen seconds", async () => {
  const machine = await watchedMachine({ look: passes, factor: 1000 });
  machine.put(1, {});
  await machine.enableAgain(1);
  const alive = await holdLock(machine, { sequence: 1, alive: true });
  const { platform } = (await machine.contextWith()).host;
  const context = await machine.contextOf({ platform: { ...platform, isSameProcess: alive.isSameProcess } });
  const started = machine.host.monotonicMs();
  expect(await machine.run({ context })).toBe("not-needed");
  expect(machine.host.monotonicMs() - started).toBeGreaterThan(14_000);
  expect(machine.calls.stopped).toEqual([]);
  expect(machine.log()).toContain("does not end; giving way to it");
  discard(machine);
});

test("a supervisor that is asked to end does not wait for the lock", async () => {
  const machine = await watchedMachine({ look: passes, factor: 1 });
  const platform = await holdLock(machine, { sequence: 7, alive: true });
  const signal = AbortSignal.abort();
  expect(await machine.run({ context: await machine.contextOf({ platform }), signal })).toBe("not-needed");
  discard(machine);
});

test.each([
  ["ended, because the check must not run twice at a time", undefined, 2],
  ["the user's own, where the command had ended by itself", { kind: "code", code: 0 } as const, 0],
])("what a killed supervisor left running is %s", async (_, exit, ended) => {
  const machine = await watchedMachine({ look: passes });
  await holdLock(machine, { alive: false });
  const context = await machine.contextWith();
  if (exit !== undefined)
    await writeRunState(machine.instance, {
      ...newRunState(machine.host, context),
      command: { startedAt: "2026-01-01T00:00:00Z", bootId: "b", starts: 1, exit },
    });
  expect(await machine.run({ context })).toBe("concluded");
  const markers = machine.calls.killed.filter((tree) => (tree as { graceMs: number }).graceMs === 0);
  const beside = markers.filter((tree) => (tree as { marker: string }).marker.endsWith("-0-beside"));
  expect(beside).toHaveLength(ended / 2);
  expect(markers.length).toBe(ended);
  discard(machine);
});

test("a folder that takes no lock costs no verdict", async () => {
  const machine = await watchedMachine({ look: passes });
  const context = await machine.contextOf();
  const elsewhere = { ...context, instance: join(context.instance, "not-there") };
  expect(await machine.run({ context: elsewhere }).catch(String)).toContain("There is no state of sequence 0");
  expect(machine.log()).toContain("going on without a lock in");
  discard(machine);
});

test("where `disable` came first, a supervisor has nothing to do", async () => {
  const machine = await watchedMachine({ look: passes });
  markStopped(await machine.contextOf());
  expect(await machine.run()).toBe("not-needed");
  expect(machine.log()).toContain("the extension was disabled meanwhile");
  expect(machine.status()).toMatchObject({ kind: "transitioning" });
  discard(machine);
});

test("a state that newer settings have removed is nobody's any more; a lost one of the newest settings is an error", async () => {
  const machine = await watchedMachine({ look: passes });
  rmSync(join(machine.instance, "0.state.json"));
  await expect(machine.run()).rejects.toMatchObject({ id: "internal" });
  machine.put(1, {});
  await machine.enableAgain(1);
  expect(await machine.run()).toBe("not-needed");
  expect(machine.log()).toContain("newer settings have come; nothing to do");
  discard(machine);
});

const counts = 'echo run >>"$CAPZ_ROOT/runs"';

interface Interrupted {
  readonly name: string;
  readonly settings: Record<string, unknown>;
  readonly before: Partial<CommandState>;
  /** Undefined: it is run again. */
  readonly refused?: RegExp;
}

const bootNow = "the boot of now";
const interrupted: readonly Interrupted[] = [
  {
    name: "restart never",
    settings: {},
    before: {},
    refused:
      /The handler was stopped \(disabled, updated or killed\) while the command was running, and restart is "never" \(the command had been started at 2026-01-01T00:00:00Z\)/u,
  },
  {
    name: "restart never, after a reboot",
    settings: {},
    before: { bootId: "another" },
    refused: /The machine restarted while the command was running, and restart is "never"/u,
  },
  { name: "restart once, the first time", settings: { restart: "once" }, before: { starts: 1 } },
  {
    name: "restart once, the second time",
    settings: { restart: "once" },
    before: { starts: 2 },
    refused: /restart is "once" \(the command had been started for the second time at/u,
  },
  { name: "restart always", settings: { restart: "always" }, before: { starts: 5 } },
  {
    name: "restart always, when the time is over",
    settings: { restart: "always", timeoutSeconds: 30 },
    before: { starts: 3 },
    refused: /the deadline is over \(the command had been started for the 3th time at/u,
  },
];

test.each(interrupted.map((row) => [row.name, row] as const))("a command that was interrupted: %s", async (_, row) => {
  const machine = await enabledMachine({
    settings: { commandToExecute: counts, bootstrapProvider: "none", ...row.settings },
  });
  const context = await machine.contextOf();
  const identity = { ...context.identity, bootId: bootNow };
  const fresh = newRunState(machine.host, { sequence: 0, identity });
  const isOver = row.settings["timeoutSeconds"] !== undefined;
  await writeRunState(machine.instance, {
    ...fresh,
    clock: isOver ? { ...fresh.clock, usedMs: 31_000 } : fresh.clock,
    command: { startedAt: "2026-01-01T00:00:00Z", bootId: bootNow, starts: 1, ...row.before },
  });
  expect(await machine.run({ context: { ...context, identity } })).toBe("concluded");
  const runs = existsSync(machine.under("runs")) ? readFileSync(machine.under("runs"), "utf8") : "";
  if (row.refused === undefined) {
    expect(runs).toBe("run\n");
    expect(machine.status()).toMatchObject({ kind: "success" });
    expect(machine.state()?.command).toMatchObject({
      starts: (row.before.starts ?? 1) + 1,
      bootId: bootNow,
      exit: { kind: "code", code: 0 },
    });
  } else {
    expect(runs).toBe("");
    expect(machine.status()).toMatchObject({ kind: "error" });
    const { summary } = machine.status()?.substatuses["BootstrapVerdict"] as { summary: string };
    expect(`${summary}\n${mustHave(machine.status()).message}`).toMatch(row.refused);
  }
  discard(machine);
});

test("CAPZ's own loop is started again whatever restart says, and the check beside it gives the verdict", async () => {
  const machine = await enabledMachine({
    look: `const [seen] = yield [{ ask: "path", path: "/run/cluster-api/bootstrap-success.complete" }];
      if (seen.value.kind === "file") return result("bootstrapped", { message: "the node is there" });
      ${waits}`,
  });
  machine.put(0, { commandToExecute: capzCommand(machine.host.root) });
  await writeRunState(machine.instance, {
    ...newRunState(machine.host, await machine.contextOf()),
    command: { startedAt: "2026-01-01T00:00:00Z", bootId: "another", starts: 1 },
  });
  const running = machine.run();
  await waitUntil("the stage of the look", () => machine.status()?.message.includes("kubeadm join"), { everyMs: 5 });
  machine.sentinel();
  expect(await running).toBe("concluded");
  expect(machine.status()).toMatchObject({
    kind: "success",
    message: expect.stringMatching(/^Bootstrapped in \d+ s \(kubeadm\): the node is there/u),
  });
  expect(machine.status()?.substatuses).toHaveProperty("BootstrapProof");
  expect(readdirSync(join(machine.instance, "0.work"))).toContain("beside");
  discard(machine);
});

test("CAPZ's own loop fails as soon as the check beside it is certain, and the node may still turn up", async () => {
  const machine = await enabledMachine({
    look: `const [seen] = yield [{ ask: "path", path: "/run/cluster-api/bootstrap-success.complete" }];
      if (seen.value.kind === "file") ${passes}
      return result("failed", { reason: "KubeadmFailed", message: "it failed" });`,
  });
  machine.put(0, { commandToExecute: capzCommand(machine.host.root), aftercareSeconds: 3600, pollSeconds: 5 });
  const running = machine.run();
  await waitUntil("the failure", () => machine.state()?.verdict, { everyMs: 5 });
  expect(machine.status()).toMatchObject({
    kind: "error",
    code: 10,
    message: expect.stringContaining("(KubeadmFailed)"),
  });
  // Behind the verdict the loop itself is ended, while the wait for the node goes on.
  const loop = checkMarker(machine.instance, 0);
  await waitUntil("the end of the loop", () => linux.isTreeGone?.(loop), { everyMs: 5, timeoutMs: 20_000 });
  machine.sentinel();
  expect(await running).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "success", message: expect.stringContaining("late by") });
  discard(machine);
});

test("CAPZ's own loop is ended when its failure is told, while the report is still on its way", async () => {
  const uploads: { readonly arrive: () => void; readonly isOver: () => boolean }[] = [];
  const server = await listen((request, response) => {
    request.resume();
    const arrive = (): void => void response.writeHead(201).end();
    if (uploads.push({ arrive, isOver: () => response.destroyed }) === 1) response.writeHead(403).end();
  });
  const machine = await enabledMachine({
    look: 'return result("failed", { reason: "KubeadmFailed", message: "it failed" });',
    factor: 1,
  });
  const reportUploadUri = `${server.origin}/report.zip`;
  machine.put(0, { commandToExecute: capzCommand(machine.host.root), aftercareSeconds: 0, reportUploadUri });
  const running = machine.run();
  const second = await waitUntil("the upload behind the verdict", () => uploads[1], { everyMs: 5 });
  const loop = checkMarker(machine.instance, 0);
  await waitUntil("the end of the loop", () => linux.isTreeGone?.(loop), { everyMs: 5, timeoutMs: 20_000 });
  expect(second.isOver()).toBe(false);
  second.arrive();
  expect(await running).toBe("concluded");
  await server.close();
  discard(machine);
});

test("CAPZ's own loop is ended also where nobody is left to be told of its failure", async () => {
  const machine = await enabledMachine({
    look: `const [seen] = yield [{ ask: "path", path: "/go" }];
      return seen.value.kind === "file" ? result("failed", { reason: "KubeadmFailed" }) : result("not-yet");`,
  });
  machine.put(0, { commandToExecute: capzCommand(machine.host.root), aftercareSeconds: 0 });
  const running = machine.run();
  await waitUntil("the wait", () => machine.status()?.message.includes("kubeadm join"), { everyMs: 5 });
  const loop = checkMarker(machine.instance, 0);
  expect(await linux.isTreeGone?.(loop)).toBe(false);
  rmSync(machine.host.programFolder, { recursive: true });
  writeFileSync(machine.under("go"), "");
  expect(await running).toBe("interrupted");
  await waitUntil("the end of the loop", () => linux.isTreeGone?.(loop), { everyMs: 5, timeoutMs: 20_000 });
  discard(machine);
});

test("a command's own failure is its last word: no aftercare turns it", async () => {
  const machine = await enabledMachine({
    look: passes,
    settings: { commandToExecute: "exit 3", lookBeside: false, aftercareSeconds: 3600 },
  });
  expect(await machine.run()).toBe("concluded");
  expect(machine.state()?.verdict).toMatchObject({ final: true, status: { code: 2 } });
  discard(machine);
});

test("the end of a command that nobody was left to hear is its verdict", async () => {
  const machine = await enabledMachine({ settings: { commandToExecute: counts, bootstrapProvider: "none" } });
  await writeRunState(machine.instance, {
    ...newRunState(machine.host, await machine.contextOf()),
    command: { startedAt: "2026-01-01T00:00:00Z", bootId: "b", starts: 1, exit: { kind: "code", code: 5 } },
  });
  mkdirSync(join(machine.instance, "0.work"), { recursive: true });
  writeFileSync(join(machine.instance, "0.work/stdout"), "its last words\n");
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()).toMatchObject({
    code: 2,
    message: expect.stringContaining("exited with code 5: its last words"),
  });
  expect(existsSync(machine.under("runs"))).toBe(false);
  expect(eventsOf(machine.state())).toEqual(["the check failed"]);
  discard(machine);
});

async function withEndedCommand(settings: Record<string, unknown>, code: number) {
  const machine = await enabledMachine({ look: passes, settings });
  await writeRunState(machine.instance, {
    ...newRunState(machine.host, await machine.contextOf()),
    command: {
      startedAt: "2026-01-01T00:00:00Z",
      bootId: "b",
      starts: 1,
      files: [join(machine.instance, "0.work/command")],
      exit: { kind: "code", code },
    },
  });
  mkdirSync(join(machine.instance, "0.work"), { recursive: true });
  return machine;
}

test("a command of the user's own whose end nobody was left to hear speaks for itself, and its line does not stay", async () => {
  const machine = await withEndedCommand({ commandToExecute: "exit 5" }, 5);
  const line = join(machine.instance, "0.work/command");
  writeFileSync(line, "exit 5\n");
  writeFileSync(join(machine.instance, "0.work/stderr"), `${line}: 1: frobnicate: not found\n`);
  mkdirSync(machine.under("var/log"), { recursive: true });
  writeFileSync(
    machine.under("var/log/cloud-init-output.log"),
    "error execution phase preflight: dial tcp: lookup api.prod.internal on 10.0.0.10:53: no such host\n",
  );
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()?.message).toMatch(
    /^Bootstrap failed \(CommandFailed\) after \d+ s: the command exited with code 5: \/bin\/sh: 1: frobnicate: not found/u,
  );
  expect(existsSync(line)).toBe(false);
  discard(machine);
});

test("where CAPZ's own loop ended and nobody was left to hear it, the node may still turn up", async () => {
  const machine = await withEndedCommand({ aftercareSeconds: 3600, pollSeconds: 5 }, 1);
  machine.put(0, { commandToExecute: capzCommand(machine.host.root), aftercareSeconds: 3600, pollSeconds: 5 });
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "success", message: expect.stringContaining("late by") });
  discard(machine);
});

test.each([
  ["stay", {}, true],
  ["go with removeFiles", { removeFiles: true }, false],
])("the files of a command %s when it has ended", async (_, more, there) => {
  const script = Buffer.from("#!/bin/sh\necho done\n").toString("base64");
  const machine = await enabledMachine({ settings: { script, bootstrapProvider: "none", ...more } });
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "success" });
  const files = readdirSync(join(machine.instance, "0.work"), { recursive: true }).map(String);
  expect(files.some((file) => file.endsWith("script.sh"))).toBe(there);
  discard(machine);
});

/** The disk as a supervisor leaves it that is killed while its command runs. */
async function withKilledSupervisor(settings: Record<string, unknown>) {
  const machine = await enabledMachine({ settings: { bootstrapProvider: "none", ...settings } });
  const stop = new AbortController();
  const running = machine.run({ signal: stop.signal });
  await waitUntil("the command", () => existsSync(machine.under("begun")), { everyMs: 5 });
  cpSync(machine.instance, machine.under("kept"), { recursive: true });
  stop.abort();
  expect(await running).toBe("interrupted");
  const filesOf = () => readdirSync(join(machine.instance, "0.work"), { recursive: true }).map(String);
  const stopped = filesOf();
  rmSync(machine.instance, { recursive: true });
  cpSync(machine.under("kept"), machine.instance, { recursive: true });
  const killed = filesOf();
  writeFileSync(machine.under("again"), "");
  return { machine, stopped, killed, filesOf };
}

const untilAgain = 'touch made; touch "$CAPZ_ROOT/begun"; [ -e "$CAPZ_ROOT/again" ] || exec sleep 600';
const asLine = { commandToExecute: untilAgain };
const asScript = { script: Buffer.from(`#!/bin/sh\n${untilAgain}\n`).toString("base64") };
const removed = { removeFiles: true };
const exit = { kind: "code", code: 0 } as const;

test.each([
  ["a line, which is not run again", asLine, undefined, "command", false],
  ["a line, which had ended", asLine, exit, "command", false],
  ["a line, which is run again", { ...asLine, restart: "always" }, undefined, "command", false],
  ["a script, which is not run again", asScript, undefined, "download/script.sh", true],
  [
    "a script to be removed, which is not run again",
    { ...asScript, ...removed },
    undefined,
    "download/script.sh",
    false,
  ],
  ["a script to be removed, which had ended", { ...asScript, ...removed }, exit, "download/script.sh", false],
  [
    "a script to be removed, which is run again",
    { ...asScript, ...removed, restart: "once" },
    undefined,
    "download/script.sh",
    false,
  ],
])("of a command whose supervisor was killed or stopped no file stays that should go: %s", async (...row) => {
  const [, settings, ended, file, stays] = row;
  const { machine, stopped, killed, filesOf } = await withKilledSupervisor(settings);
  expect([killed.includes(file), stopped.includes(file)]).toEqual([true, stays]);
  const state = mustHave(machine.state());
  if (ended !== undefined)
    await writeRunState(machine.instance, { ...state, command: { ...mustHave(state.command), exit: ended } });
  expect(await machine.run()).toBe("concluded");
  expect(filesOf().includes(file)).toBe(stays);
  expect(filesOf()).toContain("download/made");
  discard(machine);
});

test("a file of a command that cannot be removed costs no verdict", async () => {
  const machine = await enabledMachine();
  const script = Buffer.from('#!/bin/sh\nrm "$0"\nmkdir "$0"\n').toString("base64");
  machine.put(0, { script, bootstrapProvider: "none", removeFiles: true });
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "success" });
  expect(machine.log()).toContain("A file of the command could not be removed: ");
  discard(machine);
});

test("a command has the environment that the guest agent gave to enable, and not what the launcher keeps for it", async () => {
  const machine = await enabledMachine({
    settings: { commandToExecute: 'env >"$CAPZ_ROOT/env"', bootstrapProvider: "none" },
  });
  const context = await machine.contextOf();
  const env = {
    PATH: machine.host.env["PATH"],
    OF_AGENT: "yes",
    CAPZ_CALLER_NODE_OPTIONS: "--no-warnings",
    NODE_OPTIONS: "ours",
  };
  await keepCaller({ ...context, host: { ...machine.host, env } });
  expect(await machine.run()).toBe("concluded");
  const lines = readFileSync(machine.under("env"), "utf8").split("\n");
  expect(lines).toEqual(
    expect.arrayContaining(["OF_AGENT=yes", "NODE_OPTIONS=--no-warnings", "ConfigSequenceNumber=0"].slice(0, 2)),
  );
  expect(lines.filter((line) => line.startsWith("CAPZ_CALLER_"))).toEqual([]);
  discard(machine);
});

/** `superviseCommand` listens to the process for as long as it lives; here the process goes on. */
async function withoutListeners<Value>(body: () => Promise<Value>): Promise<Value> {
  const names = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection"] as const;
  const before = names.map((name) => process.listeners(name as "SIGTERM"));
  try {
    return await body();
  } finally {
    names.forEach((name, index) => {
      for (const listener of process.listeners(name as "SIGTERM"))
        if (before[index]?.includes(listener) !== true) process.removeListener(name, listener);
    });
  }
}

test("supervise takes the sequence and the name from its arguments", async () => {
  await withoutListeners(async () => {
    const machine = await enabledMachine({ look: passes, env: { ConfigSequenceNumber: "9" } });
    await expect(superviseCommand([], machine.host)).rejects.toThrow("supervise needs --sequence N");
    machine.put(0, {});
    machine.restart();
    const host = { ...machine.host, env: { ...machine.host.env, ConfigSequenceNumber: "7" } };
    await expect(superviseCommand(["--sequence", "9"], host)).resolves.toBe("concluded");
    expect(machine.status(9)).toMatchObject({ kind: "error" });
    discard(machine);
  });
});

test.each<readonly [string, Given]>([
  ["of a check", { look: passes }],
  ["that stays after its aftercare", { look: fails, settings: { aftercareSeconds: 30, pollSeconds: 5 }, factor: 200 }],
  ["of a command", { settings: { commandToExecute: "true" }, look: waits }],
  [
    "of a report that is sent",
    { look: fails, settings: { aftercareSeconds: 0, reportUploadUri: "http://127.0.0.1:9/x" } },
  ],
])("when supervise has the verdict %s nothing that it waited for keeps the process alive", async (_, given) => {
  await withoutListeners(async () => {
    const machine = await enabledMachine(given);
    machine.restart();
    let waiting = 0;
    const sleep: Host["sleep"] = async (ms, signal) => {
      waiting += 1;
      await machine.host.sleep(ms, signal);
      waiting -= 1;
    };
    expect(await superviseCommand(["--sequence", "0"], { ...machine.host, sleep })).toBe("concluded");
    await waitUntil("the end of every pause", () => waiting === 0, { everyMs: 5, timeoutMs: 20_000 });
    discard(machine);
  });
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends supervise without a verdict", async (name) => {
  await withoutListeners(async () => {
    const machine = await enabledMachine({ look: waits });
    machine.restart();
    const running = superviseCommand(["--sequence", "0"], machine.host);
    await waitUntil("the wait", () => machine.status()?.message.includes("kubeadm join"), { everyMs: 5 });
    process.emit(name);
    expect(await running).toBe("interrupted");
    expect(machine.status()).toMatchObject({ kind: "transitioning" });
    discard(machine);
  });
});

test("a package that is missing for a moment, or cannot be asked for, ends no wait", async () => {
  await withoutListeners(async () => {
    const machine = await enabledMachine({ look: waits, settings: { timeoutSeconds: 5100 }, factor: 300 });
    const { programFolder } = machine.host;
    const away = `${programFolder}-away`;
    const inTurn = {
      there: () => {
        if (existsSync(away)) renameSync(away, programFolder);
      },
      gone: () => {
        renameSync(programFolder, away);
      },
      /** ELOOP: what is there cannot be said. */
      unknown: () => {
        symlinkSync(programFolder, programFolder);
      },
      goneAgain: () => {
        rmSync(programFolder);
      },
    };
    const turns = ["gone", "there", "there", "gone", "unknown", "goneAgain", "there", "gone", "gone"] as const;
    let watch: AbortSignal | undefined;
    let looks = 0;
    // The first pause is that of the watch over the package: all of its pauses have one signal.
    const sleep: Host["sleep"] = async (ms, signal) => {
      watch ??= signal;
      if (signal !== watch || looks >= turns.length) return machine.host.sleep(ms, signal);
      await machine.host.sleep(ms, signal);
      const turn = turns[looks++] ?? "there";
      if (turn !== "gone" || existsSync(programFolder)) inTurn[turn]();
    };
    machine.restart();
    expect(await superviseCommand(["--sequence", "0"], { ...machine.host, sleep })).toBe("interrupted");
    expect(looks).toBe(turns.length);
    expect(machine.status()).toMatchObject({ kind: "transitioning" });
    discard(machine);
  });
});

test("a wait whose package was removed under it ends, and one whose state was removed goes on to its verdict", async () => {
  await withoutListeners(async () => {
    const machine = await enabledMachine({
      look: `const [seen] = yield [{ ask: "path", path: "/run/cluster-api/bootstrap-success.complete" }];
        return result(seen.value.kind === "file" ? "bootstrapped" : "not-yet");`,
      factor: 50,
    });
    machine.restart();
    const goesOn = superviseCommand(["--sequence", "0"], machine.host);
    await waitUntil("the wait", () => machine.status()?.message.includes("kubeadm join"), { everyMs: 5 });
    rmSync(machine.instance, { recursive: true });
    machine.sentinel();
    expect(await goesOn).toBe("concluded");
    expect(machine.status()).toMatchObject({ kind: "success" });
    discard(machine);
    const other = await enabledMachine({ look: waits, factor: 50 });
    other.restart();
    const ends = superviseCommand(["--sequence", "0"], other.host);
    await waitUntil("the wait", () => other.status()?.message.includes("kubeadm join"), { everyMs: 5 });
    rmSync(other.host.programFolder, { recursive: true });
    expect(await ends).toBe("interrupted");
    expect(other.log()).toContain("is gone; ending, since nobody would read a verdict");
    expect(other.status()).toMatchObject({ kind: "transitioning" });
    discard(other);
  });
});

test("end-run ends a run that holds no lock yet, and the next run is not ended by it", async () => {
  await withoutListeners(async () => {
    const { host, under, restart } = await enabledMachine({ look: passes });
    const settings = under("own.json");
    writeFileSync(settings, '{"aftercareSeconds": 0}');
    const options = { settingsFile: settings, json: false, brief: false, quiet: true, verbose: false };
    const ending: Host["platform"] = {
      ...host.platform,
      machineIdentity: async (...args) => {
        expect(await endRun(host, { forget: false })).toContain("no run was at work");
        return host.platform.machineIdentity(...args);
      },
    };
    const printed = jest.spyOn(process.stderr, "write").mockImplementation(() => true);
    const answer = jest.spyOn(process.stdout, "write").mockImplementation(() => true);
    try {
      // Before it there is nothing to ask, so that the first question is that of the run itself.
      mkdirSync(join(host.root, "var/lib/capz-bootstrap/run"), { recursive: true });
      expect(await runInForeground({ ...host, platform: onceBegun(ending, host.platform) }, options)).toBe(3);
      expect(printed.mock.calls.join("")).toContain("stopped before there was a verdict");
      restart();
      expect(await runInForeground(host, options)).toBe(0);
    } finally {
      printed.mockRestore();
      answer.mockRestore();
    }
    rmSync(host.root, { recursive: true });
  });
});

/** The second platform for the first question of who this machine is, the first one for the next. */
function onceBegun(ending: Host["platform"], before: Host["platform"]): Host["platform"] {
  let asked = 0;
  const machineIdentity: typeof before.machineIdentity = (...args) =>
    (++asked === 2 ? ending : before).machineIdentity(...args);
  return { ...before, machineIdentity };
}

test("what ends supervise from outside its flow is told in the status, and an error that nobody awaits ends nothing", async () => {
  await withoutListeners(async () => {
    const machine = await enabledMachine({ look: waits });
    machine.restart();
    const running = superviseCommand(["--sequence", "0"], machine.host);
    await waitUntil("the wait", () => machine.status()?.message.includes("kubeadm join"), { everyMs: 5 });
    process.listeners("uncaughtException").at(-1)?.(new Error("of a socket"), "uncaughtException");
    await waitUntil("the log", () =>
      machine.log().includes("goes on after an error outside its flow (uncaughtException): Error: of a socket"),
    );
    process.emit("SIGTERM");
    await running;
    rmSync(join(machine.instance, "0.state.json"));
    machine.restart();
    expect(await superviseCommand(["--sequence", "0"], machine.host)).toBe("concluded");
    expect(machine.status()).toMatchObject({
      kind: "error",
      message: expect.stringContaining("There is no state of sequence 0"),
    });
    expect(machine.log()).toContain("supervise ended unexpectedly: ");
    rmSync(machine.under("statusFolder"), { recursive: true });
    writeFileSync(machine.under("statusFolder"), "in the way");
    machine.restart();
    await expect(superviseCommand(["--sequence", "0"], machine.host)).rejects.toMatchObject({ id: "internal" });
    discard(machine);
  });
});

function mustHave<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("There is none");
  return value;
}

function discard({ host }: EnabledMachine): void {
  rmSync(host.root, { recursive: true });
}
