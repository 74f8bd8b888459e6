import { expect, jest, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCli } from "../../../../handler/cli.ts";
import type { Host } from "../../../../handler/host.ts";
import { readSettingsArgument } from "../../../../handler/operations/people/read-settings-argument.ts";
import { checkHost } from "../../../support/check-host.ts";

function check(settings: Readonly<Record<string, unknown>>, ...options: readonly string[]) {
  return checkFile(JSON.stringify(settings), ...options);
}

async function fileOf(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "settings-")), "settings.json");
  await writeFile(file, text);
  return file;
}

async function checkFile(text: string, ...options: readonly string[]) {
  return checkOn(checkHost(), await fileOf(text), ...options);
}

async function checkOn(host: Host, file: string, ...options: readonly string[]) {
  const written: string[] = [];
  const output = jest.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    return { code: await runCli(["settings", "check", file, ...options], host), text: written.join("") };
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

test("settings check asks no signature of the package's own check, and none where the package trusts a key", async () => {
  const withPackage = async (files: Readonly<Record<string, unknown>>, settings: object) => {
    const host = checkHost();
    await mkdir(join(host.programFolder, "bundle"), { recursive: true });
    for (const [name, content] of Object.entries(files))
      await writeFile(join(host.programFolder, "bundle", name), JSON.stringify(content));
    return (await checkOn(host, await fileOf(JSON.stringify(settings)))).text.includes("trusts no key");
  };
  const keys = [{ keyId: "a", publicKey: "PEM" }];
  const wanted = { checkVersion: "9.9.9" };
  expect(await withPackage({ "bundle.json": { version: "9.9.9" } }, wanted)).toBe(false);
  expect(await withPackage({ "bundle.json": { version: "9.9.8" } }, wanted)).toBe(true);
  expect(await withPackage({ "bundle.json": { version: 9 } }, wanted)).toBe(true);
  expect(await withPackage({ "bundle.json": null }, wanted)).toBe(true);
  expect(await withPackage({ "bundle.json": { version: "9.9.8" } }, {})).toBe(false);
  expect(await withPackage({ "bundle.json": { version: "9.9.8" }, "trusted-keys.json": keys }, wanted)).toBe(false);
});

const foreign = { name: "OmsAgent", publisher: "P", type: "OmsAgent", settings: { workspaceId: "1" } };
const ours = { name: "CAPZ.Linux.Bootstrapping", publisher: "P", settings: { mode: "observe" } };
const wrong = { ...ours, name: "wrong", settings: { mode: "loud" }, version: "1.0", type: ours.name };
const answered = { ...ours, settings: { fileUris: ["https://a.example/a.sh"] }, provisioningState: "Succeeded" };
const loud = expect.objectContaining({ key: "mode", message: expect.stringContaining('mode is "loud"') });
const none = { problems: [], warnings: [], differences: [], notes: [] };

test.each([
  ["a good one", { mode: "observe" }, { valid: true, ...none }],
  ["one with a name", ours, { name: ours.name, valid: true, ...none }],
  [
    "another handler's",
    foreign,
    { ...none, name: "OmsAgent", valid: true, notes: [expect.stringContaining("another handler")] },
  ],
  [
    "one whose protected settings are elsewhere, without the command that may stand there",
    answered,
    {
      ...none,
      name: ours.name,
      valid: true,
      notes: [expect.stringMatching(/^only the public settings were checked: /u)],
    },
  ],
  [
    "one whose protected settings are elsewhere, with another problem",
    { ...answered, settings: { ...answered.settings, mode: "loud" } },
    { name: ours.name, valid: false, problems: [loud], warnings: [], differences: [], notes: [expect.anything()] },
  ],
  [
    "several",
    [ours, wrong],
    {
      valid: false,
      problems: [loud],
      warnings: [{ key: "version", message: expect.stringContaining("CAPZ's first extension") }],
      extensions: [
        { name: ours.name, valid: true, ...none },
        expect.objectContaining({ name: "wrong", valid: false, problems: [loud] }),
      ],
    },
  ],
  ["several good ones", [ours, ours], expect.objectContaining({ valid: true, problems: [], warnings: [] })],
])("settings check --json gives all of it as data: %s", async (_, document, expected) => {
  const { code, text } = await checkFile(JSON.stringify(document), "--json");
  const answer = JSON.parse(text) as { readonly valid: boolean };
  expect(answer).toEqual(expected);
  expect(code).toBe(answer.valid ? 0 : 3);
});

test("settings check --json gives a file that cannot be read as a problem", async () => {
  const { code, text } = await checkOn(checkHost(), "/nowhere/settings.json", "--json");
  const problem = {
    key: "settingsUnreadable",
    message: expect.stringMatching(
      /^Cannot read "\/nowhere\/settings\.json": .*ENOENT.*\. Next: Name a JSON or YAML file/u,
    ),
  };
  expect([code, JSON.parse(text)]).toEqual([64, { ...none, valid: false, problems: [problem] }]);
});

test("settings check names the file, and the extension where it has a name", async () => {
  for (const [document, name] of [
    [{ mode: "observe" }, ""],
    [ours, `: ${ours.name}`],
  ] as const) {
    const file = await fileOf(JSON.stringify(document));
    expect((await checkOn(checkHost(), file)).text).toBe(`${file}${name}: the settings are valid\n`);
  }
});

test.each([
  ["nothing", "", "is empty; settings without a key are written {}"],
  ["blanks", " \n", "is empty"],
  ["broken JSON", ' {"mode": ', "cannot be read as JSON: it ends too early"],
  ["JSON with a comma too many", '["a",]', "cannot be read as JSON: it is not JSON from character 6 on"],
  ["broken YAML", "mode: [a", "is neither JSON nor YAML: "],
  ["YAML with brackets within", "own[0]: 1\n", "holds no settings of an extension"],
  [
    "YAML that multiplies",
    `a: &a [x, x]\nb: &b [${"*a, ".repeat(30)}]\nc: [${"*b, ".repeat(30)}]\n`,
    "is YAML that unfolds into more than any settings hold",
  ],
  [
    "a patch that is no YAML",
    "apiVersion: v1\npatches:\n- path: /vmExtensions\n  valueFrom:\n    template: '[a'\n",
    "holds no settings of an extension",
  ],
  [
    "parameters beside something else",
    "$schema: https://x/deploymentParameters.json#\n---\na: 1\n",
    "holds the parameters of an ARM deployment",
  ],
  ["Terraform", "locals{\n}\n", "looks like Bicep or Terraform"],
  ["Bicep", "targetScope = 'resourceGroup'\n", "looks like Bicep or Terraform"],
  ["Bicep that is a sentence to YAML", "param location string\n", "looks like Bicep or Terraform"],
  ["a Kustomization", "kind: Kustomization\nresources:\n- a.yaml\n", "holds no settings of an extension"],
  ["values of another program", "parameters: 1\nvariables: {}\nmodules: []\n", "holds no settings of an extension"],
  ["a sentence with such a word", "note: the resource group is theirs\n", "holds no settings of an extension"],
])("settings check says what is wrong with a file: %s", async (_, text, words) => {
  const file = await fileOf(text);
  const refused = await checkOn(checkHost(), file);
  expect(refused.code).toBe(3);
  expect(refused.text).toContain(`error    "${file}" ${words}`);
});

test("protected settings are opened where this machine has their key; else it is said why they are not checked", async () => {
  const text = JSON.stringify({
    runtimeSettings: [
      { handlerSettings: { publicSettings: {}, protectedSettings: "TUlJ", protectedSettingsCertThumbprint: "AB" } },
    ],
  });
  const file = await fileOf(text);
  const host = checkHost();
  const decrypt: Host["platform"]["decrypt"] = ({ thumbprint, configFolder, envelope }) => {
    expect([thumbprint, configFolder, envelope.toString()]).toEqual(["AB", dirname(file), "MII"]);
    return Promise.resolve(Buffer.from('{"commandToExecute":"true"}'));
  };
  const opened = await readSettingsArgument({ ...host, platform: { ...host.platform, decrypt } }, file);
  expect(opened).toMatchObject({ protectedSettings: { commandToExecute: "true" }, notRead: undefined });
  const closed = await checkOn(
    { ...host, platform: { ...host.platform, decrypt: () => Promise.reject(new Error("no key")) } },
    file,
  );
  expect(closed.text).toContain("are encrypted for the machine they belong to (no key)");
  const unnamed = await checkFile(text.replace('"AB"', '""'));
  expect(unnamed.text).toContain("the settings file names no certificate");
});

test.each([
  [
    "two",
    [ours, { ...ours, name: "b" }],
    "holds 2 extensions that this command can run (CAPZ.Linux.Bootstrapping; b); allowed: 1",
  ],
  [
    "two beside another handler's",
    [foreign, ours, ours],
    "holds 2 extensions that this command can run (CAPZ.Linux.Bootstrapping; CAPZ.Linux.Bootstrapping); allowed: 1",
  ],
  [
    "two without a name",
    [{ settings: {} }, { settings: {} }],
    "holds 2 extensions that this command can run (without a name; without a name); allowed: 1",
  ],
  ["another handler's alone", foreign, "holds 0 extensions that this command can run (OmsAgent); allowed: 1"],
  [
    "another handler's among two",
    [foreign, { ...ours, settings: { mode: "${MODE}" } }],
    "cannot be run: a template makes the value of mode; write the value",
  ],
  [
    "what is elsewhere",
    answered,
    "cannot be run here: the protected settings are not in Azure's answer, which never holds them",
  ],
])("run takes the one extension of a file, and refuses %s", async (_, document, words) => {
  const file = await fileOf(JSON.stringify(document));
  await expect(readSettingsArgument(checkHost(), file)).rejects.toMatchObject({
    id: "settingsUnreadable",
    message: `"${file}" ${words}`,
    hint: "Check the file with capz-bootstrap settings check",
  });
  await expect(readSettingsArgument(checkHost(), `${file}-2`)).rejects.toMatchObject({
    hint: "Name a JSON or YAML file with the extension's settings",
    cause: expect.objectContaining({ code: "ENOENT" }),
  });
});

test("run takes the one extension of ours beside another handler's", async () => {
  const file = await fileOf(JSON.stringify([foreign, ours]));
  expect(await readSettingsArgument(checkHost(), file)).toMatchObject({
    name: ours.name,
    publicSettings: ours.settings,
  });
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

test("settings check tells every problem of a template at once, of the entry and of its settings", async () => {
  const entry = { name: "CAPZ.Windows.Bootstrapping", publisher: "P", version: 2, settings: { timeoutSeconds: 5 } };
  const spec = { osDisk: { osType: "Linux" }, vmExtensions: [entry] };
  const template = {
    apiVersion: "v1",
    kind: "AzureMachineTemplate",
    metadata: { name: "m" },
    spec: { template: { spec } },
  };
  const { code, text } = await check(template, "--json");
  const keys = (JSON.parse(text) as { readonly problems: readonly { readonly key: string }[] }).problems.map(
    ({ key }) => key,
  );
  expect([code, keys]).toEqual([3, ["version", "name", "settings.timeoutSeconds", "timeoutSeconds"]]);
});

test("settings check tells the address that is asked although nobody wrote it", async () => {
  const wanted = { checkVersion: "9.9.9", checkSha256: "a".repeat(64) };
  const note =
    "note     checkBaseUris is not set: the check bundle 9.9.9 is looked for at https://raw.githubusercontent.com/kubernetes-sigs/cluster-api-provider-azure/9.9.9/bootstrap-check";
  expect(await check(wanted)).toMatchObject({ code: 0, text: expect.stringContaining(note) });
  for (const other of [
    { ...wanted, checkBaseUris: "https://mirror.example.com/x" },
    { checkSha256: "a".repeat(64) },
    {},
  ])
    expect((await check(other)).text).not.toContain("note");
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
