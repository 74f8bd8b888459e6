import { afterEach, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readScenarios } from "../../scripts/dev/read-scenarios.ts";
import { runCheckScript, type CheckAnswer } from "./run-check-script.ts";
import { layOut, type ScenarioMachine } from "./scenario-machine.ts";

const repository = join(import.meta.dirname, "../..");
const script = join(repository, "scripts/check.sh");
const scenarios = await readScenarios(join(repository, "test/fixtures/scenarios"));
const machines: ScenarioMachine[] = [];

afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.remove();
});

async function machineOf(name: string): Promise<ScenarioMachine> {
  const scenario = scenarios.find((known) => known.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  const machine = await layOut(scenario);
  machines.push(machine);
  return machine;
}

function check(machine: ScenarioMachine, env: Readonly<Record<string, string>> = {}): Promise<CheckAnswer> {
  return runCheckScript({ command: ["/bin/sh", script], machine, provider: "auto", env });
}

test.each([
  "kubeadm-running-degraded",
  "kubeadm-waiting-network-stage",
  "kubeadm-hung-packages",
  "ignition-hung",
  "k3s-hung",
])("a waiting run of %s starts no program once the first run has looked", async (name) => {
  const machine = await machineOf(name);
  await check(machine);
  // With an empty PATH every program that the script would start fails with "not found" on standard error.
  const { exitCode, stderr } = await check(machine, { PATH: "/nonexistent" });
  expect({ exitCode, stderr }).toEqual({ exitCode: 75, stderr: "" });
});

test("systemd is asked again only after some seconds", async () => {
  const machine = await machineOf("kubeadm-rebooted-kubelet-starting");
  await check(machine);
  const again = await check(machine, { PATH: "/nonexistent" });
  expect(again.stderr).toBe("");
  await machine.apply({ uptime: 320, units: { "kubelet.service": "active" } });
  expect((await check(machine)).exitCode).toBe(0);
});

test("what was kept of another boot is not believed", async () => {
  const machine = await machineOf("kubeadm-rebooted-kubelet-starting");
  await check(machine);
  await machine.apply({ units: { "kubelet.service": "active" } });
  expect((await check(machine)).exitCode).toBe(75);
  expect((await check(machine, { CAPZ_BOOT_ID: "another" })).exitCode).toBe(0);
});

test("a damaged memory is as good as none", async () => {
  const machine = await machineOf("kubeadm-rebooted-after-success");
  await mkdir(join(machine.folder, "state"), { recursive: true });
  for (const text of ["", "1|", "garbage\n", "\u0000\u0001", "2|b|9|yes|own|x|y|end\n"]) {
    await writeFile(join(machine.folder, "state/check-memo"), text);
    expect((await check(machine)).exitCode).toBe(0);
  }
});

test("the check works without a state folder and without an output file", async () => {
  const machine = await machineOf("kubeadm-running-degraded");
  const { exitCode, stderr } = await check(machine, { CAPZ_STATE_DIR: "", CAPZ_CHECK_OUTPUT: "/dev/null" });
  expect({ exitCode, stderr }).toEqual({ exitCode: 75, stderr: "" });
});

const hook = "etc/capz-bootstrap/check.d/10-provider.sh";

test.each([
  ["a hook that others can write", 0o777, 0o755],
  ["a hook that its group can write", 0o775, 0o755],
  ["a hook in a folder that others can write", 0o755, 0o777],
])("%s is not run, and a remark says so", async (_, fileMode, folderMode) => {
  const machine = await machineOf("hook-passes");
  await chmod(join(machine.root, hook), fileMode);
  await chmod(dirname(join(machine.root, hook)), folderMode);
  const { exitCode, lines } = await check(machine);
  expect(exitCode).toBe(75);
  expect(lines["remark"]).toContain("/etc/capz-bootstrap/check.d/10-provider.sh was not run");
});

test("a hook that a signal ends gives no answer", async () => {
  const machine = await machineOf("hook-passes");
  await writeFile(join(machine.root, hook), "#!/bin/sh\nkill -9 $$\n");
  expect((await check(machine)).exitCode).toBe(75);
});

test("hooks run in the order of their names, and each sees the answer of those before", async () => {
  const machine = await machineOf("hook-passes");
  const second = join(machine.root, "etc/capz-bootstrap/check.d/20-later.sh");
  await writeFile(second, '#!/bin/sh\necho stage=waiting-for-gpu >"$CAPZ_CHECK_OUTPUT"\nexit 75\n', { mode: 0o755 });
  const { exitCode, lines } = await check(machine);
  expect({ exitCode, stage: lines["stage"] }).toEqual({ exitCode: 75, stage: "waiting-for-gpu" });
});

test.each([
  ["half-written", '{"v1": {"datasource": "x", "err'],
  ["empty", ""],
  ["no errors key", '{"v1": {}}'],
  ["not JSON", "<html>"],
  ["errors of another kind", '{"v1":{"errors":null}}'],
  ["an unended text", '{"v1":{"errors":["abc'],
])("a result.json that is %s is no failure of cloud-init", async (_, text) => {
  const machine = await machineOf("custom-background");
  await writeFile(join(machine.root, "run/cloud-init/result.json"), text);
  const { exitCode, stderr } = await check(machine);
  expect({ exitCode, stderr }).toEqual({ exitCode: 75, stderr: "" });
});

test("newlines, percent signs and globs in an error text stay one harmless line", async () => {
  const machine = await machineOf("custom-background");
  const errors = ["100%s of /* failed\\n$(touch /x) `id`", 'a "quoted" \\ path'];
  await writeFile(join(machine.root, "run/cloud-init/result.json"), JSON.stringify({ v1: { errors } }));
  const { exitCode, lines } = await check(machine);
  expect(exitCode).toBe(1);
  expect(lines["message"]).toContain("100%s of /* failed");
  expect(lines["message"]).toContain('a "quoted"');
});

test("the script names no path outside CAPZ_ROOT that it would read", async () => {
  const source = (await readFile(script, "utf8")).split("\n").filter((line) => !/^\s*#/u.test(line));
  const reads = source.filter((line) => / [<>] ?"?\/(?!dev\/null)/u.test(line));
  expect(reads).toEqual([]);
});

test.each(["dash", "busybox sh"])(
  "a check that lost its end has no answer under %s, least of all a success",
  async (shell) => {
    const whole = await readFile(script, "utf8");
    const folder = await mkdtemp(join(tmpdir(), "lost-end-"));
    const path = join(folder, "check.sh");
    await writeFile(path, whole.trimEnd().split("\n").slice(0, -1).join("\n"));
    const [program = "sh", ...args] = shell.split(" ");
    const run = spawnSync(program, [...args, path], { env: { CAPZ_CHECK_OUTPUT: join(folder, "output") } });
    expect(run.status).toBe(75);
  },
);
