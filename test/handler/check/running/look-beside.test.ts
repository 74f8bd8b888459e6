import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Host, ProcessExit } from "../../../../handler/host.ts";
import { checkEnvironment } from "../../../../handler/check/running/check-environment.ts";
import { watchBeside, type LookBeside, type Observation } from "../../../../handler/check/running/look-beside.ts";
import type { CheckProgress } from "../../../../handler/verdict/outcome.ts";
import { concludeEnded, runCommand, type CommandRequest } from "../../../../handler/check/running/run-command.ts";
import { ours } from "../../../../handler/text/shown-text.ts";
import { checkHost, fastHost } from "../../../support/check-host.ts";
import { waitUntil } from "../../../support/wait-until.ts";

interface Given {
  readonly command: string;
  readonly waitsForSentinel: boolean;
  readonly look?: LookBeside;
  readonly budgetMs?: number;
  /** Before its tree is ended. */
  readonly onKill?: () => Promise<void>;
  readonly signal?: AbortSignal;
  /** The verdict is on disk; at once unless given. */
  readonly told?: AbortSignal;
  /** The clock runs so many times as fast. */
  readonly faster?: number;
  /** Before the command is started. */
  readonly prepare?: (workFolder: string) => void;
  readonly onExit?: (exit: ProcessExit) => Promise<void>;
  readonly caller?: Partial<CommandRequest["caller"]>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a real command with a small looker in the place of the packaged check. */
async function run(given: Given) {
  const { command, waitsForSentinel, look, budgetMs = 20_000, onKill, signal, told: written, onExit } = given;
  const made = given.faster === undefined ? checkHost() : fastHost(checkHost(), given.faster);
  const graces: number[] = [];
  const killTree: Host["platform"]["killTree"] = async (tree, running) => {
    graces.push(tree.graceMs);
    await onKill?.();
    await made.platform.killTree(tree, running);
  };
  const pauses: number[] = [];
  const sleep: Host["sleep"] = (ms, end) => {
    // Shorter ones look at the size of the output.
    if (ms > 1000) pauses.push(ms);
    return made.sleep(ms, end);
  };
  const host = { ...made, sleep, platform: { ...made.platform, killTree } };
  const workFolder = join(host.root, "work");
  mkdirSync(workFolder);
  given.prepare?.(workFolder);
  const told: CheckProgress[] = [];
  const outcome = await runCommand({
    host,
    check: {
      kind: "command",
      argv: ["/bin/sh", "-c", command],
      workingFolder: workFolder,
      files: [],
      removeFiles: false,
      waitsForSentinel,
      env: given.env ?? {},
      warnings: [],
    },
    caller: { env: host.env, limits: host.ownLimits(), ...given.caller },
    settings: { bootstrapProvider: "auto", timeoutSeconds: 20, graceSeconds: 5 },
    deadline: { elapsedMs: () => 1999, remainingMs: () => budgetMs },
    workFolder,
    identity: { vmId: "vm-1", bootId: "boot-1" },
    marker: `beside-${workFolder}`,
    signal: signal ?? new AbortController().signal,
    told: written ?? AbortSignal.abort(),
    ...(look === undefined ? {} : { lookBeside: look }),
    ...(onExit === undefined ? {} : { onExit }),
    onProgress: (progress) => told.push(progress),
  });
  return { outcome, told, graces, pauses: pauses.filter((ms) => ms !== budgetMs) };
}

const stage: Observation = { kind: "stage", report: { stage: "kubeadm-join", facts: {} } };
const failed: Observation = {
  kind: "verdict",
  outcome: {
    kind: "failed",
    exit: { kind: "code", code: 1 },
    report: { stage: "kubeadm-join", reason: "KubeadmFailed", message: "kubeadm exited with 1", facts: {} },
    output: { stdout: ours``, stderr: ours`` },
  },
};
const passed: Observation = {
  kind: "verdict",
  outcome: {
    kind: "passed",
    report: { providers: ["kubeadm"], facts: {} },
    output: { stdout: ours``, stderr: ours`` },
  },
};

/** Tells these and looks on until it is stopped. */
function saying(...observations: readonly Observation[]): LookBeside {
  return async function* (signal) {
    yield* observations;
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => {
        resolve();
      });
    });
  };
}

test("a loop that only waits is ended by a certain failure, and the verdict names its cause", async () => {
  const { outcome } = await run({ command: "sleep 600", waitsForSentinel: true, look: saying(stage, failed) });
  expect(outcome).toMatchObject({
    kind: "failed",
    report: { reason: "KubeadmFailed", message: "kubeadm exited with 1" },
  });
});

test("a loop that only waits is ended by a sentinel that counts, without waiting for its next round", async () => {
  const { outcome } = await run({ command: "sleep 600", waitsForSentinel: true, look: saying(passed) });
  expect(outcome).toMatchObject({ kind: "passed", report: { providers: ["kubeadm"] } });
});

test("a certain verdict does not wait until the loop is ended; who stops us is told when it is", async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const loop = { command: "sleep 600", waitsForSentinel: true, look: saying(passed), onKill: () => held };
  expect((await run(loop)).outcome).toMatchObject({ kind: "passed" });
  const stop = new AbortController();
  let isOver = false;
  const stopped = run({ ...loop, signal: AbortSignal.any([stop.signal]), look: stopping(stop) }).finally(() => {
    isOver = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(isOver).toBe(false);
  release();
  expect((await stopped).outcome).toMatchObject({ kind: "interrupted" });
});

test("a loop is ended when the verdict is on disk, and not before: to look for its processes holds up what is still to be found out", async () => {
  const told = new AbortController();
  let isEnded = false;
  const onKill = () => {
    isEnded = true;
    return Promise.resolve();
  };
  const loop = { command: "sleep 600", waitsForSentinel: true, look: saying(failed), onKill, told: told.signal };
  expect((await run(loop)).outcome).toMatchObject({ kind: "failed" });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(isEnded).toBe(false);
  told.abort();
  await waitUntil("the loop to be ended", () => isEnded);
});

/** Is certain at the moment at which somebody stops us. */
function stopping(stop: AbortController): LookBeside {
  return async function* () {
    stop.abort();
    yield await Promise.resolve(passed);
  };
}

test("any other command is only looked at: it ends by itself, and the verdict is its exit code", async () => {
  const { outcome } = await run({
    command: "sleep 0.3; echo done; exit 0",
    waitsForSentinel: false,
    look: saying(stage, failed),
  });
  expect(outcome).toMatchObject({
    kind: "passed",
    output: { stdout: "done\n" },
    beside: { stage: "kubeadm-join", reason: "KubeadmFailed" },
  });
});

test("a new stage of the node is told at once while a command runs; the command's own words win", async () => {
  const waiting = await run({ command: "sleep 0.5", waitsForSentinel: true, look: saying(stage) });
  expect(waiting.told.map(({ report }) => report.stage)).toEqual(["kubeadm-join"]);
  const { told } = await run({ command: "sleep 0.5", waitsForSentinel: false, look: saying(stage) });
  expect(told.map(({ report }) => report)).toEqual([{ message: "the node meanwhile: kubeadm-join", facts: {} }]);
  const own = await run({
    command: 'echo stage=own >"$CAPZ_CHECK_OUTPUT"; sleep 1',
    waitsForSentinel: false,
    look: async function* () {
      await new Promise((resolve) => setTimeout(resolve, 400));
      yield stage;
    },
  });
  expect(own.told.map(({ report }) => report.stage)).toEqual(["own"]);
});

test("a look that breaks costs the command nothing, and is told", async () => {
  const { outcome } = await run({
    command: "sleep 0.2",
    waitsForSentinel: true,
    look: async function* () {
      yield stage;
      await Promise.reject(new Error("no such file"));
    },
  });
  expect(outcome).toMatchObject({
    kind: "passed",
    beside: { stage: "kubeadm-join", facts: { "look-beside": "It ended early: no such file" } },
  });
});

test("without a look, and at a deadline, a waiting loop is what it was: a command", async () => {
  const { outcome } = await run({ command: "sleep 600", waitsForSentinel: true, budgetMs: 200 });
  expect(outcome).toMatchObject({ kind: "deadline" });
  expect(outcome).not.toHaveProperty("beside");
});

test("a loop that finds the sentinel waits a moment for the look beside it, whose word on it counts", async () => {
  const later = (observation: Observation): LookBeside =>
    async function* () {
      await new Promise((resolve) => setTimeout(resolve, 300));
      yield observation;
    };
  const confirmed = await run({ command: "true", waitsForSentinel: true, look: later(passed) });
  expect(confirmed.outcome).toMatchObject({ kind: "passed", report: { providers: ["kubeadm"] } });
  const refuted = await run({ command: "true", waitsForSentinel: true, look: later(failed) });
  expect(refuted.outcome).toMatchObject({ kind: "failed", report: { reason: "KubeadmFailed" } });
});

test("what a command has said so far is told after three seconds and then every fifteen, until it ends", async () => {
  const seen: Observation = { kind: "stage", report: { stage: "kubeadm-join", facts: { own: "seen", other: "seen" } } };
  const { told, pauses } = await run({
    command: 'echo out; echo err >&2; printf "stage=mine\\nown=said\\n" >"$CAPZ_CHECK_OUTPUT"; sleep 0.6',
    waitsForSentinel: false,
    look: saying(seen),
    budgetMs: 60_000,
    faster: 100,
  });
  expect(pauses.slice(0, 3)).toEqual([3000, 15_000, 15_000]);
  expect(told.at(-1)).toEqual({
    report: {
      stage: "mine",
      message: "the node meanwhile: kubeadm-join",
      facts: { own: "said", other: "seen" },
    },
    output: { stdout: "out\n", stderr: "err\n" },
    elapsedMs: 1999,
    remainingMs: 60_000,
  });
  const count = told.length;
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(told).toHaveLength(count);
});

test.each<[string, Observation | undefined, object]>([
  [
    "the words of the node",
    { kind: "stage", report: { stage: "kubeadm-join", message: "it joins", facts: {} } },
    { message: "the node meanwhile: it joins", facts: {} },
  ],
  ["its facts alone", { kind: "stage", report: { facts: { a: "b" } } }, { facts: { a: "b" } }],
  ["nothing", undefined, { facts: {} }],
])("beside a command that says nothing %s is told of the node", async (_, seen, report) => {
  const look = seen === undefined ? {} : { look: saying(seen) };
  const { told } = await run({ command: "sleep 0.2", waitsForSentinel: false, faster: 100, ...look });
  expect(told.at(-1)?.report).toEqual(report);
});

test("output that cannot be read keeps no progress back", async () => {
  const { told } = await run({
    command: `for file in "$CAPZ_CHECK_OUTPUT" stdout; do rm -f "$file"; ln -s /proc/self/mem "$file"; done
sleep 0.4; rm "$CAPZ_CHECK_OUTPUT" stdout`,
    waitsForSentinel: false,
    faster: 50,
    budgetMs: 3_600_000,
  });
  expect(told.at(0)).toMatchObject({ report: { facts: {} }, output: { stdout: "", stderr: "" } });
});

test.each<[string, Given, string[]]>([
  ["by itself", { command: "exit 7", waitsForSentinel: false }, ['{"kind":"code","code":7}']],
  ["by a signal", { command: "kill -9 $$", waitsForSentinel: false }, ['{"kind":"signal","signal":"SIGKILL"}']],
  ["at its deadline", { command: "sleep 600", waitsForSentinel: true, budgetMs: 50 }, []],
  ["because the look is certain", { command: "sleep 600", waitsForSentinel: true, look: saying(failed) }, []],
])("how a command ended is told at once where it ended %s", async (_, given, expected) => {
  const exits: string[] = [];
  const onExit = (exit: ProcessExit) => Promise.resolve(void exits.push(JSON.stringify({ ...exit })));
  await run({ ...given, onExit });
  expect(exits).toEqual(expected);
});

test("a command has the environment of its caller and none of ours, with what a check is told, and its own above all", async () => {
  process.env["OF_OURS"] = "ours";
  const { outcome } = await run({
    command:
      'echo "$CALLED|$OF_OURS|$CAPZ_PROVIDER|$CAPZ_ELAPSED_SECONDS|$CAPZ_VM_ID|${CAPZ_BOOTSTRAP_RUN#*/work}|$PWD"',
    waitsForSentinel: false,
    caller: { env: { PATH: process.env["PATH"], CALLED: "called", CAPZ_VM_ID: "of the caller" } },
    env: { CAPZ_PROVIDER: "own" },
  });
  delete process.env["OF_OURS"];
  expect(outcome).toMatchObject({ kind: "passed", output: { stderr: "" } });
  const line = outcome.kind === "passed" ? outcome.output.stdout : "";
  expect(line).toMatch(/^called\|\|own\|1\|vm-1\|\|\/.*\/work\n$/u);
});

test.each<[string, boolean, readonly number[]]>([
  ["a loop that only waits has nothing to clean up", true, [0]],
  ["any other command has the time of graceSeconds", false, [5000]],
])("at the deadline %s", async (_, waitsForSentinel, expected) => {
  const { outcome, graces } = await run({
    command: "exec sleep 600",
    waitsForSentinel,
    look: saying(stage),
    budgetMs: 200,
  });
  expect(outcome).toMatchObject({
    kind: "deadline",
    stillRunning: [expect.stringMatching(/^sleep \(/u)],
    beside: { stage: "kubeadm-join", facts: {} },
  });
  expect(graces).toEqual(expected);
});

test("what lay in the place of a command's words before it began is not taken for its own", async () => {
  const prepare = (folder: string) => {
    mkdirSync(join(folder, "check-output/below"), { recursive: true });
  };
  const said = await run({ command: 'echo stage=own >"$CAPZ_CHECK_OUTPUT"', waitsForSentinel: false, prepare });
  expect(said.outcome).toMatchObject({ kind: "passed", report: { stage: "own" } });
  const silent = await run({
    command: "true",
    waitsForSentinel: false,
    prepare: (folder) => {
      writeFileSync(join(folder, "check-output"), "stage=old\n");
    },
  });
  expect(silent.outcome).toEqual({ kind: "passed", report: { facts: {} }, output: { stdout: "", stderr: "" } });
});

/** Tells nothing, and has broken before a command can end. */
const broken: LookBeside = () => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("no such file")) }),
});

test.each<[string, Given, number]>([
  ["a loop that found the sentinel", { command: "true", waitsForSentinel: true, look: saying() }, 1],
  ["a loop that failed", { command: "exit 1", waitsForSentinel: true, look: saying() }, 0],
  ["a loop that was shot", { command: "kill -9 $$", waitsForSentinel: true, look: saying() }, 0],
  ["a loop without a look", { command: "true", waitsForSentinel: true }, 0],
  ["a loop with a look that broke", { command: "true", waitsForSentinel: true, look: broken }, 0],
  ["any other command", { command: "true", waitsForSentinel: false, look: saying() }, 0],
])("%s waits for the look beside it so many times: %#", async (_, given, times) => {
  const { pauses } = await run({ ...given, faster: 50 });
  // One is the pause before the first progress.
  expect(pauses.filter((ms) => ms === 3000)).toHaveLength(1 + times);
});

test("a look that broke before it saw anything is told beside the outcome", async () => {
  const { outcome } = await run({ command: "exit 3", waitsForSentinel: false, look: broken });
  expect(outcome).toEqual({
    kind: "failed",
    exit: { kind: "code", code: 3 },
    report: { facts: {} },
    output: { stdout: "", stderr: "" },
    beside: { facts: { "look-beside": "It ended early: no such file" } },
  });
});

test("a command that we are told to stop is ended, and what it said last is kept", async () => {
  const stop = new AbortController();
  const onProgress = () => {
    stop.abort();
  };
  const running = run({
    command: 'echo stage=own >"$CAPZ_CHECK_OUTPUT"; exec sleep 600',
    waitsForSentinel: false,
    signal: stop.signal,
    faster: 20,
    look: saying(stage),
  });
  setTimeout(onProgress, 300);
  const { outcome, graces } = await running;
  expect(outcome).toEqual({ kind: "interrupted", report: { stage: "own", facts: {} } });
  expect(graces).toEqual([5000]);
});

test("a command that floods its output is ended without grace, and the words say why", async () => {
  const { outcome, graces } = await run({
    command: 'echo stage=own >"$CAPZ_CHECK_OUTPUT"; head -c 68000000 /dev/zero; exec sleep 600',
    waitsForSentinel: false,
  });
  expect(outcome).toMatchObject({
    kind: "failed",
    exit: { kind: "signal", signal: "SIGKILL" },
    report: { stage: "own", message: expect.stringContaining("64 MiB") },
  });
  expect(graces).toEqual([0]);
});

test.each<[string, ProcessExit, string]>([
  ["0", { kind: "code", code: 0 }, "passed"],
  ["3", { kind: "code", code: 3 }, "failed"],
  ["a signal", { kind: "signal", signal: "SIGTERM" }, "failed"],
])("a command that ended with %s while nobody listened is judged by what it left on disk", async (_, exit, kind) => {
  const host = checkHost();
  const workFolder = join(host.root, "work");
  mkdirSync(workFolder);
  writeFileSync(join(workFolder, "check-output"), "stage=own\n");
  writeFileSync(join(workFolder, "stdout"), "out\n");
  writeFileSync(join(workFolder, "stderr"), "/w/line.sh: 1: kubeadm: not found\n");
  const outcome = await concludeEnded(exit, { workFolder, host, lineFile: "/w/line.sh" });
  expect(outcome).toEqual({
    kind,
    ...(kind === "passed" ? {} : { exit }),
    report: { stage: "own", facts: {} },
    output: { stdout: "out\n", stderr: "/bin/sh: 1: kubeadm: not found\n" },
  });
});

test("of observations the last one counts, but a verdict stays until the next verdict; none is told after the end", async () => {
  let give: (observation: Observation | Error) => void = () => undefined;
  const look: LookBeside = () => ({
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve, reject) => {
          give = (value) => {
            if (value instanceof Error) reject(value);
            else resolve({ done: false, value });
          };
        }),
    }),
  });
  const heard: string[] = [];
  const watched = watchBeside(look, (observation) => heard.push(observation.kind));
  const after = async (value: Observation | Error) => {
    give(value);
    await new Promise((resolve) => setImmediate(resolve));
    return watched.seen();
  };
  expect(watched.seen()).toBeUndefined();
  const later: Observation = { kind: "stage", report: { stage: "later", facts: {} } };
  expect(await after(stage)).toBe(stage);
  expect(await after(later)).toBe(later);
  expect(await after(failed)).toBe(failed);
  expect(await after(stage)).toBe(failed);
  expect(await after(passed)).toBe(passed);
  expect(heard).toEqual(["stage", "stage", "verdict", "stage", "verdict"]);
  watched.stop();
  expect(await after(failed)).toBe(passed);
  expect(heard).toHaveLength(5);
  expect(watched.failure()).toBeUndefined();
  const other = watchBeside(look, () => undefined);
  other.stop();
  await after(new Error("too late"));
  expect(other.failure()).toBeUndefined();
});

test.each([
  ["/", ""],
  ["/scratch/machine", "/scratch/machine"],
  ["scratch", join(process.cwd(), "scratch")],
])("a check finds the files of a machine at %s below %j", (root, expected) => {
  const told = checkEnvironment({
    host: { root },
    identity: { vmId: "vm-1", bootId: "boot-1" },
    settings: { bootstrapProvider: "auto", timeoutSeconds: 900 },
    outputFile: "/w/output",
    stateFolder: "/w/state",
    elapsedMs: 61_999,
  });
  expect(told).toMatchObject({ CAPZ_ROOT: expected, CAPZ_ELAPSED_SECONDS: "61", CAPZ_TIMEOUT_SECONDS: "900" });
});

test("a folder for a check that cannot be made is told by its name", async () => {
  const prepare = (folder: string) => {
    writeFileSync(join(folder, "check-state"), "");
  };
  await expect(run({ command: "true", waitsForSentinel: false, prepare })).rejects.toMatchObject({
    id: "stateUnwritable",
    message: expect.stringMatching(/\/work\/check-state for the check$/u),
  });
});
