import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { runWithinLimits, type ProcessRequest } from "../../../../handler/check/running/run-within-limits.ts";
import { checkHost } from "../../../support/check-host.ts";
import { waitUntil } from "../../../support/wait-until.ts";

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
