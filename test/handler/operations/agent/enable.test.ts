import { expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { disable } from "../../../../handler/operations/agent/agent-commands.ts";
import { loadAgentContext, loadSequenceContext } from "../../../../handler/operations/context.ts";
import { enable } from "../../../../handler/operations/agent/enable.ts";
import type { Host } from "../../../../handler/host.ts";
import { isStopped, markStopped, takeStopped } from "../../../../handler/operations/stop-mark.ts";
import { checkMarker, selfAsHolder, supervisorLock } from "../../../../handler/operations/supervisor.ts";
import { linux } from "../../../../handler/platform/linux.ts";
import { acquireLock } from "../../../../handler/state/exclusive-lock.ts";
import { checkHost, fastHost } from "../../../support/check-host.ts";

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
