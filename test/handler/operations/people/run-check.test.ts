/** @jest-environment-options {"ownTemporaryFolder": true} */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { createHost, ownPlatform } from "../../../../handler/create-host.ts";
import type { Host } from "../../../../handler/host.ts";
import { renderCheck } from "../../../../handler/operations/people/render-check.ts";
import { runCheck, type CheckOptions } from "../../../../handler/operations/people/run-check.ts";
import { writeBundle } from "../../../../scripts/dev/build-bundle.ts";
import { readScenarios } from "../../../../scripts/dev/read-scenarios.ts";
import { checkProgram } from "../../../support/check-program.ts";
import { layOut } from "../../../support/scenario-machine.ts";
import { lookResult } from "../supervise/handler-machine.ts";

const project = join(import.meta.dirname, "../../../..");
const programFolder = mkdtempSync(join(tmpdir(), "capz-check-command-"));
await writeBundle(join(programFolder, "bundle"));
const scenarios = await readScenarios(join(project, "test/fixtures/scenarios"));
const real = createHost(await ownPlatform());
const path = `${join(project, "test/fixtures/scenario-bin")}:${process.env["PATH"] ?? ""}`;

async function checkScenario(name: string, options: Partial<CheckOptions> = {}) {
  const scenario = scenarios.find((known) => known.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  const machine = await layOut(scenario);
  const result = await check({ root: machine.root, ...options });
  await machine.remove();
  return result;
}

function check({ root = "/", ...options }: Partial<CheckOptions> & { readonly root?: string }) {
  const run: typeof real.run = (file, args, more) =>
    real.run(file, args, { ...more, env: { ...more?.env, PATH: path } });
  return runCheck({ ...real, run, root, programFolder }, { json: false, provider: "auto", ...options });
}

test.each([
  ["kubeadm-good", 0, "verdict:     bootstrapped\nstage:       bootstrapped\n"],
  ["kubeadm-hung-init", 75, "verdict:     not yet\nstage:       kubeadm-init\n"],
  ["kubeadm-failed-cloud-init-errors", 1, "reason:      CloudInitFailed\n"],
] as const)("one look at %s ends with %i and says what was seen", async (name, exitCode, text) => {
  const result = await checkScenario(name);
  expect(result.exitCode).toBe(exitCode);
  expect(result.text).toContain(text);
});

test("the observation that decided is named", async () => {
  expect((await checkScenario("kubeadm-good")).text).toMatch(/^decided by: .*bootstrap-success\.complete/mu);
});

test("what a look saw gives the same verdict anywhere, and holds no secret", async () => {
  const scenario = scenarios.find(({ name }) => name === "kubeadm-failed-cloud-init-errors");
  if (scenario === undefined) throw new Error("there is no such scenario");
  const machine = await layOut(scenario);
  const log = join(machine.root, "var/log/cloud-init-output.log");
  writeFileSync(log, `${readFileSync(log, "utf8")}kubeadm join --token abcdef.0123456789abcdef 10.0.0.4:6443\n`);
  const seen = await check({ root: machine.root, json: true });
  await machine.remove();
  expect(seen.text).not.toContain("0123456789abcdef");
  const file = join(programFolder, "seen.json");
  writeFileSync(file, seen.text);
  const again = await check({ replay: file });
  expect(again.exitCode).toBe(seen.exitCode);
  expect(again.text).toContain("CloudInitFailed");
  // The record alone, as a report keeps it.
  writeFileSync(file, JSON.stringify((JSON.parse(seen.text) as { record: unknown }).record));
  expect((await check({ replay: file })).text).toBe(again.text);
});

test.each([
  ["no record", "{}"],
  ["no JSON", "{"],
  [
    "a record with a question that nobody knows",
    '{"context":{"system":"linux","provider":"auto","elapsedMs":0,"timeoutMs":1,"memory":{}},"observations":[{"question":{"ask":"x"},"answer":{"kind":"known","value":1}}]}',
  ],
])("%s is an error that says what to take", async (_, text) => {
  const file = join(programFolder, "odd.json");
  writeFileSync(file, text);
  const result = await check({ replay: file });
  expect(result).toMatchObject({
    exitCode: 3,
    text: expect.stringContaining("observations.json of a report") as unknown,
  });
});

test("a package without its check is an error, not a verdict", async () => {
  const empty = mkdtempSync(join(tmpdir(), "capz-no-check-"));
  mkdirSync(join(empty, "bundle"));
  const result = await runCheck({ ...real, programFolder: empty }, { json: false, provider: "auto" });
  expect(result.exitCode).toBe(3);
  expect(result.text).toContain("check.cjs");
});

test("absolute links of a machine below a folder lead to its own files", async () => {
  const scenario = scenarios.find(({ name }) => name === "kubeadm-rebooted-after-success");
  if (scenario === undefined) throw new Error("there is no such scenario");
  const machine = await layOut(scenario);
  const pki = "/var/lib/kubelet/pki";
  mkdirSync(join(machine.root, "var/lib/cloud/instances"));
  // As cloud-init and the kubelet write them.
  for (const [link, target] of [
    ["/var/lib/cloud/instance", "/var/lib/cloud/instances/id"],
    [`${pki}/kubelet-client-current.pem`, `${pki}/kubelet-client-2026-11-20-10-00-00.pem`],
  ] as const) {
    renameSync(join(machine.root, link), join(machine.root, target));
    symlinkSync(target, join(machine.root, link));
  }
  const seen = await check({ root: machine.root });
  await machine.remove();
  expect(seen.text).toMatch(/^decided by: .*kubelet-client-current\.pem is this node's own/mu);
  expect(seen.exitCode).toBe(0);
});

test.each([
  ["nothing", "/none/at/all", 'There is no folder "/none/at/all"'],
  ["a file", join(programFolder, "bundle/check.cjs"), "is a file"],
])("what stands for no machine is not judged: %s", async (_, root, text) => {
  const result = await check({ root });
  expect(result.exitCode).toBe(3);
  expect(result.text).toContain(text);
  expect(result.text).toContain("Next: ");
});

test.each([
  ["none", "/none.json", 'Cannot read "/none.json"'],
  ["a folder", programFolder, `Cannot read "${programFolder}"`],
])("a record that cannot be read is named: %s", async (_, replay, text) => {
  const result = await check({ replay });
  expect(result.exitCode).toBe(3);
  expect(result.text).toContain(text);
});

/** Looks with a check of this body at the machine below a folder, unless `change` names another root. */
async function look(body: string, change: Partial<Host> = {}, json = false) {
  const made = mkdtempSync(join(tmpdir(), "capz-own-check-"));
  mkdirSync(join(made, "bundle"));
  writeFileSync(join(made, "bundle/check.cjs"), checkProgram(body, lookResult));
  return runCheck({ ...real, root: made, programFolder: made, ...change }, { json, provider: "kubeadm" });
}

test.each([
  ["the traces of cloud-init", ["/var/lib/cloud/instance/sem/config_scripts_user"], true],
  ["a log of cloudbase-init", ["/Program Files/Cloudbase Solutions/Cloudbase-Init/log/x.log", "/etc/hostname"], true],
  ["a file of somebody else", ["/var/lib/cloud/instance/sem/config_scripts_user.old"], false],
  ["nothing", [], false],
])("who may not read %s has not seen that there was no user data", async (_, paths, isUnread) => {
  const root = mkdtempSync(join(tmpdir(), "capz-unread-"));
  // Even root can read no folder as a file.
  for (const path of paths.slice(0, 1)) mkdirSync(join(root, path), { recursive: true });
  const questions = JSON.stringify(
    [...paths, "/absent/sem/config_scripts_user"].map((path) => ({ ask: "text", path })),
  );
  const body = (word: string) =>
    `yield ${questions}; yield [{ ask: "healthz", port: 1 }]; return result("not-yet", { facts: { "user-data": "${word}", own: "x" } });`;
  const { text } = await look(body("never"), { root });
  expect(text).toContain(
    `user-data:   ${isUnread ? "could not be read; run it as root (sudo)" : "never"}\nown:         x\n`,
  );
  expect(text).toContain("verdict:     not yet\nstage:       kubeadm-join\n");
  expect((await look(body("this-boot"), { root })).text).toContain("user-data:   this-boot\n");
});

test("a check that throws gives no verdict, and holds no record", async () => {
  const { text, exitCode } = await look('throw new Error("odd");', {}, true);
  expect(exitCode).toBe(75);
  expect(JSON.parse(text)).toEqual({ verdict: "not-yet", report: expect.anything() });
});

describe("the running machine", () => {
  const hooks = mkdtempSync(join(tmpdir(), "capz-hooks-"));
  const passes = 'return result("bootstrapped");';
  const fails = '#!/bin/sh\nenv >"$0.env"\necho message=no licence >>"$CAPZ_CHECK_OUTPUT"\nexit 1\n';
  const liveHost = (change: Partial<Host["platform"]> = {}, folder = hooks): Partial<Host> => ({
    root: "/",
    platform: { ...real.platform, hooks: { ...real.platform.hooks, folder: () => folder }, ...change },
  });

  test("has hooks, which have the last word, with what a node tells them; a folder that stands for a machine has none", async () => {
    writeFileSync(join(hooks, "10-licence.sh"), fails, { mode: 0o700 });
    const live = await look(passes, liveHost());
    expect(live).toMatchObject({ exitCode: 1, text: expect.stringContaining("message:     no licence\n") });
    const env = readFileSync(join(hooks, "10-licence.sh.env"), "utf8");
    expect(env).toContain("CAPZ_PROVIDER=kubeadm\n");
    expect(env).toContain("CAPZ_TIMEOUT_SECONDS=1200\n");
    expect(env).toContain("CAPZ_ELAPSED_SECONDS=0\n");
    expect(env).toMatch(/^CAPZ_BOOTSTRAP_RUN=check-\d+$/mu);
    expect(existsSync(/^CAPZ_CHECK_OUTPUT=(.+)$/mu.exec(env)?.[1] ?? "/")).toBe(false);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("capz-bootstrap-check"))).toEqual([]);
    expect((await look(passes, { platform: liveHost().platform ?? real.platform })).exitCode).toBe(0);
    expect((await look(passes, liveHost({}, "/none/at/all"))).text).not.toContain("remark");
  });

  test("whose hooks cannot be asked says so", async () => {
    const restrictFolder = () => Promise.resolve("it could not be closed");
    const { text, exitCode } = await look(passes, liveHost({ restrictFolder }));
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^remark: {6}The hooks were not asked: .*it could not be closed/mu);
  });

  test("is asked for its setup ahead where it is Windows, whether or not it can tell", async () => {
    let asked = 0;
    const setUpAt = () => Promise.reject(new Error(`not told ${String(++asked)}`));
    const windows = liveHost({ name: "windows", setUpAt }, "/none/at/all");
    expect((await look(passes, windows)).exitCode).toBe(0);
    expect(asked).toBe(1);
    await look(passes, liveHost({ setUpAt }, "/none/at/all"));
    await look(passes, { platform: windows.platform ?? real.platform });
    expect(asked).toBe(1);
  });
});

test("what was seen is a line each, in one order, and what was not seen is none", () => {
  const facts = { own: "1", "decided-by": "a", remark: "b", running: "c" };
  const report = { stage: "kubeadm-join", reason: "KubeadmFailed", message: "m", providers: ["kubeadm", "k3s"], facts };
  expect(renderCheck({ verdict: "failed", report })).toBe(`verdict:     failed
stage:       kubeadm-join
reason:      KubeadmFailed
message:     m
decided by:  a
providers:   kubeadm, k3s
running:     c
remark:      b
own:         1
`);
  expect(renderCheck({ verdict: "not-yet", report: { facts: {} } })).toBe("verdict:     not yet\n");
});

test.each([
  { teller: "a few words", json: false, hooks: "none", times: 0 },
  { teller: "the record of the look", json: true, hooks: "none", times: 1 },
  { teller: "a hook", json: false, hooks: "hooks", times: 1 },
] as const)("who this Windows machine is is asked for $teller $times times", async ({ json, hooks, times }) => {
  const root = mkdtempSync(join(tmpdir(), "capz-check-hooks-"));
  mkdirSync(join(root, "hooks"));
  let asked = 0;
  const platform = {
    ...real.platform,
    name: "windows" as const,
    machineIdentity: () => {
      asked += 1;
      return Promise.resolve({ vmId: "vm-1", bootId: "boot-1" });
    },
    hooks: { ...real.platform.hooks, folder: () => join(root, hooks) },
  };
  const run: typeof real.run = () => Promise.resolve({ kind: "not-started", reason: "no Windows here" });
  const host = { ...real, platform, run, root: "/", programFolder };
  const { text, exitCode } = await runCheck(host, { json, provider: "auto" });
  expect([exitCode, asked]).toEqual([75, times]);
  expect(text.includes("vm-1")).toBe(json);
});
