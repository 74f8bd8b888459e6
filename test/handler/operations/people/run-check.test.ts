import { mkdirSync, mkdtempSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { createHost, ownPlatform } from "../../../../handler/create-host.ts";
import { runCheck, type CheckOptions } from "../../../../handler/operations/people/run-check.ts";
import { writeBundle } from "../../../../scripts/dev/build-bundle.ts";
import { readScenarios } from "../../../../scripts/dev/read-scenarios.ts";
import { layOut } from "../../../support/scenario-machine.ts";

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
  ["/none/at/all", 'There is no folder "/none/at/all"'],
  [join(programFolder, "bundle/check.cjs"), "is a file"],
])("what stands for no machine is not judged: %s", async (root, text) => {
  const result = await check({ root });
  expect(result.exitCode).toBe(3);
  expect(result.text).toContain(text);
  expect(result.text).toContain("Next: ");
});

test.each([
  ["/none.json", 'Cannot read "/none.json"'],
  [programFolder, `Cannot read "${programFolder}"`],
])("a record that cannot be read is named: %s", async (replay, text) => {
  const result = await check({ replay });
  expect(result.exitCode).toBe(3);
  expect(result.text).toContain(text);
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
