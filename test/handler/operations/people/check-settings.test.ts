import { expect, jest, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../../../../handler/cli.ts";
import { checkHost } from "../../../support/check-host.ts";

function check(settings: Readonly<Record<string, unknown>>, ...options: readonly string[]) {
  return checkFile(JSON.stringify(settings), ...options);
}

async function checkFile(text: string, ...options: readonly string[]) {
  const file = join(await mkdtemp(join(tmpdir(), "settings-")), "settings.json");
  await writeFile(file, text);
  const written: string[] = [];
  const output = jest.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    return { code: await runCli(["settings", "check", file, ...options], checkHost()), text: written.join("") };
  } finally {
    output.mockRestore();
  }
}

test("settings check looks at the settings with the eyes of the node's system", async () => {
  const settings = { commandToExecute: "x".repeat(9000), graceSeconds: "30" };
  expect(await check(settings)).toMatchObject({ code: 0, text: expect.stringContaining("the settings are valid") });
  const windows = await check(settings, "--system", "windows");
  expect(windows.code).toBe(3);
  expect(windows.text).toContain("error    commandToExecute has 9000 characters; allowed on Windows: at most 8152");
  expect(windows.text).toContain("warning  graceSeconds has no effect on Windows");
});

test("settings check says that a package without trusted keys accepts no check by its signature", async () => {
  const warned = await check({ checkVersion: "9.9.9" });
  expect(warned.code).toBe(0);
  expect(warned.text).toContain("warning  The check bundle 9.9.9 cannot be accepted: this package trusts no key");
  const refused = await check({ checkVersion: "9.9.9", checkRequired: "true" });
  expect(refused.code).toBe(3);
  expect(refused.text).toContain("Set checkSha256, or use a package that was built with the key");
  expect((await check({ checkVersion: "9.9.9", checkSha256: "a".repeat(64) })).text).not.toContain("trusts no key");
});

test("settings check looks into the patches of a ClusterClass, and a wrong key in them is an error", async () => {
  const manifest = await readFile("manifests/capz/cluster-class.yaml", "utf8");
  const good = await checkFile(manifest);
  expect(good.code).toBe(0);
  expect(good.text).toContain(
    "ClusterClass workload: vmExtensions[0] CAPZ.Linux.Bootstrapping: the settings are valid",
  );
  expect(good.text).toContain("note     timeoutSeconds is made by a template; its value was not checked");
  const wrong = await checkFile(manifest.replace('mode: "{{ .bootstrapMode }}"', 'mode: "loud"'));
  expect(wrong).toMatchObject({ code: 3, text: expect.stringContaining('error    mode is "loud"') });
  const entry = { op: "add", path: "/spec/template/spec/vmExtensions/-", value: { name: "CAPZ.Linux.Bootstrapping" } };
  const patch = { ...entry, value: { ...entry.value, settings: { timeoutSeconds: "1" } } };
  expect((await check({ kind: "ClusterClass", apiVersion: "v1", patches: [patch] })).text).toContain('is "1"');
});

test("settings check warns of a template that would install CAPZ's first extension", async () => {
  const attached = (publisher: string, version: string) => ({
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "AzureMachineTemplate",
    metadata: { name: "m" },
    spec: {
      vmExtensions: [{ name: "CAPZ.Linux.Bootstrapping", publisher, version, settings: { timeoutSeconds: "900" } }],
    },
  });
  const warned = await check(attached("Microsoft.Azure.ContainerUpstream", "1.0"));
  expect(warned).toMatchObject({ code: 0, text: expect.stringContaining("CAPZ's first extension, another program") });
  expect((await check(attached("Example.ClusterApi", "2.0"))).text).not.toContain("first extension");
});

test.each([
  ["names and values of another program", "root: 0\ndaemon: 1\nmode-of-operation: fast\n"],
  ["a list of users that happens to be a mapping", '{"root":"$6$salt$hash","daemon":"*"}'],
  ["a text", "root:x:0:0:root:/root:/bin/bash\n"],
])("settings check refuses %s: no key of it is a setting", async (_, text) => {
  const refused = await checkFile(text);
  expect(refused).toMatchObject({ code: 3, text: expect.stringContaining("holds no settings of an extension") });
  expect(refused.text).not.toContain("daemon");
  expect(refused.text).not.toContain("$6$");
});

test.each([
  ["no settings at all", "{}"],
  ["one setting among other keys", "timeoutSeconds: 600\nroot: 0\n"],
])("settings check takes %s", async (_, text) => {
  expect(await checkFile(text)).toMatchObject({ code: 0 });
});

const ofDeployment = (parameters: object) => ({
  $schema: "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#",
  contentVersion: "1.0.0.0",
  parameters: { vmName: { value: "workload-md-0-7xk2p" }, ...parameters },
});

test.each([
  ["settings", { settings: { value: { mode: "loud" } } }, 3, 'error    mode is "loud"'],
  ["protected settings", { bootstrapProtectedSettings: { value: { commandToExecute: "" } } }, 3, "commandToExecute"],
  ["a setting by its own name", { timeoutSeconds: { value: 5 } }, 3, "error    timeoutSeconds is 5"],
  [
    "good settings",
    { settings: { value: { timeoutSeconds: 600 } } },
    0,
    "parameters of a deployment: the settings are valid",
  ],
  ["a secret", { protectedSettings: { reference: { secretName: "s" } } }, 0, "come from a key vault"],
  [
    "none",
    { osType: { value: "Linux" }, appSettings: { value: { colour: "blue" } } },
    3,
    "holds the parameters of an ARM deployment, and none of them carries settings",
  ],
] as const)("settings check reads the parameters of an ARM deployment: %s", async (...row) => {
  const [, parameters, code, text] = row;
  expect(await check(ofDeployment(parameters))).toMatchObject({ code, text: expect.stringContaining(text) });
});

test("settings check says what to give in the place of Bicep and Terraform", async () => {
  const bicep = readFileSync("manifests/bicep/vm-extension.bicep", "utf8");
  for (const text of [bicep, 'resource "azurerm_virtual_machine_extension" "x" {\n  name = "x"\n}\n'])
    expect(await checkFile(text)).toMatchObject({ code: 3, text: expect.stringContaining("az bicep build") });
});

test("settings check takes a mistyped setting for what was meant by it", async () => {
  expect((await checkFile("timeoutSecond: 600\n")).text).toContain("did you mean timeoutSeconds?");
  expect(await checkFile("command: 'true'\n")).toMatchObject({
    code: 3,
    text: expect.stringContaining("commandToExecute"),
  });
});

test.each([
  ['{"timeoutSeconds":"600"}', 0, "standard input: the settings are valid"],
  ["root: 0", 3, "Standard input holds no settings of an extension"],
])("settings check - reads standard input: %s", (input, code, words) => {
  const main = join(import.meta.dirname, "../../../../handler/main.ts");
  const ran = spawnSync(process.execPath, [main, "settings", "check", "-"], { input, encoding: "utf8" });
  expect(ran).toMatchObject({ status: code, stdout: expect.stringContaining(words) });
});
