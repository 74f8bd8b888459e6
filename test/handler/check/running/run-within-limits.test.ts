import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, test } from "@jest/globals";
import type { Host, StartProcess } from "../../../../handler/host.ts";
import { exceedsOutputLimit, keepEndOf } from "../../../../handler/check/running/output-limit.ts";
import { runWithinLimits, type ProcessRequest } from "../../../../handler/check/running/run-within-limits.ts";
import { whenAborted } from "../../../../handler/check/running/when-aborted.ts";
import { checkHost } from "../../../support/check-host.ts";
import { waitUntil } from "../../../support/wait-until.ts";
import { openFilesBelow } from "../../../support/open-files.ts";

const host = checkHost();
const strays: number[] = [];

afterEach(() => {
  for (const pid of strays.splice(0)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
});

function request(script: string, more: Partial<ProcessRequest> = {}): ProcessRequest {
  const folder = mkdtempSync(join(tmpdir(), "capz-run-"));
  return {
    host,
    argv: ["/bin/sh", "-c", script],
    cwd: folder,
    env: { PIDS: join(folder, "pids") },
    stdoutFile: join(folder, "stdout"),
    stderrFile: join(folder, "stderr"),
    marker: `test-${folder}`,
    graceMs: 200,
    timeLimitMs: 300,
    signal: new AbortController().signal,
    ...more,
  };
}

function pidsOf({ cwd }: ProcessRequest): readonly number[] {
  const pids = readFileSync(join(cwd, "pids"), "utf8").trim().split("\n").map(Number);
  strays.push(...pids);
  return pids;
}

function isAlive(pid: number): boolean {
  return (
    existsSync(`/proc/${String(pid)}`) && !/^State:\tZ/mu.test(readFileSync(`/proc/${String(pid)}/status`, "utf8"))
  );
}

test("runWithinLimits() gives the exit code and keeps both streams in files only we can read", async () => {
  const it = request("echo out; echo err >&2; exit 3");
  expect(await runWithinLimits(it)).toEqual({ kind: "exited", exit: { kind: "code", code: 3 } });
  expect(readFileSync(it.stdoutFile, "utf8")).toBe("out\n");
  expect(readFileSync(it.stderrFile, "utf8")).toBe("err\n");
  expect(statSync(it.stdoutFile).mode & 0o777).toBe(0o600);
});

test("runWithinLimits() names the signal that ended the program", async () => {
  expect(await runWithinLimits(request("kill -9 $$"))).toEqual({
    kind: "exited",
    exit: { kind: "signal", signal: "SIGKILL" },
  });
});

test("runWithinLimits() says why a program could not be started", async () => {
  const missing = await runWithinLimits(request("", { argv: ["/no/such/program"] }));
  expect(missing).toMatchObject({ kind: "exited", exit: { kind: "not-started", systemCode: "ENOENT" } });
  const noFolder = await runWithinLimits(request("", { cwd: "/no/such/folder" }));
  expect(noFolder).toMatchObject({
    exit: { kind: "not-started", reason: expect.stringContaining("working folder /no/such/folder") },
  });
});

test("a child that holds the output open does not delay the end", async () => {
  const it = request('sleep 30 & echo $! >"$PIDS"; exit 0', { timeLimitMs: 20_000 });
  const started = performance.now();
  expect(await runWithinLimits(it)).toEqual({ kind: "exited", exit: { kind: "code", code: 0 } });
  const [child = 0] = pidsOf(it);
  expect(isAlive(child)).toBe(true);
  expect(performance.now() - started).toBeLessThan(20_000);
});

test("at the time limit a child that called setsid is ended too", async () => {
  const it = request('setsid sh -c \'echo $$ >>"$PIDS"; sleep 30\' & echo $$ >>"$PIDS"; sleep 30');
  expect(await runWithinLimits(it)).toMatchObject({ kind: "time-limit" });
  expect(pidsOf(it).map(isAlive)).toEqual([false, false]);
});

test("at the time limit a child that emptied its environment is ended through its session", async () => {
  const it = request('env -i sh -c \'echo $$ >>"$0"; sleep 30\' "$PIDS" & sleep 30');
  await runWithinLimits(it);
  expect(pidsOf(it).map(isAlive)).toEqual([false]);
});

test("at the time limit a grandchild that ignores TERM is ended by KILL", async () => {
  const it = request('sh -c \'trap "" TERM; echo $$ >>"$PIDS"; while :; do sleep 0.05; done\' & wait');
  await runWithinLimits(it);
  expect(pidsOf(it).map(isAlive)).toEqual([false]);
});

test("at the time limit a program may clean up after TERM within its grace", async () => {
  const it = request("trap 'echo cleaned >\"$PIDS\"; exit 0' TERM; while :; do sleep 0.02; done", { graceMs: 5000 });
  await runWithinLimits(it);
  expect(readFileSync(join(it.cwd, "pids"), "utf8")).toBe("cleaned\n");
});

test("at the time limit it says what was still running, without arguments", async () => {
  const end = await runWithinLimits(request("sleep 31.4159 & wait"));
  expect(end).toMatchObject({ kind: "time-limit" });
  const text = JSON.stringify(end);
  expect(text).toContain('"stillRunning":["sleep (pid ');
  expect(text).not.toContain("31.4159");
});

test("an abort ends the tree", async () => {
  const stop = new AbortController();
  const it = request('sleep 30 & echo $! >"$PIDS"; wait', { timeLimitMs: 30_000, signal: stop.signal });
  const running = runWithinLimits(it);
  await waitUntil("the child's pid", () => existsSync(join(it.cwd, "pids")), { everyMs: 10 });
  stop.abort();
  expect(await running).toEqual({ kind: "aborted" });
  expect(pidsOf(it).map(isAlive)).toEqual([false]);
});

test("a process of somebody else with another marker is left alone", async () => {
  const other = spawn("sleep", ["30"], {
    env: { ...process.env, CAPZ_BOOTSTRAP_RUN: "another" },
    detached: true,
    stdio: "ignore",
  });
  strays.push(other.pid ?? 0);
  await runWithinLimits(request("sleep 30"));
  expect(isAlive(other.pid ?? 0)).toBe(true);
});

test("a leader's pid that is somebody else's by now brings no harm to its session", async () => {
  const other = spawn("sleep", ["30"], { detached: true, stdio: "ignore" });
  strays.push(other.pid ?? 0);
  await host.platform.killTree({ marker: "nobody-has-this", leader: other.pid ?? 0, graceMs: 0 }, host.run);
  expect(isAlive(other.pid ?? 0)).toBe(true);
});

test("a flood of output ends the tree before it fills the disk, and only its end is kept", async () => {
  const it = request('echo $$ >"$PIDS"; yes', { timeLimitMs: 30_000, maxOutputBytes: 4 * 1024 * 1024 });
  expect(await runWithinLimits(it)).toEqual({ kind: "output-limit" });
  expect(pidsOf(it).map(isAlive)).toEqual([false]);
  expect(statSync(it.stdoutFile).size).toBe(1024 * 1024);
  expect(
    readFileSync(it.stdoutFile, "utf8").endsWith("y\ny\n") || readFileSync(it.stdoutFile, "utf8").endsWith("y"),
  ).toBe(true);
});

/** The real host, which notes what it is asked to start and to end. */
function noting(change: Partial<Host["platform"]> = {}) {
  const started: StartProcess[] = [];
  const noted: unknown[] = [];
  const graces: number[] = [];
  const own: Host = {
    ...host,
    startProcess: (asked) => {
      started.push(asked);
      return host.startProcess(asked);
    },
    platform: {
      ...host.platform,
      noteProcess: ({ marker, pid, folder }) => noted.push([marker, pid > 1, folder]),
      killTree: async (tree, run) => {
        graces.push(tree.graceMs);
        await host.platform.killTree(tree, run);
      },
      ...change,
    },
  };
  return { host: own, started, noted, graces };
}

test("runWithinLimits() adds its own variables to ours or to the caller's, and starts a session where there is one", async () => {
  const seen = noting();
  process.env["OF_OURS"] = "ours";
  const print = 'echo "$OF_OURS|$CALLED|$CAPZ_BOOTSTRAP_RUN|$X"';
  const ours = request(print, {
    host: { ...seen.host, env: { ...process.env } },
    env: { X: "x" },
    marker: "m-1",
    timeLimitMs: 30_000,
  });
  await runWithinLimits(ours);
  expect(readFileSync(ours.stdoutFile, "utf8")).toBe("ours||m-1|x\n");
  const limits = { nice: 0 };
  const callerEnv = { PATH: process.env["PATH"], CALLED: "called", X: "caller", CAPZ_BOOTSTRAP_RUN: "caller" };
  const callers = request(print, {
    host: seen.host,
    env: { X: "x" },
    callerEnv,
    limits,
    marker: "m-2",
    timeLimitMs: 30_000,
  });
  await runWithinLimits(callers);
  delete process.env["OF_OURS"];
  expect(readFileSync(callers.stdoutFile, "utf8")).toBe("|called|m-2|x\n");
  expect(seen.started.map(({ ownSession, limits: given }) => [ownSession, given])).toEqual([
    [true, undefined],
    [true, limits],
  ]);
  expect(seen.started[0]).not.toHaveProperty("limits");
  expect(seen.noted).toEqual([
    ["m-1", true, ours.cwd],
    ["m-2", true, callers.cwd],
  ]);
});

test("on Windows, which has no sessions, none is asked for; a program that did not start is not noted", async () => {
  const seen = noting({ name: "windows" });
  await runWithinLimits(request("true", { host: seen.host, timeLimitMs: 30_000 }));
  expect(seen.started.map(({ ownSession }) => ownSession)).toEqual([false]);
  await runWithinLimits(request("", { host: seen.host, argv: ["/no/such/program"] }));
  expect(seen.noted).toHaveLength(1);
});

test("a system that cannot name what still runs names nothing, and one without notes needs none", async () => {
  const platform = { ...host.platform };
  Reflect.deleteProperty(platform, "describeTree");
  Reflect.deleteProperty(platform, "noteProcess");
  const it = request("sleep 30", { host: { ...host, platform } });
  expect(await runWithinLimits(it)).toEqual({ kind: "time-limit", stillRunning: [] });
});

test.each<[string, Partial<ProcessRequest>, string, readonly number[]]>([
  ["its time", { timeLimitMs: 50 }, "exec sleep 30", [200]],
  ["our end", { signal: AbortSignal.abort(), timeLimitMs: 30_000 }, "exec sleep 30", [200]],
  ["too much output", { maxOutputBytes: 10, timeLimitMs: 30_000 }, "echo more than ten bytes; exec sleep 30", [0]],
  ["its own end", { timeLimitMs: 30_000 }, "exit 0", []],
])("the grace of a tree that is ended by %s", async (...[, more, script, expected]) => {
  const seen = noting();
  await runWithinLimits(request(script, { ...more, host: seen.host }));
  expect(seen.graces).toEqual(expected);
});

test("output of both streams is counted together, and as much as is allowed ends nothing", async () => {
  const script = "echo 12345; echo 1234 >&2; sleep 0.2; $MORE";
  const of = (more: string) =>
    runWithinLimits(request(script, { env: { MORE: more }, maxOutputBytes: 11, timeLimitMs: 30_000 }));
  expect(await of("exit 4")).toEqual({ kind: "exited", exit: { kind: "code", code: 4 } });
  const over = request("echo 12345; echo 12345 >&2; exec sleep 30", { maxOutputBytes: 11, timeLimitMs: 30_000 });
  expect(await runWithinLimits(over)).toEqual({ kind: "output-limit" });
  expect([readFileSync(over.stdoutFile, "utf8"), readFileSync(over.stderrFile, "utf8")]).toEqual([
    "12345\n",
    "12345\n",
  ]);
});

describe("the look at the size of output", () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-limit-"));
  const file = (name: string) => join(folder, name);

  /** Looks until the last of these steps is done, each in the place of a pause; the pauses that were asked for. */
  async function pausesOf(files: readonly string[], steps: readonly (() => void)[]) {
    const done = new AbortController();
    const pauses: number[] = [];
    const sleep: Host["sleep"] = (ms) => {
      pauses.push(ms);
      steps[pauses.length - 1]?.();
      if (pauses.length === steps.length) done.abort();
      return Promise.resolve();
    };
    const over = exceedsOutputLimit({ host: { sleep }, files, maxBytes: 50_000_000, done: done.signal });
    const last = waitUntil("the last step", () => done.signal.aborted, { everyMs: 1 });
    const end = await Promise.race([over.then(() => "over"), last.then(() => turns()).then(() => "never")]);
    return { pauses, end };
  }
  const nothing = () => undefined;
  const turns = () => new Promise((resolve) => setTimeout(resolve, 10));

  it("comes ever more rarely while nothing is written, down to one a second", async () => {
    writeFileSync(file("quiet"), "");
    const steps = Array.from({ length: 9 }, () => nothing);
    expect(await pausesOf([file("quiet"), file("none")], steps)).toEqual({
      pauses: [20, 40, 80, 160, 320, 640, 1000, 1000, 1000],
      end: "never",
    });
  });

  it("comes quickly while more than a MiB is written between two", async () => {
    const mebibyte = 1024 * 1024;
    // A link to another file of that size: whoever watches the one before hears nothing of it.
    const to = (size: number) => () => {
      writeFileSync(file(`size-${String(size)}`), "");
      truncateSync(file(`size-${String(size)}`), size);
      symlinkSync(`size-${String(size)}`, file("next"));
      renameSync(file("next"), file("burst"));
    };
    to(0)();
    const steps = [nothing, to(mebibyte + 1), to(2 * mebibyte + 2), to(3 * mebibyte + 2), nothing, nothing];
    expect((await pausesOf([file("burst")], steps)).pauses).toEqual([20, 40, 20, 20, 40, 80]);
  });

  it("is over at the first byte too much of all files together", async () => {
    writeFileSync(file("one"), "");
    writeFileSync(file("two"), "");
    const { pauses, end } = await pausesOf(
      [file("one"), file("two")],
      [
        () => {
          truncateSync(file("one"), 30_000_000);
          truncateSync(file("two"), 20_000_000);
        },
        () => {
          appendFileSync(file("two"), "x");
        },
        ...Array.from({ length: 5 }, () => nothing),
      ],
    );
    expect(end).toBe("over");
    expect(pauses).toEqual([20, 20]);
  });

  it("follows a write by 20 ms, and leaves no watch behind", async () => {
    writeFileSync(file("watched"), "");
    const done = new AbortController();
    const pauses: number[] = [];
    let ended: () => void = nothing;
    // A slow pause never ends by itself here.
    const sleep: Host["sleep"] = (ms, signal) => {
      pauses.push(ms);
      if (ms === 20) return Promise.resolve();
      return new Promise((resolve) => {
        ended = resolve;
        signal?.addEventListener("abort", () => {
          resolve();
        });
      });
    };
    void exceedsOutputLimit({ host: { sleep }, files: [file("watched")], maxBytes: 10, done: done.signal });
    await waitUntil("the slow pause", () => pauses.length === 2, { everyMs: 2 });
    await waitUntil("its watch", () => watchesOf(file("watched")) === 1, { everyMs: 2 });
    appendFileSync(file("watched"), "x");
    await waitUntil("the next slow pause", () => pauses.length === 4, { everyMs: 2 });
    expect(pauses).toEqual([20, 40, 20, 80]);
    expect(watchesOf(file("watched"))).toBe(1);
    done.abort();
    ended();
    await waitUntil("the end of the watch", () => watchesOf(file("watched")) === 0, { everyMs: 2 });
    expect(pauses).toEqual([20, 40, 20, 80]);
  });

  it("watches no file that is not there", async () => {
    expect(await pausesOf([file("nowhere")], [nothing, nothing])).toEqual({ pauses: [20, 40], end: "never" });
  });
});

/** Watches of this process on a file, as the kernel lists them. */
function watchesOf(file: string): number {
  const inode = `ino:${statSync(file).ino.toString(16)} `;
  return globSync("/proc/self/fdinfo/*")
    .map((path) => (existsSync(path) ? readFileSync(path, "utf8") : ""))
    .flatMap((text) => text.split("\n"))
    .filter((line) => line.startsWith("inotify ") && line.includes(inode)).length;
}

test("of a file that has grown too large its last MiB is kept, for us alone to read; a smaller one stays as it is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-keep-"));
  const file = join(folder, "stdout");
  const kept = Buffer.alloc(1024 * 1024, "0123456789\n");
  writeFileSync(file, kept, { mode: 0o644 });
  const before = statSync(file).ino;
  await keepEndOf(file);
  expect(statSync(file).ino).toBe(before);
  writeFileSync(file, Buffer.concat([Buffer.from("first"), kept]));
  await keepEndOf(file);
  expect(readFileSync(file).equals(kept)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["stdout"]);
  expect(openFilesBelow(folder)).toEqual([]);
});

test("whenAborted() of what has aborted already is at once, and never once it is of no more interest", async () => {
  const stop = new AbortController();
  const done = new AbortController();
  const ended: string[] = [];
  void whenAborted(stop.signal, done.signal).then(() => ended.push("late"));
  void whenAborted(stop.signal, new AbortController().signal).then(() => ended.push("stop"));
  await whenAborted(AbortSignal.abort(), new AbortController().signal);
  expect(ended).toEqual([]);
  done.abort();
  stop.abort();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual(["stop"]);
});
