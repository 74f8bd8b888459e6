import { expect, jest, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { disable, install, uninstall, update } from "../../../../handler/operations/agent/agent-commands.ts";
import { runAgentCommand } from "../../../../handler/operations/agent/run-agent-command.ts";
import { loadAgentContext, loadSequenceContext } from "../../../../handler/operations/context.ts";
import { enable } from "../../../../handler/operations/agent/enable.ts";
import type { Host } from "../../../../handler/host.ts";
import { isStopped, markStopped, takeStopped } from "../../../../handler/operations/stop-mark.ts";
import { checkMarker, selfAsHolder, supervisorLock, unitName } from "../../../../handler/operations/supervisor.ts";
import { linux } from "../../../../handler/platform/linux.ts";
import { acquireLock } from "../../../../handler/state/exclusive-lock.ts";
import { newRunState, readRunState, writeRunState } from "../../../../handler/state/run-state.ts";
import { nameDigest } from "../../../../handler/text/name-digest.ts";
import { ours } from "../../../../handler/text/shown-text.ts";
import { checkHost, fastHost } from "../../../support/check-host.ts";
import { waitUntil } from "../../../support/wait-until.ts";
import { enabledMachine } from "../supervise/handler-machine.ts";

/**
 * The real host over a handler's folder; the supervisor, which the lifecycle tests run, is not started. Both calls are of one process,
 * so the second waits for the first one's lock: fast.
 */
function handlerHost(): Host {
  const host = checkHost();
  const folders = Object.fromEntries(
    ["logFolder", "configFolder", "statusFolder"].map((name) => [name, join(host.root, name)]),
  );
  for (const folder of [...Object.values(folders), host.programFolder]) mkdirSync(folder, { recursive: true });
  const environment = [{ name: "CAPZ", version: 1, handlerEnvironment: folders }];
  writeFileSync(join(host.programFolder, "HandlerEnvironment.json"), JSON.stringify(environment));
  const platform = { ...linux, startSupervisor: () => Promise.resolve() };
  return { ...fastHost(host), platform };
}

async function enableSequence(host: Host, sequence: number): Promise<void> {
  const env = { ConfigSequenceNumber: String(sequence) };
  await enable(await loadSequenceContext({ ...host, env }, "enable"));
}

function statusOf(host: Host, sequence: number): unknown {
  return JSON.parse(readFileSync(join(host.root, "statusFolder", `${String(sequence)}.status`), "utf8"));
}

test("enable closes the status of settings that were replaced before a verdict, in the words of a verdict", async () => {
  const host = handlerHost();
  await enableSequence(host, 1);
  expect(statusOf(host, 1)).toMatchObject([{ status: { status: "transitioning" } }]);
  await enableSequence(host, 2);
  const line =
    "Bootstrap not checked (Interrupted): the settings of sequence 2 have replaced these before a verdict. Next: Read 2.status.";
  expect(statusOf(host, 1)).toMatchObject([
    {
      status: {
        status: "error",
        formattedMessage: { message: line },
        substatus: [{ name: "ErrorClarification", status: "error", formattedMessage: { message: line } }],
      },
    },
  ]);
  expect(statusOf(host, 2)).toMatchObject([{ status: { status: "transitioning" } }]);
});

test("enable leaves the verdict of replaced settings as it stands", async () => {
  const host = handlerHost();
  await enableSequence(host, 1);
  const verdict = JSON.stringify(statusOf(host, 1)).replace('"transitioning"', '"success"');
  writeFileSync(join(host.root, "statusFolder", "1.status"), verdict);
  await enableSequence(host, 2);
  expect(statusOf(host, 1)).toEqual(JSON.parse(verdict));
});

/** The same host, and the markers that `enable` has looked for among all processes. */
function countingHost(): { readonly host: Host; readonly looked: string[] } {
  const host = handlerHost();
  const looked: string[] = [];
  const killTree: typeof linux.killTree = (tree, run) => {
    looked.push(tree.marker);
    return linux.killTree(tree, run);
  };
  // All calls are of one process: none waits for the lock of the one before.
  const isSameProcess = () => Promise.resolve(false);
  return { host: { ...host, platform: { ...host.platform, killTree, isSameProcess } }, looked };
}

test("enable looks for what older settings left running, unless disable has seen that nothing was left", async () => {
  const { host, looked } = countingHost();
  await enableSequence(host, 1);
  expect(looked).toEqual([]);
  await enableSequence(host, 2);
  expect(looked).toHaveLength(1);
  await disable(await loadAgentContext(host, "disable"));
  await enableSequence(host, 3);
  expect(looked).toHaveLength(1);
  await enableSequence(host, 4);
  expect(looked).toHaveLength(2);
});

test("disable that sees something left says nothing, and enable ends it", async () => {
  const { host } = countingHost();
  await enableSequence(host, 1);
  const { instance } = await loadAgentContext(host, "disable");
  const env = { ...process.env, CAPZ_BOOTSTRAP_RUN: checkMarker(instance, 1) };
  const left = spawn("/bin/sleep", ["600"], { env, detached: true, stdio: "ignore" });
  const ended = once(left, "exit");
  await disable(await loadAgentContext(host, "disable"));
  await enableSequence(host, 2);
  await ended;
  expect(left.signalCode).toBe("SIGKILL");
});

test.each(["", "nothing", "nothing is left\n", "\0".repeat(15)])(
  "a mark of other content counts as none: %j",
  async (text) => {
    const { host, looked } = countingHost();
    await enableSequence(host, 1);
    const context = await loadAgentContext(host, "disable");
    writeFileSync(join(context.instance, "stopped"), text);
    await enableSequence(host, 2);
    expect(looked).toHaveLength(1);
    expect(isStopped(context)).toBe(false);
  },
);

test("a mark that cannot be read is taken away and counts as none", async () => {
  const { host, looked } = countingHost();
  await enableSequence(host, 1);
  const context = await loadAgentContext(host, "disable");
  mkdirSync(join(context.instance, "stopped"));
  const before = readdirSync(context.instance);
  const mark = markStopped(context);
  mark.noteNothingLeft();
  mark.close();
  expect(readdirSync(context.instance)).toEqual(before);
  expect(isStopped(context)).toBe(true);
  await enableSequence(host, 2);
  expect(looked).toHaveLength(1);
  expect(existsSync(join(context.instance, "stopped"))).toBe(false);
});

test("what disable notes after enable has taken its mark stands nowhere; the mark of a disable that came after enable stays", async () => {
  const host = handlerHost();
  await enableSequence(host, 1);
  const context = await loadAgentContext(host, "disable");
  const early = markStopped(context);
  expect(takeStopped(context)).toEqual({ wasThere: true, nothingIsLeft: false });
  early.noteNothingLeft();
  early.close();
  expect(isStopped(context)).toBe(false);
  const late = markStopped(context);
  const later = markStopped(context);
  late.noteNothingLeft();
  late.close();
  // Two at once: the first one's note is not the second one's.
  expect(readFileSync(join(context.instance, "stopped"), "utf8")).toBe("");
  later.noteNothingLeft();
  later.close();
  expect(isStopped(context)).toBe(true);
  expect(takeStopped(context)).toEqual({ wasThere: true, nothingIsLeft: true });
  expect(isStopped(context)).toBe(false);
  expect(takeStopped(context)).toEqual({ wasThere: false, nothingIsLeft: false });
  // What cannot be read is a mark all the same, and leaves nothing behind.
  const before = readdirSync(context.instance);
  mkdirSync(join(context.instance, "stopped"));
  expect(takeStopped(context)).toEqual({ wasThere: true, nothingIsLeft: false });
  expect(readdirSync(context.instance)).toEqual(before);
});

test.each([
  { mark: undefined, asked: [] },
  { mark: "", asked: ["stop", "start"] },
  { mark: "nothing is left", asked: ["stop", "start"] },
])(
  "a supervisor that lives beside a mark has seen it and ends without a verdict: enable counts on another one (mark $mark)",
  async ({ mark, asked }) => {
    const host = handlerHost();
    await enableSequence(host, 1);
    const calls: string[] = [];
    const note = (name: string) => () => {
      calls.push(name);
      return Promise.resolve();
    };
    const platform = { ...host.platform, startSupervisor: note("start"), stopSupervisor: note("stop") };
    const context = await loadSequenceContext({ ...host, env: { ConfigSequenceNumber: "1" } }, "supervise");
    const lock = supervisorLock(context, context.identity.bootId);
    expect(await acquireLock(lock, await selfAsHolder(context, "its mark"))).toMatchObject({ kind: "acquired" });
    if (mark !== undefined) writeFileSync(join(context.instance, "stopped"), mark);
    await enableSequence({ ...host, platform }, 1);
    expect(calls).toEqual(asked);
  },
);

type OwnPlatform = Partial<Host["platform"]>;

const holder = {
  pid: 4_000_000,
  startTime: "alive",
  handlerVersion: "1",
  statusFolder: "/s",
  marker: "m",
  sequence: 1,
};
const withAlive: OwnPlatform = { isSameProcess: (_, mark) => Promise.resolve(mark === "alive") };

async function writeLock(host: Host, name: string, text?: string): Promise<void> {
  const { identity, instance } = await contextOf(host, 1);
  writeFileSync(join(instance, `${name}.lock.9`), text ?? JSON.stringify({ ...holder, bootId: identity.bootId }));
}

function contextOf(host: Host, sequence: number) {
  return loadSequenceContext({ ...host, env: { ConfigSequenceNumber: String(sequence) } }, "supervise");
}

/** What the command says on standard error while `action` runs. */
async function wordsOf(action: () => Promise<unknown>): Promise<string> {
  const words: string[] = [];
  const error = jest.spyOn(process.stderr, "write").mockImplementation((text) => words.push(String(text)) > 0);
  await action().finally(() => {
    error.mockRestore();
  });
  return words.join("");
}

const isTreeGone = (gone: (marker: string) => Promise<boolean>): OwnPlatform => ({ isTreeGone: gone });

test.each<{
  name: string;
  platform?: OwnPlatform;
  lock?: string;
  note: string;
  words?: RegExp;
  log?: RegExp;
  units?: number;
}>([
  { name: "nothing at work", note: "nothing is left" },
  {
    name: "a supervisor that does not end",
    platform: withAlive,
    lock: "",
    note: "",
    words: /process 4000000\) could not be ended/u,
  },
  {
    name: "a lock that nobody can read",
    lock: "{",
    note: "",
    words: /cannot be read, so it is not known whose it is/u,
    units: 1,
  },
  {
    name: "a lock that nobody can read, and a service that cannot be asked",
    platform: { stopSupervisor: () => Promise.reject(new Error("no bus")) },
    lock: "{",
    note: "",
    words: /cannot be read/u,
    log: /The service of the supervisor could not be stopped: no bus/u,
  },
  { name: "a system that cannot tell", platform: isTreeGone(undefined as never), note: "" },
  { name: "a look that fails", platform: isTreeGone(() => Promise.reject(new Error("no /proc"))), note: "" },
  { name: "one of two trees", platform: isTreeGone((marker) => Promise.resolve(marker.endsWith("-1"))), note: "" },
  { name: "no tree", platform: isTreeGone(() => Promise.resolve(true)), note: "nothing is left" },
])(
  "disable that finds $name notes what it has seen, and leaves no file open",
  async ({ platform, lock, note, ...told }) => {
    const { words, log, units } = told;
    const { host } = countingHost();
    await enableSequence(host, 1);
    const other = await contextOf(host, 2);
    await writeRunState(other.instance, newRunState(host, other));
    if (lock !== undefined) await writeLock(host, "supervisor", lock === "" ? undefined : lock);
    const asked: unknown[] = [];
    const stopSupervisor = (request: object) => Promise.resolve(void asked.push(request));
    const own = { ...host, platform: { ...host.platform, stopSupervisor, ...platform } };
    const said = await wordsOf(async () => disable(await loadAgentContext(own, "disable")));
    const mark = join(other.instance, "stopped");
    expect(readFileSync(mark, "utf8")).toBe(note);
    expect(said).toMatch(words ?? /^$/u);
    expect(logOf(host)).toMatch(log ?? words ?? /disable: the supervisor is stopped/u);
    const [unit, marker] = [unitName({ ...other, sequence: 2 }), checkMarker(other.instance, 2)];
    if (units === 1) expect(asked).toEqual([{ unit, root: host.root, marker, keepTree: true }]);
    const open = readdirSync("/proc/self/fd").map((name) => linkOf(join("/proc/self/fd", name)));
    expect(open.filter((path) => path.startsWith(other.instance))).toEqual([]);
  },
);

/** "" for one that is closed meanwhile. */
function linkOf(path: string): string {
  return existsSync(path) ? readlinkSync(path) : "";
}

function logOf(host: Host): string {
  return readFileSync(join(host.root, "logFolder", "handler.log"), "utf8");
}

test.each([
  { until: "until it has decided", freeAfter: 3, pauses: 3, warned: false },
  { until: "for ten seconds at most", freeAfter: undefined, pauses: 500, warned: true },
])("enable waits for another command $until", async ({ freeAfter, pauses, warned }) => {
  const { host } = countingHost();
  await enableSequence(host, 1);
  await writeLock(host, "command");
  const { instance } = await contextOf(host, 1);
  let naps = 0;
  const sleep: Host["sleep"] = (ms, signal) => {
    if (ms !== 20) return host.sleep(ms, signal);
    naps += 1;
    if (naps === freeAfter) rmSync(join(instance, "command.lock.9"));
    return Promise.resolve();
  };
  await enableSequence({ ...host, sleep, platform: { ...host.platform, ...withAlive } }, 1);
  expect(naps).toBe(pauses);
  expect(logOf(host).includes("enable: another command has held the lock for 10 s; going on")).toBe(warned);
});

const verdict = {
  status: { kind: "success", operation: "Enable", code: 0, message: ours`Bootstrapped`, substatuses: [] },
  decidedAt: "2026-11-21T09:01:00.000Z",
  afterSeconds: 60,
} as const;

test.each([
  ["a wait that goes on", undefined, "transitioning"],
  ["a verdict that stands", { ...verdict, final: true }, "success"],
  ["a verdict that aftercare may revise", { ...verdict, final: false }, "success"],
])("enable leaves the status file of %s as it is", async (_, kept, kind) => {
  const { host } = countingHost();
  await enableSequence(host, 1);
  const context = await contextOf(host, 1);
  if (kept !== undefined) await writeRunState(context.instance, { ...newRunState(host, context), verdict: kept });
  const file = join(host.root, "statusFolder", "1.status");
  writeFileSync(file, readFileSync(file, "utf8").replace('"transitioning"', JSON.stringify(kind)));
  const before = statSync(file).ino;
  await enableSequence(host, 1);
  expect(statSync(file).ino).toBe(before);
});

test.each<{
  name: string;
  before: (host: Host) => Promise<void> | void;
  sequence?: number;
  log: string;
  asked: readonly string[];
}>([
  {
    name: "the extension is attached again under its old number",
    before: ({ programFolder }) => {
      rmSync(join(programFolder, "mrseq"));
    },
    log: "enable: begin (new)",
    asked: ["start"],
  },
  {
    name: "new settings come beside a supervisor",
    before: (host) => writeLock(host, "supervisor"),
    sequence: 2,
    log: "enable: begin (other-sequence); stopping the supervisor of other settings first",
    asked: ["stop", "start"],
  },
  {
    name: "the disk is another machine's, and a supervisor is at work",
    before: async (host) => {
      const context = await contextOf(host, 1);
      await writeRunState(context.instance, { ...newRunState(host, context), vmId: "the-donor" });
      await writeLock(host, "supervisor");
    },
    log: "enable: begin (foreign); stopping the supervisor of other settings first",
    asked: ["stop", "start"],
  },
  {
    name: "only the status file holds the verdict",
    before: (host) => {
      const file = join(host.root, "statusFolder", "1.status");
      writeFileSync(file, readFileSync(file, "utf8").replace('"transitioning"', '"success"'));
    },
    log: "enable: the verdict in the status file stands",
    asked: [],
  },
  {
    name: "the status file cannot be read",
    before: ({ root }) => {
      loopAt(join(root, "statusFolder", "1.status"));
    },
    log: "enable: the status file cannot be read: ",
    asked: ["start"],
  },
  {
    name: "the status file of the settings before cannot be read",
    before: ({ root }) => {
      loopAt(join(root, "statusFolder", "1.status"));
    },
    sequence: 2,
    log: "enable: begin (other-sequence)",
    asked: ["start"],
  },
])("enable says what it does where $name", async ({ before, sequence = 1, log, asked }) => {
  const { host } = countingHost();
  await enableSequence(host, 1);
  await before(host);
  const told = logOf(host).length;
  const calls: string[] = [];
  const note = (name: string) => () => Promise.resolve(void calls.push(name));
  const platform = { ...host.platform, ...withAlive, startSupervisor: note("start"), stopSupervisor: note("stop") };
  await enableSequence({ ...host, platform }, sequence);
  expect(calls).toEqual(asked);
  expect(logOf(host).slice(told)).toContain(log);
  const kind = asked.length === 0 ? "success" : "transitioning";
  expect(statusOf(host, sequence)).toMatchObject([{ status: { status: kind } }]);
  expect(readRunState((await contextOf(host, sequence)).instance, sequence)?.vmId).not.toBe("the-donor");
});

/** A file that is there, and that nobody can read: root, too. */
function loopAt(path: string): void {
  rmSync(path);
  symlinkSync(path, path);
}

test("new settings take away what a user's command of the older had in the folder of its user, and no other's", async () => {
  const { host } = countingHost();
  await enableSequence(host, 1);
  const { instance } = await contextOf(host, 1);
  const users = host.platform.paths(host.root).userFiles;
  const [own, other] = [join(users, nameDigest(instance)), join(users, "another")];
  for (const folder of [own, other]) mkdirSync(join(folder, "download"), { recursive: true });
  await enableSequence(host, 2);
  expect([existsSync(own), existsSync(other)]).toEqual([false, true]);
  expect(readdirSync(instance)).not.toContain("removed-user-files");
});

test("a folder that only its access list closes is closed by install, and not again by update and enable", async () => {
  const { host } = countingHost();
  await enableSequence(host, 1);
  const closed: string[] = [];
  const restrictFolder = (folder: string) => Promise.resolve(void closed.push(folder));
  const own = { ...host, platform: { ...host.platform, restrictFolder } };
  const { instance } = await contextOf(host, 1);
  await update(await loadAgentContext(own, "update"));
  await enableSequence(own, 1);
  expect(closed).toEqual([]);
  await install(await loadAgentContext(own, "install"));
  expect(closed).toEqual([dirname(instance)]);
});

test("uninstall of what is not there says nothing and makes nothing", async () => {
  const { host } = countingHost();
  await enableSequence(host, 1);
  const context = await loadAgentContext(host, "uninstall");
  rmSync(context.instance, { recursive: true });
  await uninstall(context);
  expect(existsSync(context.instance)).toBe(false);
  expect(logOf(host)).not.toMatch(/uninstall|cannot be told/u);
});

test("enable that nobody told a sequence ends with 53, in words", async () => {
  const { host } = countingHost();
  let code = 0;
  const words = await wordsOf(async () => (code = await runAgentCommand("enable", [], { ...host, env: {} })));
  expect([code, words]).toEqual([53, expect.stringMatching(/^capz-bootstrap enable: .*\. Next: .*\.\n$/u)]);
});

test.each([
  ["a verdict", "bootstrapped", 0],
  ["none, as by a signal", "not-yet", 143],
])("supervise ends with %s", async (_, look, code) => {
  const machine = await enabledMachine({ look: `return result("${look}");` });
  machine.restart();
  const before = signals.map((name) => process.listeners(name));
  const ended = runAgentCommand("supervise", ["--sequence", "0"], machine.host);
  if (code !== 0) {
    await waitUntil("the wait", () => machine.status()?.message.includes("kubeadm join"), { everyMs: 5 });
    process.emit("SIGTERM");
  }
  expect(await ended).toBe(code);
  process.getBuiltinModule("node:v8").setFlagsFromString("--opt");
  for (const [index, name] of signals.entries())
    for (const listener of process.listeners(name))
      if (before[index]?.includes(listener) !== true) process.removeListener(name, listener);
});

const signals = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection"] as unknown as readonly "SIGTERM"[];
