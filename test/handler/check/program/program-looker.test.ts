import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "@jest/globals";
import { findHooks, judgeHook } from "../../../../handler/check/program/find-hooks.ts";
import { createProgramLooker } from "../../../../handler/check/program/program-looker.ts";
import { runHooks, withRemark, type HookRequest } from "../../../../handler/check/program/run-hooks.ts";
import { startDeadline } from "../../../../handler/check/deadline.ts";
import type { CheckProgress, CheckReport } from "../../../../handler/verdict/outcome.ts";
import { lookUntilVerdict, type UntilVerdictRequest } from "../../../../handler/check/looking/look-until-verdict.ts";
import type { Host } from "../../../../handler/host.ts";
import { checkHost } from "../../../support/check-host.ts";
import { checkProgram } from "../../../support/check-program.ts";
import { waitUntil } from "../../../support/wait-until.ts";

interface Options {
  readonly budgetMs?: number;
  readonly workFolder?: string;
  readonly origin?: "embedded" | "downloaded";
  readonly hooks?: Readonly<Record<string, string>>;
  readonly more?: Partial<UntilVerdictRequest>;
}

/** Starts the real loop over a scratch root, with this body of a generator as its check. */
function start(body: string, { budgetMs = 30_000, hooks = {}, origin = "downloaded", ...rest }: Options = {}) {
  const host = rest.more?.host ?? checkHost();
  const workFolder = rest.workFolder ?? mkdtempSync(join(host.root, "work-"));
  const { sentinel } = host.platform.paths(host.root);
  mkdirSync(dirname(sentinel), { recursive: true });
  const path = join(host.root, "check.cjs");
  writeFileSync(path, checkProgram(body, result));
  for (const [name, text] of Object.entries(hooks)) putHook(host.root, name, text);
  const persist = () => Promise.resolve();
  const deadline = startDeadline({ host, budgetMs, bootId: "boot", stored: undefined, persist });
  const progress: CheckProgress[] = [];
  const outcome = lookUntilVerdict({
    host,
    check: {
      kind: "bundle",
      entry: { kind: "program", path },
      rules: "",
      version: "2.0.0",
      origin,
      watch: [],
      warnings: [],
    },
    settings: { bootstrapProvider: "kubeadm", timeoutSeconds: budgetMs / 1000, pollSeconds: 20, graceSeconds: 0 },
    deadline,
    workFolder,
    identity: { vmId: "vm-1", bootId: "boot-1" },
    marker: `look-${workFolder}`,
    signal: new AbortController().signal,
    onProgress: (told) => progress.push(told),
    ...rest.more,
  }).finally(() => deadline.close());
  return { host, workFolder, sentinel, outcome, progress };
}

function putHook(root: string, name: string, text: string): void {
  const hook = join(root, "etc/capz-bootstrap/check.d", name);
  mkdirSync(dirname(hook), { recursive: true, mode: 0o755 });
  writeFileSync(hook, `#!/bin/sh\n${text}`);
  chmodSync(hook, 0o755);
}

const result = `const result = (verdict, more) => ({ verdict, stage: "looking", providers: ["kubeadm"], running: [], remarks: [],
  facts: {}, nextLookMs: 300000, decidedBy: ["it was seen"], memory: {}, ...more });`;

const untilSentinel = `
  const [seen] = yield [{ ask: "path", path: "/run/cluster-api/bootstrap-success.complete" }];
  return result(seen.value.kind === "file" ? "bootstrapped" : "not-yet");`;

test("a program is woken by the sentinel, and its verdict carries what it saw", async () => {
  const { outcome, sentinel, progress } = start(untilSentinel, { budgetMs: 3_600_000 });
  await waitUntil("the first look", () => progress.length === 1, { everyMs: 5 });
  writeFileSync(sentinel, "");
  expect(await outcome).toMatchObject({
    kind: "passed",
    report: { stage: "looking", providers: ["kubeadm"], facts: { "decided-by": "it was seen" } },
    record: {
      protocol: 2,
      context: { system: "linux", provider: "kubeadm", timeoutMs: 3_600_000 },
      observations: [{ question: { ask: "path" }, answer: { kind: "known", value: { kind: "file" } } }],
    },
  });
});

test("a failure comes with its reason and message, and is no failure of a command", async () => {
  const { outcome } = start('return result("failed", { reason: "KubeadmFailed", message: "it failed" });');
  expect(await outcome).toMatchObject({
    kind: "failed",
    exit: { kind: "code", code: 1 },
    report: { reason: "KubeadmFailed", message: "it failed" },
    output: { stdout: "", stderr: "" },
  });
});

test("at the deadline it is told what the node was busy with", async () => {
  const { outcome } = start('return result("not-yet", { running: ["kubeadm (74 s)", "curl (3 s)"] });', {
    budgetMs: 50,
  });
  expect(await outcome).toMatchObject({ kind: "deadline", stillRunning: ["kubeadm (74 s)", "curl (3 s)"], record: {} });
});

test("what a check remembers is there at its next look, also after a restart of the supervisor, but not in another machine", async () => {
  const body = `
    const looks = Number(context.memory.looks ?? 0) + 1;
    return result(looks > 3 ? "bootstrapped" : "not-yet", { nextLookMs: 250, memory: { looks: String(looks) } });`;
  const first = start(body, { budgetMs: 100 });
  expect((await first.outcome).kind).toBe("deadline");
  const kept = join(first.workFolder, "check-state/memory.json");
  expect(
    Number((JSON.parse(readFileSync(kept, "utf8")) as { memory: { looks: string } }).memory.looks),
  ).toBeGreaterThan(0);
  const second = start(body, { more: { host: first.host }, workFolder: first.workFolder });
  expect((await second.outcome).kind).toBe("passed");
  for (const text of ["{ damaged", '{"vmId":"vm-2","memory":{"looks":"9"}}', "[]", "x".repeat(20_000)]) {
    writeFileSync(kept, text);
    const third = start('return result("bootstrapped", { facts: { memory: JSON.stringify(context.memory) } });', {
      more: { host: first.host },
      workFolder: first.workFolder,
    });
    expect(await third.outcome).toMatchObject({ report: { facts: { memory: "{}" } } });
  }
});

test("a broken look is not yet, with a note, and the next one may pass", async () => {
  const { outcome, host } = start(`
    const [seen] = yield [{ ask: "path", path: "/fixed" }];
    if (seen.value.kind === "absent") for (;;);
    return result("bootstrapped");`);
  const started = host.monotonicMs();
  await waitUntil("the first look", () => host.monotonicMs() - started > 100, { everyMs: 20 });
  writeFileSync(join(host.root, "fixed"), "");
  mkdirSync(join(host.root, "run/cluster-api"), { recursive: true });
  writeFileSync(join(host.root, "run/cluster-api/wake"), "");
  expect((await outcome).kind).toBe("passed");
}, 60_000);

test("a program that is damaged waits for the deadline and says why", async () => {
  const { outcome } = start("}", { budgetMs: 100 });
  const end = await outcome;
  expect(end).toMatchObject({ kind: "deadline" });
  expect(end.report.facts["last-check-run"]).toContain("The check gave no answer: the check is broken: ");
});

test.each([
  ["not-yet", "exit 0", "passed", { stage: "bootstrapped" }],
  ["failed", "exit 0", "passed", { stage: "bootstrapped" }],
  ["bootstrapped", "exit 75", "deadline", { stage: "waiting-for-hook" }],
  ["failed", "echo stage=other >$CAPZ_CHECK_OUTPUT; exit 75", "failed", { stage: "looking" }],
  [
    "bootstrapped",
    "exit 3",
    "failed",
    { reason: "HookFailed", message: "/etc/capz-bootstrap/check.d/10-a.sh ended with exit code 3." },
  ],
  [
    "not-yet",
    "printf 'reason=NoGpu\\nmessage=no gpu\\n' >$CAPZ_CHECK_OUTPUT; exit 1",
    "failed",
    { reason: "CustomNoGpu", message: "no gpu" },
  ],
  ["bootstrapped", "kill -9 $$", "deadline", { stage: "waiting-for-hook" }],
  ["bootstrapped", "sh -c 'kill -9 $$'", "deadline", { stage: "waiting-for-hook" }],
] as const)("a check that says %s and a hook that does `%s` come to %s", async (...[verdict, hook, kind, report]) => {
  const body = `return result(${JSON.stringify(verdict)}, ${verdict === "failed" ? '{ reason: "X", message: "y" }' : "{}"});`;
  const { outcome } = start(body, { budgetMs: 300, hooks: { "10-a.sh": hook } });
  expect(await outcome).toMatchObject({ kind, report });
});

test("hooks run in the order of their names, find what a check finds, and see the word of those before", async () => {
  const { outcome, host } = start('return result("not-yet");', {
    budgetMs: 300,
    hooks: {
      "20-b.sh": 'echo b >>"$CAPZ_ROOT/order"; echo stage=waiting-for-b >"$CAPZ_CHECK_OUTPUT"; exit 75',
      "10-a.sh": '[ "$CAPZ_PROTOCOL$CAPZ_VM_ID" = 1vm-1 ] && echo a >>"$CAPZ_ROOT/order"; exit 75',
      "notes.txt": "exit 1",
    },
  });
  expect(await outcome).toMatchObject({ kind: "deadline", report: { stage: "waiting-for-b" } });
  expect(readFileSync(join(host.root, "order"), "utf8")).toMatch(/^a\nb\n/u);
});

/** Not a zombie, which has ended. */
function lives(pid: string): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !readFileSync(stat, "utf8").includes(") Z ");
}

test.each([
  ["a hook that others can write", 0o777, 0o755],
  ["a hook that its group can write", 0o775, 0o755],
  ["a hook in a folder that others can write", 0o755, 0o777],
])("%s is not run, and a remark says so", async (_, fileMode, folderMode) => {
  const host = checkHost();
  putHook(host.root, "10-a.sh", "exit 0");
  chmodSync(join(host.root, "etc/capz-bootstrap/check.d/10-a.sh"), fileMode);
  chmodSync(join(host.root, "etc/capz-bootstrap/check.d"), folderMode);
  const end = await start('return result("not-yet");', { budgetMs: 50, more: { host } }).outcome;
  expect(end.kind).toBe("deadline");
  expect(end.report.facts["remark"]).toContain("/etc/capz-bootstrap/check.d/10-a.sh was not run");
});

test("a hook that ignores the request to end is killed with all it started, and the look goes on", async () => {
  const host = checkHost();
  // The last look's hook has five seconds; the tree gets its two seconds of grace.
  const hook = `trap '' TERM\necho $$ >>"$CAPZ_ROOT/pids"\n(trap '' TERM; sh -c 'echo $$ >>"$CAPZ_ROOT/pids"; exec sleep 300') &\nwhile :; do sleep 1; done`;
  const { outcome } = start('return result("bootstrapped");', {
    budgetMs: 200,
    hooks: { "10-a.sh": hook },
    more: { host },
  });
  const end = await outcome;
  expect(end.kind).toBe("deadline");
  expect(end.report.facts["remark"]).toContain("10-a.sh gave no answer: it did not end within");
  const pids = readFileSync(join(host.root, "pids"), "utf8").trim().split("\n");
  expect(pids.length).toBeGreaterThanOrEqual(2);
  expect(pids.filter(lives)).toEqual([]);
}, 60_000);

describe("at its verdict a check", () => {
  /** Which of the platform's ways to end processes were used. */
  function spiedHost(): { readonly host: UntilVerdictRequest["host"]; readonly ended: string[] } {
    const real = checkHost();
    const ended: string[] = [];
    const note = (how: string) => () => {
      ended.push(how);
      return Promise.resolve();
    };
    const platform = { ...real.platform, killTree: note("killTree"), endLeftOvers: note("endLeftOvers") };
    return { host: { ...real, platform }, ended };
  }
  const failing = 'return result("failed", { reason: "KubeadmFailed" });';

  it("that started nothing of others reads no process of the machine", async () => {
    for (const body of ['return result("bootstrapped");', failing]) {
      const { host, ended } = spiedHost();
      await start(body, { more: { host } }).outcome;
      expect(ended).toEqual([]);
    }
  });

  it("that ran a hook ends what the hook may have left: by its marker after a success, with its tree otherwise", async () => {
    const hooks = { "10-quiet.sh": "exit 75\n" };
    const passed = spiedHost();
    await start('return result("not-yet");', { hooks: { "10-passes.sh": "exit 0\n" }, more: { host: passed.host } })
      .outcome;
    expect(passed.ended).toEqual(["endLeftOvers"]);
    const failed = spiedHost();
    await start(failing, { hooks, more: { host: failed.host } }).outcome;
    expect(failed.ended).toEqual(["killTree"]);
  });
});

test("a changed sentinel throws away what systemd said before it", async () => {
  const real = checkHost();
  mkdirSync(join(real.root, "run/systemd/system"), { recursive: true });
  let asked = 0;
  const run: typeof real.run = (file) => {
    if (file === "systemctl") asked += 1;
    return Promise.resolve({
      kind: "exited",
      code: 0,
      stdout: Buffer.from("Id=k3s.service\nLoadState=loaded\nActiveState=active\nSubState=running\nJob=0\n"),
      stderr: Buffer.alloc(0),
    });
  };
  const body = `
    const [seen] = yield [{ ask: "path", path: "/run/cluster-api/bootstrap-success.complete" }];
    yield [{ ask: "units", names: ["k3s.service"] }];
    return result(seen.value.kind === "file" ? "bootstrapped" : "not-yet");`;
  // A clock that stands still: without the sentinel's news every answer would be kept.
  const host = { ...real, run, monotonicMs: () => 0 };
  const { outcome, sentinel, progress } = start(body, { budgetMs: 3_600_000, more: { host } });
  await waitUntil("the first look", () => progress.length === 1, { everyMs: 5 });
  expect(asked).toBe(1);
  writeFileSync(sentinel, "");
  expect((await outcome).kind).toBe("passed");
  expect(asked).toBe(2);
});

/** One look of a program, without the loop around it. */
interface Change {
  readonly host?: Host;
  readonly signal?: AbortSignal;
  readonly workFolder?: string;
  readonly remainingMs?: () => number;
}

async function lookOnce(body: string, change: Change = {}) {
  const host = change.host ?? checkHost();
  const path = join(host.root, "check.cjs");
  writeFileSync(path, checkProgram(body, result));
  const signal = change.signal ?? new AbortController().signal;
  const looker = await createProgramLooker(
    {
      host,
      check: {
        kind: "bundle",
        entry: { kind: "program", path },
        rules: "",
        version: "2",
        origin: "embedded",
        watch: [],
        warnings: [],
      },
      settings: { bootstrapProvider: "kubeadm", timeoutSeconds: 60, pollSeconds: 20, graceSeconds: 0 },
      deadline: { signal, elapsedMs: () => 7500, remainingMs: change.remainingMs ?? (() => 52_500) },
      workFolder: change.workFolder ?? mkdtempSync(join(host.root, "work-")),
      identity: { vmId: "vm-1", bootId: "boot-1" },
      marker: `look-${host.root}`,
      signal,
    },
    path,
  );
  return { host, looker };
}

describe("a look of a program", () => {
  it("knows how long the wait has lasted, and needs neither a folder nor hooks", async () => {
    const host = checkHost();
    putHook(host.root, "10-a.sh", "exit 3");
    writeFileSync(join(host.root, "file"), "");
    const { looker } = await lookOnce(
      'return result("not-yet", { facts: { at: `${context.elapsedMs} of ${context.timeoutMs}` } });',
      {
        host,
        workFolder: join(host.root, "file"),
      },
    );
    expect(await looker.look(1000)).toMatchObject({ kind: "not-yet", report: { facts: { at: "7500 of 60000" } } });
    expect(looker.mayHaveLeftOvers()).toBe(false);
  });

  it("that is interrupted runs no hook, and one whose hook is interrupted has no answer", async () => {
    const host = checkHost();
    putHook(host.root, "10-a.sh", 'touch "$CAPZ_ROOT/ran"; exec sleep 600');
    const before = await lookOnce('yield [{ ask: "time" }]; return result("not-yet");', {
      host,
      signal: AbortSignal.abort(),
    });
    expect(await before.looker.look(1000)).toEqual({ kind: "interrupted" });
    expect(existsSync(join(host.root, "ran"))).toBe(false);
    const stop = new AbortController();
    const during = await lookOnce('return result("not-yet");', { host, signal: stop.signal });
    const looking = during.looker.look(60_000);
    await waitUntil("the hook", () => existsSync(join(host.root, "ran")), { everyMs: 5 });
    stop.abort();
    expect(await looking).toEqual({ kind: "interrupted" });
  });

  it("leaves its hooks the time that it has not used", async () => {
    const real = checkHost();
    putHook(real.root, "10-a.sh", "exit 0");
    let now = 0;
    const host = { ...real, monotonicMs: () => (now += 600) };
    const { looker } = await lookOnce('yield [{ ask: "time" }]; return result("not-yet");', { host });
    const end = await looker.look(1000);
    expect(end).toMatchObject({
      kind: "not-yet",
      report: {
        facts: { remark: "/etc/capz-bootstrap/check.d/10-a.sh gave no answer: there was no time left for it" },
      },
    });
  });

  it("of answers that settled long ago makes no verdict, and none where a file has changed unseen", async () => {
    const real = checkHost();
    let nowMs = 0;
    let answer = 1;
    let starts = 0;
    let remainingMs = 100_000;
    const run: typeof real.run = () => {
      starts += 1;
      return Promise.resolve({ kind: "exited", code: answer, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) });
    };
    const host = { ...real, run, platform: { ...real.platform, name: "windows" as const }, monotonicMs: () => nowMs };
    const { looker } = await lookOnce(
      `const [registry] = yield [{ ask: "registry", key: "HKLM\\\\SOFTWARE\\\\Cloudbase Solutions\\\\Cloudbase-Init" }];
      const [file] = yield [{ ask: "path", path: "/log" }];
      const [end] = yield [{ ask: "text", path: "/end" }];
      const asFirst = registry.kind === "known" ? "settled" : "asked-anew";
      return result(end.value.kind === "text" ? "failed" : "not-yet", { stage: asFirst });`,
      { host, remainingMs: () => remainingMs },
    );
    const look = async (atMs: number) => {
      nowMs = atMs;
      const before = starts;
      const end = await looker.look(1000);
      return [end.kind, "report" in end ? end.report.stage : "", starts - before];
    };
    // The services of cloudbase-init are begun ahead by the first look.
    expect(await look(0)).toEqual(["not-yet", "settled", 2]);
    expect(await look(5000)).toEqual(["not-yet", "settled", 1]);
    answer = 5;
    expect(await look(10_000)).toEqual(["not-yet", "settled", 0]);
    writeFileSync(join(host.root, "log"), "");
    expect(await look(11_000)).toEqual(["not-yet", "asked-anew", 1]);
    answer = 1;
    await look(20_000);
    await look(25_000);
    answer = 5;
    expect(await look(26_000)).toEqual(["not-yet", "settled", 0]);
    looker.forget("settled");
    expect(await look(28_000)).toEqual(["not-yet", "asked-anew", 1]);
    answer = 1;
    await look(30_000);
    await look(35_000);
    answer = 5;
    expect(await look(36_500)).toEqual(["not-yet", "settled", 0]);
    remainingMs = 0;
    expect(await look(36_600)).toEqual(["not-yet", "asked-anew", 1]);
    remainingMs = 50_000;
    answer = 1;
    await look(40_000);
    await look(45_000);
    answer = 5;
    writeFileSync(join(host.root, "end"), "");
    expect(await look(46_000)).toEqual(["failed", "asked-anew", 1]);
  });

  it("that had a kept answer asks to be repeated soon", async () => {
    const real = checkHost();
    mkdirSync(join(real.root, "run/systemd/system"), { recursive: true });
    const run: typeof real.run = () =>
      Promise.resolve({
        kind: "exited",
        code: 0,
        stdout: Buffer.from("Id=k3s.service\nLoadState=loaded\nActiveState=active\nSubState=running\nJob=0\n"),
        stderr: Buffer.alloc(0),
      });
    const host = { ...real, run, monotonicMs: () => 0 };
    const { looker } = await lookOnce('yield [{ ask: "units", names: ["k3s.service"] }]; return result("not-yet");', {
      host,
    });
    expect(await looker.look(1000)).not.toHaveProperty("againMs");
    expect(await looker.look(1000)).toHaveProperty("againMs", 1000);
  });
});

describe("a hook", () => {
  const facts = { own: "x", next: "look there", retryable: "false" };
  const words = { stage: "kubeadm-join", reason: "KubeadmFailed", message: "it failed" };
  const more = { providers: ["kubeadm"], nextCheckSeconds: 5 };
  const full: CheckReport = { ...words, ...more, facts };
  const said = (...lines: readonly string[]) => lines.map((line) => `echo '${line}' >>"$CAPZ_CHECK_OUTPUT"; `).join("");
  const place = "/etc/capz-bootstrap/check.d";

  function request(scripts: Readonly<Record<string, string>>, change: Partial<HookRequest> = {}) {
    const host = change.host ?? checkHost();
    const started: string[] = [];
    const hooks = Object.entries(scripts).map(([name, script]) => {
      const command: [string, ...string[]] = script.startsWith("/") ? [script] : ["/bin/sh", "-c", script];
      return { command, name, place };
    });
    const whole: HookRequest = {
      host,
      settings: { bootstrapProvider: "kubeadm", timeoutSeconds: 60 },
      identity: { vmId: "vm-1", bootId: "boot-1" },
      marker: `hooks-${host.root}`,
      signal: new AbortController().signal,
      elapsedMs: 7500,
      folder: host.root,
      limitMs: 20_000,
      onStart: () => started.push("one"),
      found: { hooks, remarks: [] },
      ...change,
    };
    return { whole, started };
  }

  it.each<readonly [string, string, CheckReport, string, CheckReport]>([
    [
      "that passes",
      "exit 0",
      full,
      "bootstrapped",
      { ...more, stage: "bootstrapped", facts: { ...facts, hook: "h exit 0" } },
    ],
    [
      "that passes where nothing else was seen",
      "exit 0",
      { facts: {} },
      "bootstrapped",
      { stage: "bootstrapped", facts: { hook: "h exit 0" } },
    ],
    [
      "that passes with words of its own",
      said("stage=warm", "message=all is well"),
      full,
      "bootstrapped",
      { ...more, stage: "warm", message: "all is well", facts: { ...facts, hook: "h exit 0" } },
    ],
    [
      "that says not yet",
      "exit 75",
      { ...more, facts: {} },
      "not-yet",
      { ...more, stage: "waiting-for-hook", message: `${place}/h says: not yet`, facts: { hook: "h exit 75" } },
    ],
    [
      "that says not yet with words of its own",
      `${said("stage=warming", "message=37 degrees")}exit 75`,
      { facts: {} },
      "not-yet",
      { stage: "warming", message: "37 degrees", facts: { hook: "h exit 75" } },
    ],
    [
      "that fails: what to do is its own to say, and not that of the look before it",
      "exit 3",
      full,
      "failed",
      {
        ...full,
        reason: "HookFailed",
        message: `${place}/h ended with exit code 3.`,
        facts: { own: "x", hook: "h exit 3" },
      },
    ],
    [
      "that fails with words of its own",
      `${said("reason=NoGpu", "message=no gpu", "next=buy one", "retryable=true", "other=fact")}exit 1`,
      full,
      "failed",
      {
        ...full,
        reason: "CustomNoGpu",
        message: "no gpu",
        facts: { own: "x", hook: "h exit 1", next: "buy one", retryable: "true" },
      },
    ],
    [
      "whose code is the highest that no signal has",
      "exit 128",
      { facts: {} },
      "failed",
      {
        reason: "HookFailed",
        message: `${place}/h ended with exit code 128.`,
        facts: { hook: "h exit 128" },
      },
    ],
  ])("%s", async (...[, script, before, verdict, report]) => {
    const { whole, started } = request({ h: script });
    expect(await runHooks(whole, { verdict: "bootstrapped", report: before })).toEqual({ verdict, report });
    expect(started).toEqual(["one"]);
  });

  it.each<readonly [string, string, string, { readonly limitMs?: number }]>([
    ["as after a signal", "exit 129", "it ended with 129, as after a signal", {}],
    ["by a signal", "kill -9 $$", "it was ended by SIGKILL", {}],
    ["late", "exec sleep 600", "it did not end within 1 s", { limitMs: 900 }],
    ["and cannot be started", "/nowhere/hook", "it could not be started: ", {}],
    ["and has no time", "exit 0", "there was no time left for it", { limitMs: 0 }],
  ])("that ends %s has no answer, and holds back a success", async (...[, script, why, change]) => {
    const { whole, started } = request({ h: script }, change);
    const end = await runHooks(whole, { verdict: "bootstrapped", report: { facts: {} } });
    const remark = expect.stringContaining(`${place}/h gave no answer: ${why}`);
    expect(end).toMatchObject({
      verdict: "not-yet",
      report: { stage: "waiting-for-hook", facts: { hook: "h exit 75", remark } },
    });
    expect(started).toHaveLength(change.limitMs === 0 ? 0 : 1);
  });

  it("that gave no answer changes nothing in a failure, whatever it wrote before", async () => {
    const { whole } = request({ h: `${said("stage=other", "message=other", "next=other")}kill -9 $$` });
    const end = await runHooks(whole, { verdict: "failed", report: full });
    const noted = { ...facts, hook: "h exit 75", remark: `${place}/h gave no answer: it was ended by SIGKILL` };
    expect(end).toEqual({ verdict: "failed", report: { ...full, facts: noted } });
  });

  it("that the machine's own rules refuse has no answer", async () => {
    const real = checkHost();
    const hooks = {
      ...real.platform.hooks,
      refusedBy: (code: number) => Promise.resolve(code === 1 ? "scripts are off" : undefined),
    };
    const host = { ...real, platform: { ...real.platform, hooks } };
    const of = async (script: string) =>
      runHooks(request({ h: script }, { host }).whole, { verdict: "bootstrapped", report: { facts: {} } });
    expect(await of("exit 1")).toMatchObject({
      verdict: "not-yet",
      report: { facts: { remark: `${place}/h gave no answer: scripts are off` } },
    });
    expect(await of("exit 2")).toMatchObject({ verdict: "failed" });
  });

  it("comes after those before it and has the last word; what each leaves in the way harms no other", async () => {
    const { whole } = request({
      a: 'mkdir "$CAPZ_CHECK_OUTPUT"; exit 3',
      b: `${said("stage=b")}exit 75`,
      c: "kill -9 $$",
      d: "exit 0",
    });
    const end = await runHooks(whole, { verdict: "not-yet", report: { facts: { remark: "seen" } } });
    const remark = `seen; ${place}/c gave no answer: it was ended by SIGKILL`;
    expect(end).toEqual({
      verdict: "bootstrapped",
      report: { stage: "bootstrapped", facts: { remark, hook: "d exit 0" } },
    });
    const { whole: two } = request(
      { a: "exit 0", b: "exit 3" },
      { found: { ...mustFind(whole), remarks: ["x", "y"] } },
    );
    expect(
      await runHooks({ ...two, signal: AbortSignal.abort() }, { verdict: "not-yet", report: { facts: {} } }),
    ).toBeUndefined();
    const none = await runHooks(
      { ...two, found: { hooks: [], remarks: ["x", "y"] } },
      { verdict: "not-yet", report: { facts: {} } },
    );
    expect(none).toEqual({ verdict: "not-yet", report: { facts: { remark: "x; y" } } });
    expect(withRemark({ verdict: "failed", report: full }, "z").report).toEqual({
      ...full,
      facts: { ...facts, remark: "z" },
    });
  });

  it("is what its folder holds of its kind, in the order of the names", async () => {
    const host = checkHost();
    expect(await findHooks(host, host.root)).toEqual({ hooks: [], remarks: [] });
    for (const name of ["20-b.sh", "10-A.SH", ".hidden.sh", "notes.txt", "sh", "30-open.sh", "40-folder.sh/x"])
      putHook(host.root, name, "exit 0");
    putHook(host.root, "50-not-executable.sh", "");
    const folder = join(host.root, "etc/capz-bootstrap/check.d");
    chmodSync(join(folder, "50-not-executable.sh"), 0o644);
    chmodSync(join(folder, "30-open.sh"), 0o757);
    const found = await findHooks(host, host.root);
    expect(found.hooks).toEqual(["10-A.SH", "20-b.sh"].map((name) => ({ command: [join(folder, name)], name, place })));
    expect(found.remarks).toEqual([expect.stringContaining(`${place}/30-open.sh was not run: `)]);
  });

  it("that is to become one is judged by itself, and told why it is none", async () => {
    const host = checkHost();
    const file = join(host.root, "new.sh");
    const judged = () => judgeHook(host, file, host.root);
    expect(await judged()).toEqual({ hooks: [], remarks: [`There is no file ${file}`] });
    writeFileSync(file, "#!/bin/sh\n", { mode: 0o644 });
    expect(await judged()).toEqual({ hooks: [], remarks: [`${file} is not run: it is no executable file`] });
    chmodSync(file, 0o777);
    const remark = `${file} is not run: it must belong to root, and nobody else may be able to write to it`;
    expect(await judged()).toEqual({ hooks: [], remarks: [remark] });
    chmodSync(file, 0o755);
    // The folder in which it lies now is not the one from which it will run.
    chmodSync(host.root, 0o777);
    expect(await judged()).toEqual({ hooks: [{ command: [file], name: "new.sh", place }], remarks: [] });
  });
});

function mustFind({ found }: HookRequest): NonNullable<HookRequest["found"]> {
  if (found === undefined) throw new Error("There are none");
  return found;
}

test.each([
  ["windows", '[{ ask: "processes" }]', 1],
  ["windows", '[{ ask: "time" }]', 0],
  ["linux", '[{ ask: "processes" }]', 0],
] as const)("on %s the question %s tells %i times that a failure is near", async (name, question, times) => {
  const real = checkHost();
  let near = 0;
  const onNearFailure = () => (near += 1);
  const host = { ...real, platform: { ...real.platform, name } };
  const { outcome } = start(`yield ${question}; return result("failed");`, { more: { host, onNearFailure } });
  expect((await outcome).kind).toBe("failed");
  expect(near).toBe(times);
});
