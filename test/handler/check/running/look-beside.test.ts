import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Host } from "../../../../handler/host.ts";
import type { LookBeside, Observation } from "../../../../handler/check/running/look-beside.ts";
import type { CheckProgress } from "../../../../handler/verdict/outcome.ts";
import { runCommand } from "../../../../handler/check/running/run-command.ts";
import { ours } from "../../../../handler/text/shown-text.ts";
import { checkHost } from "../../../support/check-host.ts";
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
}

/** Runs a real command with a small looker in the place of the packaged check. */
async function run({ command, waitsForSentinel, look, budgetMs = 20_000, onKill, signal, told: written }: Given) {
  const made = checkHost();
  const killTree: Host["platform"]["killTree"] = async (tree, running) => {
    await onKill?.();
    await made.platform.killTree(tree, running);
  };
  const host = { ...made, platform: { ...made.platform, killTree } };
  const workFolder = join(host.root, "work");
  mkdirSync(workFolder);
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
      env: {},
      warnings: [],
    },
    caller: { env: host.env, limits: host.ownLimits() },
    settings: { bootstrapProvider: "auto", timeoutSeconds: 20, graceSeconds: 5 },
    deadline: { elapsedMs: () => 0, remainingMs: () => budgetMs },
    workFolder,
    identity: { vmId: "vm-1", bootId: "boot-1" },
    marker: `beside-${workFolder}`,
    signal: signal ?? new AbortController().signal,
    told: written ?? AbortSignal.abort(),
    ...(look === undefined ? {} : { lookBeside: look }),
    onProgress: (progress) => told.push(progress),
  });
  return { outcome, told };
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
