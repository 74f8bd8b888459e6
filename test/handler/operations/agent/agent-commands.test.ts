import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, jest, test } from "@jest/globals";
import type { Host } from "../../../../handler/host.ts";
import { runAgentCommand, type AgentCommandName } from "../../../../handler/operations/agent/run-agent-command.ts";
import { keepCaller, proxiesOf, readCaller } from "../../../../handler/operations/caller-record.ts";
import { preparePrivateFolder } from "../../../../handler/operations/prepare-private-folder.ts";
import { isStopped } from "../../../../handler/operations/stop-mark.ts";
import {
  commandHasEnded,
  startSupervisor,
  stopUnknownSupervisor,
  unitName,
} from "../../../../handler/operations/supervisor.ts";
import type { StartSupervisor } from "../../../../handler/platform/platform.ts";
import { newRunState, writeRunState } from "../../../../handler/state/run-state.ts";
import { enabledMachine, type EnabledMachine } from "../supervise/handler-machine.ts";

/** A command of the guest agent in this process: its exit code, its words, and whom it ended. */
async function called(machine: EnabledMachine, name: AgentCommandName, change: (host: Host) => Host = (host) => host) {
  const stopped: unknown[] = [];
  const started: StartSupervisor[] = [];
  const words: string[] = [];
  const platform: Host["platform"] = {
    ...machine.host.platform,
    stopSupervisor: (request) => Promise.resolve(void stopped.push(request)),
    startSupervisor: (request) => Promise.resolve(void started.push(request)),
  };
  const error = jest.spyOn(process.stderr, "write").mockImplementation((text) => words.push(String(text)) > 0);
  try {
    const code = await runAgentCommand(name, [], change({ ...machine.host, platform }));
    return { code, words: words.join(""), stopped, started };
  } finally {
    error.mockRestore();
  }
}

const holder = {
  pid: 4_000_000,
  startTime: "alive",
  handlerVersion: "1",
  statusFolder: "/s",
  marker: "m",
  sequence: 0,
};

/** The lock in another process's name, and the machine with eyes for it. */
async function withHolder(machine: EnabledMachine): Promise<(host: Host) => Host> {
  const { identity, instance } = await machine.contextOf();
  writeFileSync(join(instance, "supervisor.lock.9"), JSON.stringify({ ...holder, bootId: identity.bootId }));
  return (host) => ({
    ...host,
    platform: { ...host.platform, isSameProcess: (_, mark) => Promise.resolve(mark === "alive") },
  });
}

test("disable stops the supervisor, leaves state and status, and says so where it does not end", async () => {
  const machine = await enabledMachine();
  const alive = await withHolder(machine);
  const { code, stopped, words } = await called(machine, "disable", alive);
  expect(code).toBe(0);
  expect(stopped).toEqual([
    {
      unit: unitName({ instance: machine.instance, sequence: 0 }),
      root: machine.host.root,
      pid: 4_000_000,
      startTime: "alive",
      marker: "m",
      keepTree: false,
    },
  ]);
  expect(words).toContain("The supervisor (process 4000000) could not be ended: it is still at work on sequence 0");
  expect(machine.log()).toContain("could not be ended");
  expect(isStopped(await machine.contextOf())).toBe(true);
  expect(machine.status()).toMatchObject({ kind: "transitioning" });
  expect(machine.state()).toBeDefined();
  discard(machine);
});

test("disable of an extension that has nothing on the machine makes nothing there", async () => {
  const machine = await enabledMachine();
  rmSync(machine.instance, { recursive: true });
  expect(await called(machine, "disable")).toMatchObject({ code: 0, stopped: [], words: "" });
  expect(existsSync(machine.instance)).toBe(false);
  discard(machine);
});

test("a holder of another boot, or one that is dead, is nobody to end", async () => {
  const machine = await enabledMachine();
  const { identity } = await machine.contextOf();
  const write = (number: number, more: object) => {
    writeFileSync(
      join(machine.instance, `supervisor.lock.${String(number)}`),
      JSON.stringify({ ...holder, bootId: identity.bootId, ...more }),
    );
  };
  const everybodyLives = (host: Host): Host => ({
    ...host,
    platform: { ...host.platform, isSameProcess: () => Promise.resolve(true) },
  });
  write(9, { bootId: "an earlier one" });
  expect(await called(machine, "disable", everybodyLives)).toMatchObject({ stopped: [], words: "" });
  write(10, { startTime: "dead" });
  expect(await called(machine, "disable")).toMatchObject({ stopped: [], words: "" });
  discard(machine);
});

test("what a command has left in the background is not ended with its supervisor", async () => {
  const machine = await enabledMachine();
  const alive = await withHolder(machine);
  const command = { startedAt: "t", bootId: "b", starts: 1 };
  const state = newRunState(machine.host, await machine.contextOf());
  await writeRunState(machine.instance, { ...state, command });
  expect(commandHasEnded(machine.instance, 0)).toBe(false);
  await writeRunState(machine.instance, { ...state, command: { ...command, exit: { kind: "code", code: 0 } } });
  expect((await called(machine, "disable", alive)).stopped).toMatchObject([{ keepTree: true }]);
  discard(machine);
});

test("uninstall removes what is private, and with the last extension the folder of all", async () => {
  const machine = await enabledMachine();
  const users = machine.host.platform.paths(machine.host.root).userFiles;
  mkdirSync(users, { recursive: true });
  const other = join(dirname(machine.instance), "Another");
  mkdirSync(other);
  expect(await called(machine, "uninstall")).toMatchObject({ code: 0, words: "" });
  expect([existsSync(machine.instance), existsSync(other), existsSync(users)]).toEqual([false, true, false]);
  mkdirSync(machine.instance);
  rmSync(other, { recursive: true });
  mkdirSync(join(users, "somebody"), { recursive: true });
  expect((await called(machine, "uninstall")).code).toBe(0);
  expect([existsSync(dirname(machine.instance)), existsSync(users)]).toEqual([false, true]);
  expect((await called(machine, "uninstall")).code).toBe(0);
  discard(machine);
});

test("uninstall within an update leaves the wait to the new version, for an hour", async () => {
  const machine = await enabledMachine();
  const alive = await withHolder(machine);
  expect((await called(machine, "update", alive)).stopped).toHaveLength(1);
  expect(isStopped(await machine.contextOf())).toBe(true);
  const mark = join(machine.instance, "update-in-progress");
  expect(statSync(mark).mode & 0o777).toBe(0o600);
  expect((await called(machine, "uninstall", alive)).stopped).toHaveLength(1);
  expect(machine.state()).toBeDefined();
  const past = Date.now() / 1000 - 3700;
  utimesSync(mark, past, past);
  await called(machine, "uninstall");
  expect(existsSync(machine.instance)).toBe(false);
  discard(machine);
});

test("enable forgets update and disable, sweeps up what killed writers left, and starts the supervisor by its arguments", async () => {
  const machine = await enabledMachine({ env: { ConfigExtensionName: "pool-a" } });
  await called(machine, "update");
  const left = [machine.host.programFolder, machine.under("logFolder"), machine.instance].map((folder) =>
    join(folder, ".capz-4000000-0123456789abcdef.tmp"),
  );
  const past = Date.now() / 1000 - 3700;
  for (const file of left) {
    writeFileSync(file, "");
    utimesSync(file, past, past);
  }
  machine.restart();
  const { code, started } = await called(machine, "enable");
  expect(code).toBe(0);
  expect(existsSync(join(machine.instance, "update-in-progress"))).toBe(false);
  expect(isStopped(await machine.contextOf())).toBe(false);
  expect(left.filter((file) => existsSync(file))).toEqual([]);
  expect(started).toEqual([
    {
      command: [
        join(machine.host.programFolder, "bin/capz-bootstrap"),
        "supervise",
        "--sequence",
        "0",
        "--extension-name",
        "pool-a",
      ],
      unit: unitName({ instance: machine.instance, sequence: 0 }),
      root: machine.host.root,
      outputFile: machine.under("logFolder", "supervisor-output.log"),
    },
  ]);
  discard(machine);
});

describe("enable, called again", () => {
  it("leaves a supervisor of ours at work", async () => {
    const machine = await enabledMachine();
    const { environment, identity, instance } = await machine.contextOf();
    const own = { ...holder, bootId: identity.bootId, statusFolder: environment.statusFolder };
    writeFileSync(join(instance, "supervisor.lock.9"), JSON.stringify(own));
    const alive = (host: Host): Host => ({
      ...host,
      platform: { ...host.platform, isSameProcess: (_, mark) => Promise.resolve(mark === "alive") },
    });
    expect(await called(machine, "enable", alive)).toMatchObject({ code: 0, started: [], stopped: [] });
    expect(machine.log()).toContain("enable: the supervisor is at work; nothing to do");
    discard(machine);
  });

  it("ends one of another version, and goes on with what is left", async () => {
    const machine = await enabledMachine();
    const started = machine.state()?.startedAt;
    const again = await called(machine, "enable", await withHolder(machine));
    expect(again).toMatchObject({ code: 0, stopped: [{ pid: 4_000_000 }] });
    expect(again.started).toHaveLength(1);
    expect(machine.state()?.startedAt).toBe(started);
    expect(machine.log()).toContain(
      "the supervisor of another version, or one that was told to end, is at work; this call ends it",
    );
    discard(machine);
  });

  it("goes on where the supervisor is gone, and writes a lost status anew", async () => {
    const machine = await enabledMachine();
    rmSync(machine.under("statusFolder/0.status"));
    machine.restart();
    const again = await called(machine, "enable");
    expect(again.started).toMatchObject([{ command: [expect.anything(), "supervise", "--sequence", "0"] }]);
    expect(again.stopped).toEqual([]);
    expect(machine.status()).toMatchObject({
      kind: "transitioning",
      message: "Waiting for bootstrap: starting the check",
    });
    discard(machine);
  });

  it("leaves a verdict as it stands, and writes it anew where its file is lost", async () => {
    const machine = await enabledMachine({ look: 'return result("bootstrapped");' });
    await machine.run();
    machine.restart();
    const told = machine.status();
    expect((await called(machine, "enable")).started).toEqual([]);
    machine.restart();
    rmSync(machine.under("statusFolder/0.status"));
    expect((await called(machine, "enable")).started).toEqual([]);
    expect(machine.status()).toEqual(told);
    expect(machine.log()).toContain("the verdict stands; its status file was lost and is written again");
    discard(machine);
  });

  it("adopts a verdict that only the status file holds", async () => {
    const machine = await enabledMachine({ look: 'return result("bootstrapped");' });
    const before = newRunState(machine.host, await machine.contextOf());
    await machine.run();
    await writeRunState(machine.instance, before);
    machine.restart();
    expect((await called(machine, "enable")).started).toEqual([]);
    expect(machine.state()?.verdict).toMatchObject({
      final: true,
      afterSeconds: 0,
      status: { kind: "success", code: 0, operation: "Enable", message: expect.stringContaining("Bootstrapped in") },
    });
    discard(machine);
  });

  it("repairs the number of the last sequence, and says what was wrong with it", async () => {
    const machine = await enabledMachine();
    writeFileSync(join(machine.host.programFolder, "mrseq"), "");
    const again = await called(machine, "enable");
    expect(again.started).toHaveLength(1);
    expect(machine.log()).toContain("holds no sequence number; it is written anew");
    expect(machine.log()).toContain("the supervisor is gone; it goes on");
    discard(machine);
  });

  it("with new settings removes what belongs to the older, and ends what a killed supervisor of them left", async () => {
    const machine = await enabledMachine();
    mkdirSync(join(machine.instance, "0.work"));
    machine.put(1, {});
    const killed: unknown[] = [];
    const next = (host: Host): Host => ({
      ...host,
      env: { ...host.env, ConfigSequenceNumber: "1" },
      platform: { ...host.platform, killTree: (tree) => Promise.resolve(void killed.push(tree)) },
    });
    machine.restart();
    expect((await called(machine, "enable", next)).code).toBe(0);
    expect(killed).toEqual([{ marker: expect.stringMatching(/-0$/u), graceMs: 0 }]);
    expect(readdirSync(machine.instance)).not.toEqual(expect.arrayContaining(["0.work"]));
    expect(machine.state(0)).toBeUndefined();
    expect(readFileSync(join(machine.host.programFolder, "mrseq"), "utf8").trim()).toBe("1");
    expect(machine.status(0)).toMatchObject({ kind: "error" });
    expect(machine.log()).toContain("enable: begin (other-sequence)");
    discard(machine);
  });

  it.each([
    ["with a verdict", { verdict: true }],
    [
      "whose command has ended",
      { command: { startedAt: "t", bootId: "b", starts: 1, exit: { kind: "code", code: 0 } as const } },
    ],
  ])("with new settings ends nothing of a run %s: what runs is the user's", async (_, more) => {
    const machine = await enabledMachine({ look: 'return result("bootstrapped");' });
    if ("verdict" in more) await machine.run();
    else await writeRunState(machine.instance, { ...newRunState(machine.host, await machine.contextOf()), ...more });
    machine.put(1, {});
    const killed: unknown[] = [];
    const next = (host: Host): Host => ({
      ...host,
      env: { ...host.env, ConfigSequenceNumber: "1" },
      platform: { ...host.platform, killTree: (tree) => Promise.resolve(void killed.push(tree)) },
    });
    machine.restart();
    await called(machine, "enable", next);
    expect(killed).toEqual([]);
    discard(machine);
  });
});

test("what enable cannot do is told in the status with exit code 0, and with 53 where no status can be written", async () => {
  const machine = await enabledMachine();
  rmSync(machine.instance, { recursive: true });
  rmSync(dirname(machine.instance), { recursive: true });
  writeFileSync(dirname(machine.instance), "in the way");
  const { code, words } = await called(machine, "enable");
  expect(code).toBe(0);
  expect(words).toMatch(/^capz-bootstrap enable: .*\. Next: .*\.\n$/u);
  expect(machine.status()).toMatchObject({ kind: "error", message: expect.stringContaining("Bootstrap not checked") });
  rmSync(machine.under("statusFolder"), { recursive: true });
  writeFileSync(machine.under("statusFolder"), "in the way");
  expect((await called(machine, "enable")).code).toBe(53);
  rmSync(join(machine.host.programFolder, "HandlerEnvironment.json"));
  expect((await called(machine, "enable")).code).toBe(53);
  discard(machine);
});

test("install that cannot close its folder ends with 53; disable, update and uninstall never stand in the agent's way", async () => {
  const machine = await enabledMachine();
  expect((await called(machine, "install")).code).toBe(0);
  rmSync(machine.instance, { recursive: true });
  rmSync(dirname(machine.instance), { recursive: true });
  writeFileSync(dirname(machine.instance), "in the way");
  expect(await called(machine, "install")).toMatchObject({
    code: 53,
    words: expect.stringContaining("capz-bootstrap install: "),
  });
  expect(await called(machine, "update")).toMatchObject({
    code: 0,
    words: expect.stringContaining("capz-bootstrap update: "),
  });
  expect((await called(machine, "disable")).code).toBe(0);
  expect((await called(machine, "uninstall")).code).toBe(0);
  discard(machine);
});

describe("a private folder that a mode cannot close", () => {
  it("is closed once, or anew when that is asked for, and is refused where it stays open", async () => {
    const machine = await enabledMachine();
    const folders: string[] = [];
    const problems: string[] = [];
    const restrictFolder = (folder: string) => {
      folders.push(folder);
      return Promise.resolve(problems[0]);
    };
    const host = { ...machine.host, platform: { ...machine.host.platform, restrictFolder } };
    const state = dirname(machine.instance);
    await preparePrivateFolder({ host, instance: machine.instance }, { anew: false });
    expect(folders).toEqual([]);
    await preparePrivateFolder({ host, instance: machine.instance }, { anew: true });
    rmSync(state, { recursive: true });
    await preparePrivateFolder({ host, instance: machine.instance }, { anew: false });
    expect(folders).toEqual([state, state]);
    expect(existsSync(machine.instance)).toBe(true);
    problems.push("icacls ended with 5");
    await expect(preparePrivateFolder({ host, instance: machine.instance }, { anew: true })).rejects.toMatchObject({
      id: "stateUnwritable",
      message: "icacls ended with 5",
      hint: expect.stringContaining(state),
    });
    discard(machine);
  });
});

test("where no lock and no state says who is at work, nobody is asked to end", async () => {
  const machine = await enabledMachine();
  const stopped: unknown[] = [];
  const stopSupervisor = (request: unknown) => Promise.resolve(void stopped.push(request));
  const host = { ...machine.host, platform: { ...machine.host.platform, stopSupervisor } };
  await stopUnknownSupervisor({ host, instance: machine.instance });
  expect(stopped).toEqual([
    expect.objectContaining({ unit: unitName({ instance: machine.instance, sequence: 0 }), keepTree: true }),
  ]);
  rmSync(join(machine.instance, "0.state.json"));
  await stopUnknownSupervisor({ host, instance: machine.instance });
  expect(stopped).toHaveLength(1);
  discard(machine);
});

describe("what the guest agent gave to enable", () => {
  const limits = { nice: 3, oomScore: 7 };
  const callerOf = async (text: string | undefined) => {
    const machine = await enabledMachine();
    const own = { ...machine.host, env: { OWN: "yes", CAPZ_CALLER_OWN: "kept" }, ownLimits: () => limits };
    const file = join(machine.instance, "caller.json");
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
    const caller = readCaller({ host: own, instance: machine.instance });
    discard(machine);
    return caller;
  };
  const own = { env: { OWN: "kept" }, limits };

  it.each([
    ["nothing", undefined, own],
    ["no JSON", "{", own],
    ["a list", "[]", own],
    ["no environment", '{"limits":{"nice":0}}', own],
    ["no limits", '{"env":{"A":"1"}}', own],
    [
      "an environment",
      '{"env":{"A":"1","B":2,"C":null},"limits":{"nice":-5,"oomScore":0}}',
      { env: { A: "1" }, limits: { nice: -5, oomScore: 0 } },
    ],
    ["limits that are no numbers", '{"env":{},"limits":{"nice":"0","oomScore":"1"}}', { env: {}, limits: { nice: 3 } }],
  ])("is read back where %s was kept", async (_, text, expected) => {
    expect(await callerOf(text)).toEqual(expected);
  });

  it("is kept for us alone, and where it cannot be kept that is told", async () => {
    const machine = await enabledMachine();
    const file = join(machine.instance, "caller.json");
    await keepCaller({
      host: { ...machine.host, env: { A: "1" }, ownLimits: () => limits },
      instance: machine.instance,
    });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ env: { A: "1" }, limits });
    expect(statSync(file).mode & 0o077).toBe(0);
    rmSync(machine.instance, { recursive: true });
    await startSupervisor(await machine.contextOf());
    expect(machine.log()).toContain("The guest agent's environment could not be kept for a command: ");
    discard(machine);
  });

  it("holds the proxies, in both spellings, unless they are empty", () => {
    const env = {
      HTTP_PROXY: "a",
      https_proxy: "b",
      NO_PROXY: "",
      no_proxy: "c",
      ALL_PROXY: "d",
      http_proxy: undefined,
    };
    expect(proxiesOf({ env, limits })).toStrictEqual({ HTTP_PROXY: "a", https_proxy: "b", no_proxy: "c" });
  });
});

test("a unit's name is made of few letters, bounded, and never the same for two folders", () => {
  const long = unitName({ instance: `/state/${"x".repeat(300)}`, sequence: 12 });
  expect(long).toMatch(/^capz-bootstrap-x{120}-[0-9a-f]+-12$/u);
  const odd = unitName({ instance: "/state/A b+ü:c", sequence: 0 });
  expect(odd).toMatch(/^capz-bootstrap-A_b___c-[0-9a-f]+-0$/u);
  expect(unitName({ instance: "/other/A b+ü:c", sequence: 0 })).not.toBe(odd);
});

function discard({ host }: EnabledMachine): void {
  rmSync(host.root, { recursive: true });
}
