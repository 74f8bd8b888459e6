import { afterEach, expect, test } from "@jest/globals";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { HandlerSettings } from "../../scripts/dev/start/agent-player.ts";
import { createLifecycleMachine, waitForStatus, type LifecycleMachine } from "./lifecycle-machine.ts";

/** Cases of the Custom Script handler's own suites, run with our package (docs/peers-expectations.md). */
let current: LifecycleMachine | undefined;

afterEach(async () => {
  await current?.discard();
  current = undefined;
});

async function enabled(settings: HandlerSettings): Promise<LifecycleMachine> {
  current = createLifecycleMachine();
  current.agent.putSettings(0, settings);
  await current.agent.run("install", 0);
  await current.agent.run("enable", 0);
  return current;
}

test("install, update, disable and uninstall write no status; enable does", async () => {
  current = createLifecycleMachine();
  const { agent } = current;
  agent.putSettings(0, { publicSettings: { commandToExecute: "true" } });
  for (const command of ["install", "update", "disable"] as const) {
    expect((await agent.run(command, 0)).exitCode).toBe(0);
    expect(readdirSync(agent.statusFolder)).toEqual([]);
  }
  await agent.run("enable", 0);
  const verdict = await waitForStatus(agent, 0);
  for (const command of ["disable", "uninstall"] as const) {
    expect((await agent.run(command, 0)).exitCode).toBe(0);
    expect(agent.status(0)).toEqual(verdict);
  }
});

test("install makes the private folder", async () => {
  current = createLifecycleMachine();
  const { machine, agent } = current;
  await agent.run("install", 0);
  expect(statSync(join(machine.root, "var/lib/capz-bootstrap", agent.name)).isDirectory()).toBe(true);
});

const line = "echo to-out; echo to-err >&2";

test.each([
  ["a command", { commandToExecute: line }],
  ["a base64 script", { script: Buffer.from(`${line}\n`).toString("base64") }],
  ["a compressed script", { script: gzipSync(`${line}\n`).toString("base64") }],
])("both streams of %s that succeeds stand in the status", async (_, publicSettings) => {
  const { agent } = await enabled({ publicSettings });
  const status = await waitForStatus(agent, 0);
  expect(status.kind).toBe("success");
  expect(status.message).toMatch(/\[stdout\]\nto-out\n+\[stderr\]\nto-err/u);
});

test("both streams of a command that fails stand in the status, below the verdict", async () => {
  const { agent } = await enabled({ publicSettings: { commandToExecute: `${line}; ls /does-not-exist` } });
  const status = await waitForStatus(agent, 0);
  expect(status).toMatchObject({ kind: "error", code: 2 });
  expect(status.message).toMatch(
    /^Bootstrap failed[\s\S]*\[stdout\]\nto-out\n+\[stderr\]\nto-err\n[\s\S]*does-not-exist/u,
  );
});

const asWithShellAlone: readonly string[] = [
  String.raw`
    #!/bin/bash
    echo "$0 $#"; pwd | sed 's#.*/##'; umask; id -G; nice; cat /proc/self/oom_score_adj
    cat; read line || tty; test -t 2 || echo none
    env | grep -v -e ^CAPZ_ -e ^AZURE_GUEST -e ^Config -e ^PWD= -e ^OLDPWD= | cut -d= -f1 | sort
    cat <<EOF
a $((1 + 2))
EOF
    printf 'no line end'; printf 'grün €\n' >&2`,
  "nosuchcommand one; [[ a == a ]] || source /dev/null; trap 'echo trapped' EXIT; sh -c 'kill -9 $$'",
  "echo one\nfi",
];

/** How the Custom Script handler starts a command (its main/exec.go): `/bin/sh -c`, no input, both streams in files. */
function shellAlone(line: string, cwd: string) {
  const env = { PATH: process.env["PATH"] ?? "" };
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line], { cwd, env, encoding: "utf8" });
  return { passed: status === 0, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
}

test("a command ends and prints as it does with `sh -c`, to the letter", async () => {
  current = createLifecycleMachine();
  const { machine, agent } = current;
  const folder = join(machine.root, "check/download");
  mkdirSync(folder);
  await agent.run("install", 0);
  for (const [sequence, commandToExecute] of asWithShellAlone.entries()) {
    agent.putSettings(sequence, { publicSettings: { commandToExecute, graceSeconds: "0" } });
    await agent.run("enable", sequence);
    const { kind, message } = await waitForStatus(agent, sequence);
    const [, stdout = "", stderr = ""] = /\[stdout\]\n([\s\S]*)\n\[stderr\]\n?([\s\S]*)$/u.exec(message) ?? [];
    const seen = { passed: kind === "success", stdout, stderr };
    expect({ commandToExecute, ...seen }).toEqual({ commandToExecute, ...shellAlone(commandToExecute, folder) });
  }
});

test("the same sequence again runs nothing: one start in three calls", async () => {
  current = createLifecycleMachine();
  const { machine, agent } = current;
  const path = join(machine.root, "check/started");
  agent.putSettings(0, { publicSettings: { commandToExecute: `[ ! -e ${path} ] || exit 9; : > ${path}` } });
  await agent.run("install", 0);
  for (let call = 0; call < 3; call++) {
    await agent.run("enable", 0);
    expect((await waitForStatus(agent, 0)).kind).toBe("success");
  }
});

test("a protected command runs", async () => {
  current = createLifecycleMachine();
  const { machine, agent } = current;
  const path = join(machine.root, "check/made");
  agent.putSettings(0, { protectedSettings: { commandToExecute: `: > ${path}` } });
  await agent.run("install", 0);
  await agent.run("enable", 0);
  expect((await waitForStatus(agent, 0)).kind).toBe("success");
  expect(existsSync(path)).toBe(true);
});

test("the program tells its version", () => {
  current = createLifecycleMachine();
  const launcher = join(current.agent.handlerFolder, "bin/capz-bootstrap");
  expect(execFileSync(launcher, ["--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/u);
});
