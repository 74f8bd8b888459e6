import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { runCli } from "../../../../handler/cli.ts";
import { HandlerError } from "../../../../handler/errors/handler-error.ts";
import type { Status } from "../../../../handler/contract/status.ts";
import type { Host } from "../../../../handler/host.ts";
import { endRun, runInstance } from "../../../../handler/operations/people/end-run.ts";
import { putStatus } from "../../../../handler/operations/put-status.ts";
import { showProgress } from "../../../../handler/operations/people/show-progress.ts";
import { wordsOfFailure } from "../../../../handler/operations/people/words-of-failure.ts";
import { isStopped } from "../../../../handler/operations/stop-mark.ts";
import { supervisorLock } from "../../../../handler/operations/supervisor.ts";
import { acquireLock } from "../../../../handler/state/exclusive-lock.ts";
import { newRunState, readRunState, workFolder, writeRunState } from "../../../../handler/state/run-state.ts";
import { ours, show, type ShownText } from "../../../../handler/text/shown-text.ts";
import { waitUntil } from "../../../support/wait-until.ts";
import { enabledMachine, type Given } from "../supervise/handler-machine.ts";

const listened = ["SIGTERM", "SIGINT"] as const;
const before = listened.map((name) => process.listeners(name));
afterEach(() => {
  listened.forEach((name, index) => {
    for (const listener of process.listeners(name))
      if (before[index]?.includes(listener) !== true) process.removeListener(name, listener);
  });
});

const passes = 'return result("bootstrapped");';
const waits = 'return result("not-yet");';
const fails = 'return result("failed", { reason: "KubeadmFailed", message: "it failed" });';

const transitioning = (message: ShownText): Status => ({
  ...{ kind: "transitioning", operation: "Enable", code: 0, substatuses: [] },
  message,
});

interface Said {
  readonly code: number;
  readonly answer: string;
  readonly aside: string;
}

/** What the command that runs now has printed. */
let texts = { stdout: "", stderr: "" };

async function cli(host: Host, ...args: readonly string[]): Promise<Said> {
  texts = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    jest.spyOn(process[name], "write").mockImplementation((text) => (texts[name] += String(text)) !== ""),
  );
  try {
    return { code: await runCli(args, host), answer: texts.stdout, aside: texts.stderr };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** A machine on which people run the command; settings of the wait are in a file that they name. */
async function machineOf(given: Given) {
  const machine = await enabledMachine({ factor: 200, ...given });
  const file = machine.under("own.json");
  writeFileSync(file, JSON.stringify(given.settings ?? {}));
  return {
    ...machine,
    instance: runInstance(machine.host),
    run(...flags: readonly string[]) {
      machine.restart();
      return cli(machine.host, "run", "--settings", file, ...flags);
    },
  };
}

describe("run", () => {
  test.each([
    ["a success", { look: passes }, 0, /^Bootstrapped in \d+ s/u],
    ["a failure", { look: fails }, 1, /^Bootstrap failed \(KubeadmFailed\) in kubeadm join after \d+ s: it failed\. /u],
    ["a deadline", { look: waits, settings: { timeoutSeconds: 30 } }, 2, /^Bootstrap failed \(DeadlineExceeded\)/u],
    [
      "a check that cannot be had",
      { settings: { checkVersion: "9.9.9", checkRequired: true } },
      3,
      /^Bootstrap not checked/u,
    ],
    ["a failure that is only observed", { look: fails, settings: { mode: "observe" } }, 0, /^Bootstrap failed/u],
  ])("prints the verdict, and ends with its exit code: %s", async (...row) => {
    const [, given, code, text] = row;
    const { run } = await machineOf(given);
    const said = await run("--quiet");
    expect(said).toEqual({ code, answer: expect.stringMatching(text), aside: "" });
  });

  test.each([[], ["--quiet"], ["--brief"], ["--json"]])(
    "tells of the wait on standard error, unless %s",
    async (...flags) => {
      const { run, status, under } = await machineOf({ look: waits });
      const running = run(...flags);
      const told = () => flags.length > 0 || texts.stderr.includes("Waiting for bootstrap: kubeadm join");
      const file = under("var/lib/capz-bootstrap/run/status/0.status");
      await waitUntil(
        "the wait",
        () => existsSync(file) && readFileSync(file, "utf8").includes("kubeadm join") && told(),
        {
          everyMs: 5,
        },
      );
      process.emit("SIGTERM");
      const { aside } = await running;
      expect(aside.startsWith("capz-bootstrap run: stopped")).toBe(flags.length > 0);
      expect(status()).toBeDefined();
    },
  );

  test("shows the first line of each waiting status once, and nothing of a final one", async () => {
    const { contextOf, under } = await machineOf({});
    const statuses = [
      undefined,
      transitioning(show("one\nmore")),
      transitioning(show("one\nother")),
      transitioning(show("one")),
      transitioning(show("two")),
      { ...transitioning(show("three")), kind: "success" as const },
      transitioning(show("two")),
    ];
    const context = await contextOf();
    const told: string[] = [];
    const pauses: number[] = [];
    rmSync(under("statusFolder"), { recursive: true });
    mkdirSync(under("statusFolder"));
    const ended = new Promise<void>((resolve) => {
      const sleep = async (ms: number, signal?: AbortSignal) => {
        pauses.push(ms);
        const status = statuses.shift();
        if (status !== undefined) await putStatus(context, status);
        if (statuses.length > 0 || status !== undefined) return;
        progress.stop();
        expect(signal?.aborted).toBe(true);
        resolve();
      };
      const progress = showProgress(
        { ...context, host: { ...context.host, sleep } },
        { tell: (text) => told.push(text) },
      );
    });
    await ended;
    expect(told).toEqual(["one", "two"]);
    expect(new Set(pauses)).toEqual(new Set([500]));
  });

  test("--verbose gives the log, too; without it the log lies in its file alone", async () => {
    const { run, under } = await machineOf({ look: passes });
    await run("--quiet");
    const folder = under("var/log/capz-bootstrap");
    const logs = readdirSync(folder).filter((name) => name.endsWith(".log"));
    expect(logs.map((name) => readFileSync(join(folder, name), "utf8")).join("")).toContain("run");
    expect((await run("--quiet", "--verbose")).aside).toMatch(/^info {3}/mu);
  });

  test("--json gives the status as data, with what its parts hold", async () => {
    const { run, instance } = await machineOf({ look: fails });
    const { code, answer } = await run("--json");
    expect(code).toBe(1);
    expect(JSON.parse(answer)).toMatchObject({
      status: "error",
      code: expect.any(Number),
      message: expect.stringMatching(/^Bootstrap failed/u),
      BootstrapVerdict: { outcome: "failed", reason: "KubeadmFailed" },
    });
    const brief = (await run("--brief")).answer.trimEnd().split("\n");
    expect(brief.at(-1)).toBe(brief[0]);
    expect(brief[0]).toMatch(/^Bootstrap failed \(KubeadmFailed\)/u);
    // Of the same run: a machine under load may leave one diagnosis no time, and another enough.
    const status = readRunState(instance, 0)?.verdict?.status;
    expect(brief[1]).toBe(status?.kind === "error" ? status.message.split("\n")[1] : undefined);
    expect(brief[1]).toMatch(/^Cause: /u);
  });

  test("begins anew: nothing of an earlier run is read or run, and it stays for no aftercare", async () => {
    const { run, instance, under } = await machineOf({ look: fails, settings: { aftercareSeconds: 3600 } });
    expect((await run("--quiet")).code).toBe(1);
    const planted = join(workFolder(instance, 0), "planted");
    mkdirSync(dirname(planted), { recursive: true });
    writeFileSync(planted, "");
    const state = readRunState(instance, 0);
    expect(state?.verdict?.status.kind).toBe("error");
    rmSync(under("program/bundle"), { recursive: true });
    expect(await run("--quiet")).toMatchObject({ code: 3, answer: expect.stringContaining("not checked") });
    expect(existsSync(planted)).toBe(false);
  });

  test("tells what went wrong with itself, and gives no verdict", async () => {
    const { run, host } = await machineOf({ look: passes });
    host.platform.selfMark = () => Promise.reject(new HandlerError("internal", "it broke", { hint: "Mend it" }));
    const said = await run();
    expect(said).toEqual({ code: 3, answer: "", aside: "capz-bootstrap run: it broke. Next: Mend it.\n" });
  });

  test("runs nothing from a folder that cannot be closed to other users", async () => {
    const { run, host, instance } = await machineOf({ look: passes });
    host.platform.restrictFolder = () => Promise.resolve("It could not be closed");
    const said = await run();
    expect(said).toEqual({
      code: 3,
      answer: "",
      aside: expect.stringMatching(/^capz-bootstrap: It could not be closed\. Next: Look at /u),
    });
    expect(existsSync(instance)).toBe(false);
  });

  test("keeps to itself what it writes beside its log", async () => {
    const { run, instance, under } = await machineOf({ look: passes });
    await run("--quiet");
    for (const folder of [join(instance, "status"), join(instance, "config"), under("var/log/capz-bootstrap")])
      expect([folder, statSync(folder).mode & 0o777]).toEqual([folder, 0o700]);
  });

  test.each(listened)("is ended by %s without a verdict", async (signal) => {
    const { run, instance } = await machineOf({ look: waits });
    const running = run("--quiet");
    await waitUntil("the wait", () => (readRunState(instance, 0)?.timeline.length ?? 0) > 1, { everyMs: 5 });
    process.emit(signal);
    expect(await running).toEqual({
      code: 3,
      answer: "",
      aside: "capz-bootstrap run: stopped before there was a verdict\n",
    });
  });
});

/** The lock of `run` in the name of another process, which lives until it is ended. */
async function withOther(machine: Awaited<ReturnType<typeof machineOf>>, endsWhenAsked = true) {
  const { host, instance } = machine;
  const asked: unknown[] = [];
  let lives = true;
  mkdirSync(instance, { recursive: true });
  const { bootId } = await host.platform.machineIdentity(host.root, host.run);
  const other: Host = {
    ...host,
    platform: {
      ...host.platform,
      isSameProcess: () => Promise.resolve(lives),
      stopSupervisor: (request) => {
        asked.push([request, isStopped({ instance })]);
        lives = !endsWhenAsked;
        return Promise.resolve();
      },
    },
  };
  await acquireLock(supervisorLock({ host: other, instance }, bootId), {
    ...{ pid: 4_000_000, startTime: "the other one", bootId, sequence: 0, handlerVersion: "2.0.0" },
    ...{ statusFolder: join(instance, "status"), marker: "marker-of-the-other" },
  });
  return { other, asked };
}

describe("end-run", () => {
  test("ends the run at work, which holds the machine against a second one", async () => {
    const machine = await machineOf({ look: passes });
    const { other, asked } = await withOther(machine);
    expect(await cli(other, "run", "--settings", machine.under("own.json"))).toEqual({
      code: 3,
      answer: "",
      aside:
        'capz-bootstrap run: another run is at work on this machine (process 4000000). Next: Wait for its verdict, or end it with "capz-bootstrap end-run".\n',
    });
    expect(await cli(other, "end-run")).toEqual({
      code: 0,
      answer: "capz-bootstrap end-run: the run at work is ended\n",
      aside: "",
    });
    const request = {
      ...{ unit: "", root: other.root, pid: 4_000_000, startTime: "the other one" },
      ...{ marker: "marker-of-the-other", keepTree: false, inForeground: true },
    };
    expect(asked).toEqual([[request, true]]);
    expect(await endRun(other, { forget: false })).toBe("capz-bootstrap end-run: no run was at work");
    expect(existsSync(machine.instance)).toBe(true);
    await endRun(other, { forget: true });
    expect(existsSync(machine.instance)).toBe(false);
    const none = { code: 0, answer: "capz-bootstrap end-run: no run was at work\n", aside: "" };
    expect(await cli(other, "end-run", "--forget")).toEqual(none);
    expect(existsSync(machine.instance)).toBe(false);
    mkdirSync(join(machine.instance, "stopped/x"), { recursive: true });
    expect(await cli(other, "end-run")).toEqual({
      ...none,
      aside: expect.stringMatching(
        /^capz-bootstrap end-run: A supervisor that is being started cannot be told to end: /u,
      ),
    });
  });

  test("tells a user who may not look that, and not that no run is at work", async () => {
    const machine = await machineOf({});
    const { other, asked } = await withOther(machine);
    const closed = dirname(machine.instance);
    const isRoot = process.geteuid?.() === 0;
    chmodSync(closed, 0o000);
    // Root may look everywhere.
    if (isRoot) process.seteuid?.(65_534);
    const error: unknown = await endRun(other, { forget: true }).catch((thrown: unknown) => thrown);
    if (isRoot) process.seteuid?.(0);
    chmodSync(closed, 0o700);
    expect(wordsOfFailure(error)).toMatch(/^capz-bootstrap: .*EACCES.* Next: Run it as root \(sudo\)/u);
    expect(asked).toEqual([]);
    expect(existsSync(machine.instance)).toBe(true);
  });

  test("leaves the background work of a command that has ended by itself", async () => {
    const machine = await machineOf({});
    const { other, asked } = await withOther(machine);
    const identity = await other.platform.machineIdentity(other.root, other.run);
    const command = {
      startedAt: other.now().toISOString(),
      bootId: "b",
      starts: 1,
      exit: { kind: "code" as const, code: 0 },
    };
    await writeRunState(machine.instance, { ...newRunState(other, { sequence: 0, identity }), command });
    await endRun(other, { forget: false });
    expect(asked).toMatchObject([[{ keepTree: true }, true]]);
  });

  test("says so where the run does not end, and forgets nothing of it", async () => {
    const machine = await machineOf({});
    const { other } = await withOther(machine, false);
    await expect(endRun(other, { forget: true })).rejects.toMatchObject({
      id: "internal",
      message: "The run at work (process 4000000) could not be ended",
      hint: "End the process 4000000",
    });
    expect(existsSync(machine.instance)).toBe(true);
  });
});

describe("report", () => {
  const words = (host: Host, ...flags: readonly string[]) => cli(host, "report", ...flags);

  test("says where it looked, and what to do, where there is none", async () => {
    const { host, under } = await machineOf({});
    const places = `${under("var/log/azure")} or ${under("var/log/capz-bootstrap")}`;
    const aside = `capz-bootstrap report: no report.json in ${places}. Next: run "capz-bootstrap diagnose".\n`;
    expect(await words(host, "--json")).toEqual({ code: 3, answer: "", aside });
  });

  test("prints the newest of all handlers and of run, as text and as data, without what an earlier version left in it", async () => {
    const { host, under, state } = await machineOf({});
    rmSync(dirname(runInstance(host)), { recursive: true });
    expect(state()).toBeUndefined();
    const put = (path: string, text: string, seconds: number) => {
      mkdirSync(dirname(under(path)), { recursive: true });
      writeFileSync(under(path), text);
      utimesSync(under(path), seconds, seconds);
    };
    put("var/log/azure/A/report.txt", "old", 1000);
    put("var/log/azure/B/report.txt", "token abcdef.0123456789abcdef\n", 3000);
    put("var/log/capz-bootstrap/report.txt", '{"a":1}', 2000);
    put("var/log/capz-bootstrap/report.json", ' {"a":1,"note":"token abcdef.0123456789abcdef"}\n', 2000);
    const newest = await words(host);
    expect(newest).toMatchObject({ code: 0, answer: expect.stringMatching(/^token /u), aside: "" });
    expect(newest.answer).not.toContain("0123456789abcdef");
    rmSync(under("var/log/azure/B"), { recursive: true });
    expect((await words(host)).answer).toBe('{"a":1}\n');
    const { answer } = await words(host, "--json");
    expect(answer).toMatch(/^\{\n {2}"a": 1,\n/u);
    expect(answer).not.toContain("0123456789abcdef");
  });

  test("does not pass the report of an earlier wait for that of the last one", async () => {
    const { host, under, instance } = await machineOf({});
    const path = under("var/log/azure/A/report.txt");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "of an earlier wait");
    const identity = await host.platform.machineIdentity(host.root, host.run);
    const begun = { ...newRunState(host, { sequence: 0, identity }), startedAt: "2100-01-01T00:00:00.000Z" };
    mkdirSync(instance, { recursive: true });
    await writeRunState(instance, begun);
    utimesSync(path, 1000, 1000);
    const earlier = `The last report is of an earlier wait: ${path}, written at 1970-01-01T00:16:40.000Z.\n`;
    const next = `left no report. Next: run "capz-bootstrap diagnose". ${earlier}`;
    expect(await words(host)).toEqual({
      code: 3,
      answer: "",
      aside: `capz-bootstrap report: the wait that began at 2100-01-01T00:00:00.000Z has no verdict yet, and ${next}`,
    });
    const status = {
      kind: "error" as const,
      operation: "Enable" as const,
      code: 10,
      message: ours`Bootstrap failed\nmore`,
      substatuses: [],
    };
    const verdict = { status, decidedAt: "2100-01-01T00:05:00.000Z", afterSeconds: 300, final: true };
    await writeRunState(instance, { ...begun, verdict: verdict });
    expect((await words(host)).aside).toBe(
      `capz-bootstrap report: the last verdict, of 2100-01-01T00:05:00.000Z ("Bootstrap failed"), ${next}`,
    );
    utimesSync(path, 4_102_444_800, 4_102_444_800);
    expect(await words(host)).toMatchObject({ code: 0, answer: "of an earlier wait\n" });
  });
});

test("a failure is told in words where a person can do something about it", () => {
  const denied = Object.assign(new Error("EACCES: denied"), { code: "EACCES" });
  const asRoot = "Next: Run it as root (sudo), on Windows as an administrator.";
  expect(wordsOfFailure(denied)).toBe(`capz-bootstrap: EACCES: denied. ${asRoot}`);
  expect(wordsOfFailure(new Error("not kept", { cause: denied }))).toBe(`capz-bootstrap: not kept. ${asRoot}`);
  const known = new HandlerError("internal", "it broke", { hint: "Mend it" });
  expect(wordsOfFailure(known)).toBe(show("capz-bootstrap: it broke. Next: Mend it."));
  expect(wordsOfFailure(new Error("a bug", { cause: new Error("of ours") }))).toBeUndefined();
  expect(wordsOfFailure("a text")).toBeUndefined();
});
