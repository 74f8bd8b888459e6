import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { startDeadline } from "../../../../handler/check/deadline.ts";
import type { CheckProgress } from "../../../../handler/verdict/outcome.ts";
import { lookUntilVerdict, type UntilVerdictRequest } from "../../../../handler/check/looking/look-until-verdict.ts";
import type { Platform } from "../../../../handler/platform/platform.ts";
import { checkHost, fastHost } from "../../../support/check-host.ts";
import { checkProgram } from "../../../support/check-program.ts";
import { waitUntil } from "../../../support/wait-until.ts";

interface Options {
  readonly budgetMs?: number;
  readonly pollSeconds?: number;
  /** Folders that the bundle names. */
  readonly watch?: readonly string[];
  readonly more?: Partial<UntilVerdictRequest>;
}

/** Starts the real loop over a scratch root with `script` as its check. */
function start(script: string, { budgetMs = 30_000, pollSeconds = 20, watch = [], more = {} }: Options = {}) {
  const host = more.host ?? checkHost();
  const workFolder = mkdtempSync(join(host.root, "work-"));
  const sentinel = host.platform.paths(host.root).sentinel;
  mkdirSync(join(sentinel, ".."), { recursive: true });
  const file = join(host.root, "check.sh");
  writeFileSync(file, `echo run >>"$CAPZ_STATE_DIR/runs"\nS="$CAPZ_ROOT/run/cluster-api"\n${script}`);
  const deadline = startDeadline({
    host,
    budgetMs,
    bootId: "boot",
    stored: undefined,
    persist: () => Promise.resolve(),
  });
  const progress: CheckProgress[] = [];
  const outcome = lookUntilVerdict({
    host,
    check: {
      kind: "bundle",
      entry: { kind: "script", path: file },
      rules: "",
      version: "1.0.0",
      origin: "embedded",
      watch,
      warnings: [],
    },
    settings: { bootstrapProvider: "kubeadm", timeoutSeconds: budgetMs / 1000, pollSeconds, graceSeconds: 0 },
    deadline,
    workFolder,
    identity: { vmId: "vm-1", bootId: "boot-1" },
    marker: `looks-${workFolder}`,
    signal: new AbortController().signal,
    onProgress: (told) => progress.push(told),
    ...more,
  }).finally(() => deadline.close());
  const runsFile = join(workFolder, "check-state", "runs");
  const runs = () => (existsSync(runsFile) ? readFileSync(runsFile, "utf8").split("\n").length - 1 : 0);
  return { host, workFolder, sentinel, outcome, progress, runs };
}

const untilSentinel = '[ -e "$S/bootstrap-success.complete" ] && exit 0\nexit 75\n';

test("lookUntilVerdict() passes when the check exits 0, with its report and the tails of its output", async () => {
  const { outcome } = start('echo seen; echo stage=bootstrapped >"$CAPZ_CHECK_OUTPUT"; echo warn >&2; exit 0');
  expect(await outcome).toEqual({
    kind: "passed",
    report: { stage: "bootstrapped", facts: {} },
    output: { stdout: "seen\n", stderr: "warn\n" },
  });
});

test("a folder that a bundle names wakes the check like one of ours", async () => {
  const pollSeconds = 3600;
  const untilJoined = '[ -e "$CAPZ_ROOT/var/lib/example-agent/joined" ] && exit 0\nexit 75\n';
  const { host, outcome, runs } = start(untilJoined, {
    pollSeconds,
    budgetMs: 3_600_000,
    watch: ["/var/lib/example-agent"],
  });
  await waitUntil("the first run", () => runs() === 1, { everyMs: 5 });
  mkdirSync(join(host.root, "var/lib/example-agent"), { recursive: true });
  writeFileSync(join(host.root, "var/lib/example-agent/joined"), "");
  expect(await outcome).toMatchObject({ kind: "passed" });
});

test("lookUntilVerdict() is woken by the sentinel and does not wait for the poll", async () => {
  const { outcome, sentinel, runs } = start(untilSentinel, { pollSeconds: 3600, budgetMs: 3_600_000 });
  await waitUntil("the first run", () => runs() === 1, { everyMs: 5 });
  writeFileSync(sentinel, "");
  expect((await outcome).kind).toBe("passed");
});

test("where no event comes, a look at the sentinel alone brings the news, and no run is spent on it before", async () => {
  const host = checkHost();
  const paths = (root: string) => ({ ...host.platform.paths(root), watch: [], sentinelLookMs: 5 });
  const { outcome, sentinel, runs } = start(untilSentinel, {
    pollSeconds: 3600,
    budgetMs: 3_600_000,
    more: { host: { ...host, platform: { ...host.platform, paths } } },
  });
  await waitUntil("the first run", () => runs() === 1, { everyMs: 5 });
  await host.sleep(100);
  writeFileSync(sentinel, "");
  expect((await outcome).kind).toBe("passed");
  expect(runs()).toBe(2);
});

test("lookUntilVerdict() fails for good on any other exit code and names it", async () => {
  const { outcome } = start("printf 'reason=CloudInitFailed\\nmessage=it failed\\n' >\"$CAPZ_CHECK_OUTPUT\"; exit 1");
  expect(await outcome).toMatchObject({
    kind: "failed",
    exit: { kind: "code", code: 1 },
    report: { reason: "CloudInitFailed", message: "it failed" },
  });
});

test("lookUntilVerdict() tells a check what it needs, and empty is the root in production", async () => {
  const { outcome, host, workFolder } = start("env | grep ^CAPZ_ | sort; exit 0");
  const result = await outcome;
  const lines = result.kind === "passed" ? result.output.stdout.split("\n") : [];
  expect(lines).toEqual(
    expect.arrayContaining([
      `CAPZ_ROOT=${host.root}`,
      "CAPZ_PROVIDER=kubeadm",
      "CAPZ_VM_ID=vm-1",
      "CAPZ_BOOT_ID=boot-1",
      "CAPZ_PROTOCOL=1",
      "CAPZ_ELAPSED_SECONDS=0",
      "CAPZ_TIMEOUT_SECONDS=30",
      `CAPZ_STATE_DIR=${join(workFolder, "check-state")}`,
      `CAPZ_CHECK_OUTPUT=${join(workFolder, "check-output")}`,
    ]),
  );
});

test("several changes during a run lead to exactly one more run, and two never run at once", async () => {
  const script = `
[ -e "$CAPZ_STATE_DIR/running" ] && exit 9
: >"$CAPZ_STATE_DIR/running"
if [ "$(wc -l <"$CAPZ_STATE_DIR/runs")" = 1 ]; then
  : >"$CAPZ_STATE_DIR/started"
  while [ ! -e "$CAPZ_STATE_DIR/go" ]; do sleep 0.01; done
fi
rm "$CAPZ_STATE_DIR/running"
[ -e "$S/end" ] && exit 0
exit 75`;
  const { outcome, workFolder, sentinel, runs, host } = start(script, { pollSeconds: 3600, budgetMs: 3_600_000 });
  const state = join(workFolder, "check-state");
  await waitUntil("the first run", () => existsSync(join(state, "started")), { everyMs: 5 });
  for (let change = 0; change < 20; change += 1) writeFileSync(join(sentinel, "..", `file-${String(change)}`), "");
  writeFileSync(join(state, "go"), "");
  await waitUntil("the second run", () => runs() === 2, { everyMs: 5 });
  await host.sleep(200);
  expect(runs()).toBe(2);
  writeFileSync(join(sentinel, "..", "end"), "");
  expect((await outcome).kind).toBe("passed");
});

test("noise in a watched folder cannot make the check run without end, and the sentinel is never held back by it", async () => {
  const { outcome, sentinel, runs, host } = start(untilSentinel, { pollSeconds: 3600, budgetMs: 3_600_000 });
  const started = performance.now();
  for (let change = 0; change < 60; change += 1) {
    writeFileSync(join(sentinel, "..", "log"), String(change));
    await host.sleep(10);
  }
  const before = runs();
  // Ten at once, then one per second.
  expect(before).toBeLessThan(13 + (performance.now() - started) / 1000);
  writeFileSync(sentinel, "");
  expect((await outcome).kind).toBe("passed");
  expect(runs()).toBeLessThanOrEqual(before + 2);
});

test("a check that hangs is ended, counts as not yet, and the next run may pass", async () => {
  const script = '[ -e "$CAPZ_STATE_DIR/hung" ] && exit 0\n: >"$CAPZ_STATE_DIR/hung"\nsleep 30';
  const { outcome, progress } = start(script, { pollSeconds: 0.1, more: { runLimitMs: 150 } });
  expect((await outcome).kind).toBe("passed");
  expect(progress.map(({ report }) => report.facts["last-check-run"])).toEqual([
    "The check gave no answer: it did not end within 0 s",
  ]);
});

test("a check that a signal ended gave no answer, which is no verdict", async () => {
  const script = '[ -e "$CAPZ_STATE_DIR/shot" ] && exit 0\n: >"$CAPZ_STATE_DIR/shot"\nkill -9 $$';
  const { outcome, progress } = start(script, { pollSeconds: 0.05 });
  expect((await outcome).kind).toBe("passed");
  expect(progress[0]?.report.facts["last-check-run"]).toContain("SIGKILL");
});

test("at the deadline the outcome says what the check saw last and what was still running", async () => {
  const script = "printf 'stage=kubeadm-join\\nrunning=kubeadm (74 s), curl (3 s)\\n' >\"$CAPZ_CHECK_OUTPUT\"; exit 75";
  const { outcome } = start(script, { budgetMs: 300 });
  expect(await outcome).toMatchObject({
    kind: "deadline",
    report: { stage: "kubeadm-join" },
    stillRunning: ["kubeadm (74 s)", "curl (3 s)"],
  });
});

test("at the deadline the check looks once more, so that an event nobody saw makes no false failure", async () => {
  const { outcome } = start('[ "$(wc -l <"$CAPZ_STATE_DIR/runs")" = 2 ] && exit 0\nexit 75', { budgetMs: 300 });
  expect((await outcome).kind).toBe("passed");
});

test("an interruption ends the running check at once", async () => {
  const stop = new AbortController();
  const { outcome, runs } = start("sleep 30", { more: { signal: stop.signal } });
  await waitUntil("the run", () => runs() === 1, { everyMs: 5 });
  stop.abort();
  expect(await outcome).toEqual({ kind: "interrupted", report: { facts: {} } });
});

test("an interpreter that does not exist is a failure, not an endless wait", async () => {
  const host = checkHost();
  const platform = { ...host.platform, interpreter: () => ["/no/such/sh"] as const };
  const { outcome } = start("", { more: { host: { ...host, platform } } });
  expect(await outcome).toMatchObject({ kind: "failed", exit: { kind: "not-started", systemCode: "ENOENT" } });
});

test("progress is told when the report changes, not for every run", async () => {
  const script = `n=$(wc -l <"$CAPZ_STATE_DIR/runs")
if [ "$n" -le 3 ]; then echo stage=one >"$CAPZ_CHECK_OUTPUT"; exit 75; fi
if [ "$n" -le 5 ]; then echo stage=two >"$CAPZ_CHECK_OUTPUT"; exit 75; fi
exit 0`;
  const { outcome, progress } = start(script, { pollSeconds: 0.02 });
  expect((await outcome).kind).toBe("passed");
  expect(progress.map(({ report }) => report.stage)).toEqual(["one", "two"]);
});

test("while nothing changes the pauses grow, so that a wait of five minutes costs a dozen runs", async () => {
  const real = checkHost();
  const start0 = performance.now();
  // A clock three hundred times as fast: the wait takes a second.
  const factor = 300;
  const host = {
    ...real,
    monotonicMs: () => (performance.now() - start0) * factor,
    sleep: (ms: number, signal?: AbortSignal) => real.sleep(ms / factor, signal),
  };
  const { outcome, runs } = start('echo next-check-seconds=5 >"$CAPZ_CHECK_OUTPUT"; exit 75', {
    budgetMs: 300_000,
    pollSeconds: 5,
    more: { host, runLimitMs: 3_600_000 },
  });
  expect((await outcome).kind).toBe("deadline");
  expect(runs()).toBeGreaterThan(1);
  expect(runs()).toBeLessThanOrEqual(16);
});

test("the sentinel is not held back where noise has used up all looks", async () => {
  const real = checkHost();
  // On a clock that stands still no look is ever allowed again.
  const host = {
    ...real,
    monotonicMs: () => 0,
    sleep: (ms: number, signal?: AbortSignal) => real.sleep(ms === 1000 ? 60_000 : ms, signal),
  };
  const { outcome, sentinel, runs } = start(untilSentinel, { pollSeconds: 3600, budgetMs: 3_600_000, more: { host } });
  for (let change = 1; change <= 10; change += 1) {
    await waitUntil("the next run", () => runs() === change, { everyMs: 2 });
    writeFileSync(join(sentinel, "..", "log"), String(change));
  }
  writeFileSync(sentinel, "");
  expect((await outcome).kind).toBe("passed");
});

test("an interruption between two looks is no verdict, and tells what was seen last", async () => {
  const stop = new AbortController();
  const more = { signal: stop.signal };
  const { outcome, progress } = start('echo stage=kubeadm-join >"$CAPZ_CHECK_OUTPUT"; exit 75', {
    pollSeconds: 3600,
    budgetMs: 3_600_000,
    more,
  });
  await waitUntil("the first look", () => progress.length === 1, { everyMs: 5 });
  stop.abort();
  expect(await outcome).toEqual({ kind: "interrupted", report: { stage: "kubeadm-join", facts: {} } });
});

test.each([
  ["running=kubeadm (74 s),curl (3 s),   sleep (1 s)  ", ["kubeadm (74 s)", "curl (3 s)", "sleep (1 s)"]],
  ["running=  curl (3 s) , sleep (1 s)", ["curl (3 s)", "sleep (1 s)"]],
  ["running=", []],
  ["stage=kubeadm-join", []],
])("at the deadline %j is what was running", async (line, stillRunning) => {
  const { outcome } = start(`printf '${line}\\n' >"$CAPZ_CHECK_OUTPUT"; exit 75`, { budgetMs: 100 });
  const end = await outcome;
  expect(end).toMatchObject({ kind: "deadline", stillRunning });
  expect(end).not.toHaveProperty("record");
});

test("a check that hangs at the deadline is not asked again, and is named among what runs", async () => {
  const { outcome, runs } = start("sleep 30", { budgetMs: 200, more: { runLimitMs: 300 } });
  expect(await outcome).toMatchObject({ kind: "deadline", stillRunning: [expect.stringContaining("sleep")] });
  expect(runs()).toBe(1);
});

test.each([
  ["a success, where that costs no search", "exit 0", ["left-overs"]],
  ["a failure", "exit 1", ["tree without grace"]],
])("what a check has left running is ended at its verdict: %s", async (_, script, expected) => {
  const real = checkHost();
  const ended: string[] = [];
  const platform = {
    ...real.platform,
    endLeftOvers: () => Promise.resolve(void ended.push("left-overs")),
    killTree: ({ graceMs }: { readonly graceMs: number }) =>
      Promise.resolve(void ended.push(graceMs === 0 ? "tree without grace" : "tree")),
  };
  await start(script, { more: { host: { ...real, platform } } }).outcome;
  expect(ended).toEqual(expected);
});

test("a system that ends no left-overs at a success is no error", async () => {
  const real = checkHost();
  const platform = withoutEndOfLeftOvers(real.platform);
  expect((await start("exit 0", { more: { host: { ...real, platform } } }).outcome).kind).toBe("passed");
});

function withoutEndOfLeftOvers({ endLeftOvers: _, ...platform }: Platform): Platform {
  return platform;
}

test.each([
  ["EAGAIN", "passed"],
  ["ENOMEM", "passed"],
  ["EACCES", "failed"],
  [undefined, "failed"],
])("a machine that refuses a process with %s: %s", async (systemCode, kind) => {
  const real = checkHost();
  let tries = 0;
  const refused = {
    kind: "not-started",
    reason: "refused",
    ...(systemCode === undefined ? {} : { systemCode }),
  } as const;
  const startProcess: typeof real.startProcess = (request) =>
    tries++ === 0 ? { pid: undefined, exited: Promise.resolve(refused) } : real.startProcess(request);
  const { outcome, progress } = start("exit 0", { pollSeconds: 0.02, more: { host: { ...real, startProcess } } });
  expect((await outcome).kind).toBe(kind);
  const said = progress.map(({ report }) => report.facts["last-check-run"]);
  expect(said).toEqual(kind === "passed" ? ["The check gave no answer: it could not be started: refused"] : []);
});

test("a check that hangs has the time of graceSeconds to clean up, two seconds at most", async () => {
  const settings = { bootstrapProvider: "kubeadm", timeoutSeconds: 30, pollSeconds: 0.02, graceSeconds: 3600 } as const;
  const script = `[ -e "$CAPZ_STATE_DIR/cleaned" ] && exit 0
trap 'sleep 0.1; : >"$CAPZ_STATE_DIR/cleaned"; exit 9' TERM
while :; do sleep 0.01; done`;
  const graces: number[] = [];
  const real = checkHost();
  const killTree: typeof real.platform.killTree = (tree, run) => {
    graces.push(tree.graceMs);
    return real.platform.killTree(tree, run);
  };
  const host = { ...real, platform: { ...real.platform, killTree } };
  const { outcome } = start(script, { more: { settings, runLimitMs: 150, host } });
  expect((await outcome).kind).toBe("passed");
  expect(graces).toEqual([2000]);
});

test("a look that brought something new starts the growing pauses anew", async () => {
  const host = fastHost(checkHost(), 200);
  const pauses: number[] = [];
  const sleep: typeof host.sleep = (ms, signal) => {
    if (ms > 1000 && ms < 15_000) pauses.push(Math.round(ms));
    return host.sleep(ms, signal);
  };
  const script = `n=$(wc -l <"$CAPZ_STATE_DIR/runs")
[ "$n" = 3 ] && : >"$CAPZ_ROOT/run/cluster-api/news"
[ "$n" = 6 ] && exit 0
exit 75`;
  const more = { host: { ...host, sleep }, runLimitMs: 3_600_000 };
  expect((await start(script, { pollSeconds: 4, budgetMs: 3_600_000, more }).outcome).kind).toBe("passed");
  expect(pauses.slice(0, 2)).toEqual([4000, 6000]);
  expect(pauses.filter((ms) => ms === 4000).length).toBeGreaterThan(1);
});

test("a look during which the time runs out, and which names nothing that runs, is followed by one more", async () => {
  const script = '[ "$(wc -l <"$CAPZ_STATE_DIR/runs")" = 2 ] && exit 0\nsleep 0.4\nexit 75';
  expect((await start(script, { budgetMs: 200 }).outcome).kind).toBe("passed");
});

test("a log that rests leads to a look", async () => {
  const host = checkHost();
  const log = join(host.root, "var/log/of-the-node.log");
  mkdirSync(join(log, ".."), { recursive: true });
  const paths = (root: string) => ({ ...host.platform.paths(root), logs: [log] });
  const own = { ...host, platform: { ...host.platform, paths } };
  const script = '[ -e "$CAPZ_ROOT/var/log/of-the-node.log" ] && exit 0\nexit 75';
  const { outcome, runs } = start(script, { pollSeconds: 3600, budgetMs: 3_600_000, more: { host: own } });
  await waitUntil("the first run", () => runs() === 1, { everyMs: 5 });
  writeFileSync(log, "one\n");
  expect((await outcome).kind).toBe("passed");
});

test("a log whose folder was taken away without an event is watched again from the next look on", async () => {
  const host = checkHost();
  const folder = join(host.root, "var/log/node");
  mkdirSync(folder, { recursive: true });
  const paths = (root: string) => ({ ...host.platform.paths(root), logs: [join(folder, "agent.log")] });
  const own = { ...host, platform: { ...host.platform, paths } };
  const script = '[ -e "$CAPZ_ROOT/var/log/node/agent.log" ] && exit 0\nexit 75';
  const agent = join(host.root, "var/lib/example-agent");
  mkdirSync(agent, { recursive: true });
  const { outcome, runs } = start(script, {
    pollSeconds: 3600,
    budgetMs: 3_600_000,
    watch: ["/var/lib/example-agent"],
    more: { host: own },
  });
  await waitUntil("the first run", () => runs() === 1, { everyMs: 5 });
  // The folder goes with its parent: whoever watches it is not told.
  renameSync(join(folder, ".."), join(host.root, "var/log.old"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(agent, "news"), "");
  await waitUntil("a look for another reason", () => runs() > 1, { everyMs: 5 });
  await host.sleep(200);
  writeFileSync(join(folder, "agent.log"), "one\n");
  expect((await outcome).kind).toBe("passed");
});

test("a program's last look stands beside the deadline, and nothing is searched for that it cannot have left", async () => {
  const real = checkHost();
  const killed: string[] = [];
  const platform = {
    ...real.platform,
    killTree: ({ marker }: { readonly marker: string }) => Promise.resolve(void killed.push(marker)),
  };
  const path = join(real.root, "check.cjs");
  const look = `return { verdict: "not-yet", stage: "looking", providers: [], running: [], remarks: [], facts: {},
    nextLookMs: 50, decidedBy: [], memory: {} };`;
  writeFileSync(path, checkProgram(look));
  const check = {
    kind: "bundle",
    entry: { kind: "program", path },
    rules: "",
    version: "2.0.0",
    origin: "embedded",
    watch: [],
    warnings: [],
  } as const;
  const { outcome } = start("", { budgetMs: 100, more: { host: { ...real, platform }, check } });
  expect(await outcome).toMatchObject({ kind: "deadline", record: { protocol: 2, result: { stage: "looking" } } });
  expect(killed).toEqual([]);
});
