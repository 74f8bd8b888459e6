import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { runCli } from "../../../../handler/cli.ts";
import { checkHost } from "../../../support/check-host.ts";
import { ok, startHttpServer, type TestServer } from "../../../support/http-server.ts";

/*
 * Settings in the forms that people use, of the kinds that are found in documentation, quick starts and cluster templates; written
 * anew. SERVER stands for a server on loopback that has every file.
 */

let server: TestServer;
beforeAll(async () => {
  server = await startHttpServer();
  for (const name of ["install.sh", "setup.sh", "a.sh", "b.sh"])
    server.answer(`/${name}`, ...again("#!/bin/sh\necho ran $0 $1\n"));
  server.answer("/c/folder%2Fa.sh", ...again("#!/bin/sh\necho ran $0 $1\n"));
  server.answer("/my%20script.sh", ...again("#!/bin/sh\necho with a blank\n"));
});
afterAll(() => server.close());

/** The same answer for every look of every row. */
function again(body: string) {
  return Array.from({ length: 40 }, () => ok(body));
}

interface Form {
  readonly what: string;
  /** The file, as an object or as text. */
  readonly file: unknown;
  /** What `settings check` answers: its exit code and words that must stand in its answer. */
  readonly check: readonly [0 | 3, ...string[]];
  /** What `run` answers; absent where the check has already said why it cannot. */
  readonly run?: readonly [0 | 1 | 3, ...string[]];
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const arm = (properties: object, name = "node/CustomScript") => ({
  type: "Microsoft.Compute/virtualMachines/extensions",
  apiVersion: "2024-07-01",
  name,
  properties: {
    publisher: "Microsoft.Azure.Extensions",
    type: "CustomScript",
    typeHandlerVersion: "2.1",
    ...properties,
  },
});
const agents = (publicSettings: unknown, more: object = {}) => ({
  runtimeSettings: [{ handlerSettings: { publicSettings, ...more } }],
});

/** As `terraform show -json PLAN` prints a resource: in the plan, in what was there before, and as a change. */
function plan(type: string, values: object, unknown: object = {}) {
  const resource = { address: `${type}.x`, type, name: "x", values };
  return {
    format_version: "1.2",
    planned_values: { root_module: { resources: [resource] } },
    resource_changes: [{ ...resource, change: { before: values, after: values, after_unknown: unknown } }],
    prior_state: { values: { root_module: { resources: [resource] } } },
  };
}

const flat = { name: "cse", publisher: "Microsoft.Azure.Extensions", type: "CustomScript" };
const identity = (ids: object) => ({
  protectedSettings: { commandToExecute: "echo as who", managedIdentity: ids },
});
const blob = (host: string) => `https://${host}/c/a.sh`;

const forms: readonly Form[] = [
  {
    what: "a plan of something that is there already",
    file: plan("azurerm_virtual_machine_extension", { ...flat, settings: '{"commandToExecute":"echo once"}' }),
    check: [0],
    run: [0, "once"],
  },
  {
    what: "a plan whose protected settings are not known yet",
    file: plan(
      "azurerm_virtual_machine_extension",
      { ...flat, settings: '{"fileUris":["SERVER/a.sh"]}' },
      { protected_settings: true },
    ),
    check: [0, "only the public settings were checked: the protected settings are known to Terraform only when"],
    run: [3, "cannot be run here"],
  },
  {
    what: "a block within Terraform's scale set",
    file: plan("azurerm_linux_virtual_machine_scale_set", {
      extension: [{ ...flat, settings: '{"commandToExecute":"echo inline"}', protected_settings: null }],
    }),
    check: [0, "cse: the settings are valid"],
    run: [0, "inline"],
  },
  {
    what: "azapi with a body as text",
    file: plan("azapi_resource", { body: JSON.stringify(arm({ settings: { commandToExecute: "echo by azapi" } })) }),
    check: [0],
    run: [0, "by azapi"],
  },
  {
    what: "Terraform written as JSON",
    file: {
      resource: { azurerm_virtual_machine_extension: { x: { ...flat, settings: '{"commandToExecute":"echo tf"}' } } },
    },
    check: [0],
    run: [0, "tf"],
  },
  {
    what: "a scale set of Azure Service Operator",
    file: `kind: VirtualMachineScaleSet\nmetadata: {name: pool}\nspec: {virtualMachineProfile: {extensionProfile: {extensions: [{name: cse, publisher: P, type: CustomScript, settings: {commandToExecute: echo aso}}]}}}\n`,
    check: [0, "VirtualMachineScaleSet pool: cse: the settings are valid"],
    run: [0, "aso"],
  },
  {
    what: "Azure Service Operator with a Secret",
    file: "kind: VirtualMachinesExtension\nmetadata: {name: e}\nspec:\n  publisher: P\n  settings: {fileUris: [SERVER/a.sh]}\n  protectedSettings: {name: mine, key: settings}\n",
    check: [0, "the protected settings stand in a Secret"],
    run: [3, "cannot be run here"],
  },
  {
    what: "a task of Ansible",
    file: `- hosts: localhost\n  tasks:\n  - azure_rm_virtualmachineextension:\n      name: cse\n      publisher: P\n      settings: '{"commandToExecute": "echo ansible"}'\n`,
    check: [0, "cse: the settings are valid"],
    run: [0, "ansible"],
  },
  {
    what: "the body of a request",
    file: { properties: { settings: { commandToExecute: "echo patched" } } },
    check: [0],
    run: [0, "patched"],
  },
  {
    what: "what Azure answers, which never holds protected settings",
    file: { ...flat, provisioningState: "Succeeded", settings: { fileUris: ["SERVER/a.sh"] }, protectedSettings: null },
    check: [0, "are not in Azure's answer"],
    run: [3, "cannot be run here"],
  },
  {
    what: "a blob whose folder is written with %2F",
    file: { fileUris: ["SERVER/c/folder%2Fa.sh"], commandToExecute: "bash a.sh one" },
    check: [0],
    run: [0, "ran a.sh one"],
  },
  {
    what: "ticks as a timestamp",
    file: { commandToExecute: "echo ticked", timestamp: 638400000000000000 },
    check: [0],
    run: [0, "ticked"],
  },
  { what: "ticks as text", file: { commandToExecute: "true", timestamp: "638400000000000000" }, check: [0] },
  {
    what: "a time as text",
    file: { commandToExecute: "true", timestamp: "20240101T000000Z" },
    check: [3, "a whole number"],
  },
  { what: "an identity in other letters", file: identity({ ClientId: "none" }), check: [3, "clientId is not a GUID"] },
  {
    what: "an identity that is empty text",
    file: identity({ clientId: "", objectId: "11111111-2222-3333-4444-555555555555" }),
    check: [3, "clientId is not a GUID"],
  },
  {
    what: "a key of one account and files of others",
    file: {
      protectedSettings: {
        commandToExecute: "sh a.sh",
        fileUris: [blob("other.blob.core.windows.net")],
        storageAccountName: "mine",
        storageAccountKey: "a2V5",
      },
    },
    check: [0, "differs  Storage key and managed identity"],
  },
  {
    what: "a reboot by its path",
    file: { commandToExecute: "apt-get -y upgrade&&sudo /sbin/reboot now" },
    check: [0, "differs  Reboot in the command"],
  },
  { what: "init 6", file: { commandToExecute: "init 6" }, check: [0, "differs  Reboot in the command"] },
  {
    what: "upstream's own log",
    file: { commandToExecute: "tail /var/log/azure/custom-script/handler.log || true" },
    check: [0, "names the Custom Script extension's folder /var/log/azure/custom-script"],
    run: [0],
  },
  {
    what: "a script of a blob's folder on Windows",
    file: {
      ...flat,
      publisher: "Microsoft.Compute",
      type: "CustomScriptExtension",
      settings: {
        fileUris: [blob("a.blob.core.windows.net/box/one"), blob("a.blob.core.windows.net/box/two")],
        commandToExecute: "powershell -File one\\c\\a.ps1",
      },
    },
    check: [0, "Windows keeps the folders of a blob's address too"],
  },
  {
    what: "the same two on Linux",
    file: {
      fileUris: [blob("a.blob.core.windows.net/one"), blob("a.blob.core.windows.net/two")],
      commandToExecute: "sh a.sh",
    },
    check: [3, "would both be saved as a.sh"],
  },
  {
    what: "AKS' way: a wait, a file and nohup",
    file: {
      commandToExecute:
        'OUT=./out.log;\necho $(date),$(hostname) > ${OUT};\nfor i in $(seq 1 3); do\ngrep -Fq "," ${OUT} && break;\nif [ $i -eq 3 ]; then exit 100; else sleep 1; fi;\ndone;\n/usr/bin/nohup /bin/bash -c "echo provisioned >> ${OUT} 2>&1; tail -n 1 ${OUT}"',
    },
    check: [0],
    run: [0, "provisioned"],
  },
  {
    what: "base64 in a pipe",
    file: { commandToExecute: `echo ${base64("#!/bin/bash\necho piped $((1 + 1))")} | base64 -d | bash` },
    check: [0],
    run: [0, "piped 2"],
  },
  {
    what: "carriage returns in a command, as there",
    file: { commandToExecute: "echo one\r\necho two\r\n" },
    check: [0],
    run: [0, "two"],
  },
  { what: "a backslash at the end, as there", file: { commandToExecute: "echo x \\" }, check: [0], run: [0, "x \\"] },
  { what: "exit 300", file: { commandToExecute: "exit 300" }, check: [0], run: [1, "exited with code 44"] },
  {
    what: "a loop that reads its input, of which there is none",
    file: { commandToExecute: 'read x || echo "no input"; cat; tty || true' },
    check: [0],
    run: [0, "no input"],
  },
  {
    what: "settings as JSON text, as Terraform's jsonencode gives them",
    file: { settings: '{"commandToExecute":"echo encoded"}' },
    check: [0],
    run: [0, "encoded"],
  },
  {
    what: "Terraform's own names",
    file: { type_handler_version: "2.1", protected_settings: '{"commandToExecute":"echo by terraform"}' },
    check: [0],
    run: [0, "by terraform"],
  },
  {
    what: "a plan as terraform show -json prints it",
    file: {
      format_version: "1.2",
      planned_values: {
        root_module: {
          child_modules: [
            {
              resources: [
                {
                  address: "module.node.azurerm_virtual_machine_extension.setup",
                  type: "azurerm_virtual_machine_extension",
                  values: { name: "setup", type: "CustomScript", settings: '{"commandToExecute":"echo planned"}' },
                },
              ],
            },
          ],
        },
      },
    },
    check: [0, "module.node.azurerm_virtual_machine_extension.setup: the settings are valid"],
    run: [0, "planned"],
  },
  {
    what: "what PowerShell redirects into a file",
    file: Buffer.from('\uFEFF{"commandToExecute":"echo sixteen"}', "utf16le"),
    check: [0],
    run: [0, "sixteen"],
  },
  {
    what: "Terraform's source",
    file: 'resource "azurerm_virtual_machine_extension" "x" {\n  settings = <<S\n{"commandToExecute": "x"}\nS\n}\n',
    check: [3, "looks like Bicep or Terraform", "terraform show -json PLAN"],
  },
  {
    what: "Bicep",
    file: "resource e 'Microsoft.Compute/virtualMachines/extensions@2024-07-01' = {\n  name: 'x'\n  properties: { settings: { commandToExecute: 'x' } }\n}\n",
    check: [3, "looks like Bicep or Terraform", "az bicep build --file FILE --stdout"],
  },
  {
    what: "what az vm extension list prints",
    file: [
      { name: "cse", publisher: "Microsoft.Azure.Extensions", settings: { commandToExecute: "echo listed" } },
      { name: "monitor", publisher: "Example.Monitor", typePropertiesType: "Agent", type: "x", settings: { level: 3 } },
    ],
    check: [0, "cse: the settings are valid"],
    run: [0, "listed"],
  },
  {
    what: "a resource below a machine's",
    file: {
      type: "Microsoft.Compute/virtualMachines",
      name: "vm",
      properties: {},
      resources: [{ ...arm({ settings: { commandToExecute: "echo below" } }), type: "extensions" }],
    },
    check: [0],
    run: [0, "below"],
  },
  {
    what: "a here-document",
    file: { commandToExecute: "cat >f.txt <<'EOF'\none\ntwo\nEOF\nwc -l <f.txt" },
    check: [0],
    run: [0, "2"],
  },
  {
    what: "typographic quotation marks inside of a text",
    file: { commandToExecute: "echo 'grüße “here”'" },
    check: [0],
    run: [0, "grüße “here”"],
  },
  { what: "no files at all", file: { fileUris: [], commandToExecute: "echo none" }, check: [0], run: [0, "none"] },
  { what: "an empty address", file: { fileUris: [""], commandToExecute: "echo x" }, check: [3, "entry 1"] },
  { what: "a command as a list", file: { commandToExecute: ["sh", "-c", "echo x"] }, check: [3, "a command line"] },
  {
    what: "no protected settings, written down",
    file: { settings: { commandToExecute: "echo open" }, protectedSettings: null },
    check: [0],
    run: [0, "open"],
  },
  {
    what: "JSON with a comment",
    file: '{\n  // run it\n  "commandToExecute": "echo hi"\n}',
    check: [3, "cannot be read as JSON: it is not JSON from character"],
  },
  { what: "one command", file: { commandToExecute: "echo hello" }, check: [0, "valid"], run: [0, "hello"] },
  {
    what: "several commands",
    file: { commandToExecute: "echo one && echo two; echo three" },
    check: [0],
    run: [0, "three"],
  },
  { what: "bash with quotes", file: { commandToExecute: `bash -c 'echo "a b" | wc -w'` }, check: [0], run: [0, "2"] },
  { what: "a line continued", file: { commandToExecute: "echo one \\\n  two\n" }, check: [0], run: [0, "one two"] },
  {
    what: "a command that fails",
    file: { commandToExecute: "echo no package >&2; exit 100" },
    check: [0],
    run: [1, "the command exited with code 100: no package"],
  },
  {
    what: "a file and a command",
    file: { fileUris: ["SERVER/install.sh"], commandToExecute: "sh install.sh now" },
    check: [0],
    run: [0, "ran install.sh now"],
  },
  {
    what: "a file run by its path",
    file: { fileUris: ["SERVER/install.sh"], commandToExecute: "./install.sh" },
    check: [0, "differs  Folders"],
    run: [0, "ran ./install.sh"],
  },
  {
    what: "files in a text with commas",
    file: { fileUris: "SERVER/a.sh, SERVER/b.sh", commandToExecute: "cat a.sh b.sh | wc -l" },
    check: [0],
    run: [0, "4"],
  },
  {
    what: "files as JSON text",
    file: { fileUris: '["SERVER/a.sh"]', commandToExecute: "sh a.sh" },
    check: [0],
    run: [0, "ran a.sh"],
  },
  {
    what: "a name with a blank",
    file: { fileUris: ["SERVER/my%20script.sh"], commandToExecute: "sh 'my script.sh'" },
    check: [0],
    run: [0, "with a blank"],
  },
  {
    what: "the same address twice",
    file: { fileUris: ["SERVER/a.sh", "SERVER/a.sh"], commandToExecute: "sh a.sh" },
    check: [0],
    run: [0, "ran a.sh"],
  },
  {
    what: "two addresses, one name",
    file: { fileUris: ["SERVER/x/a.sh", "SERVER/y/a.sh"], commandToExecute: "sh a.sh" },
    check: [3, "entries 1 and 2 would both be saved as a.sh"],
  },
  { what: "timestamp -1", file: { commandToExecute: "echo again", timestamp: -1 }, check: [0], run: [0, "again"] },
  {
    what: "a timestamp as text",
    file: { commandToExecute: "echo again", timestamp: "1767225600" },
    check: [0],
    run: [0],
  },
  {
    what: "skipDos2Unix as text",
    file: { commandToExecute: "echo plain", skipDos2Unix: "false" },
    check: [0],
    run: [0],
  },
  {
    what: "an inline script",
    file: { script: base64("#!/bin/bash\r\necho from $BASH\r\n") },
    check: [0],
    run: [0, "from /"],
  },
  {
    what: "public and protected",
    file: { settings: { timestamp: 3 }, protectedSettings: { commandToExecute: "echo hidden one" } },
    check: [0],
    run: [0, "hidden one"],
  },
  {
    what: "upstream's fixed path",
    file: { fileUris: ["SERVER/a.sh"], commandToExecute: "sh /var/lib/waagent/custom-script/download/0/a.sh" },
    check: [0, "warning", "write ./NAME"],
    run: [1],
  },
  {
    what: "background work",
    file: { commandToExecute: "nohup sleep 0.1 >/dev/null 2>&1 & echo started" },
    check: [0, "differs  Background work"],
    run: [0, "started"],
  },
  {
    what: "a reboot at the end",
    file: { commandToExecute: "echo would && reboot" },
    check: [0, "differs  Reboot in the command"],
  },
  {
    what: "a key of a storage account and http",
    file: {
      settings: { fileUris: ["http://acc.blob.core.windows.net/c/a.sh"] },
      protectedSettings: { commandToExecute: "sh a.sh", storageAccountName: "acc", storageAccountKey: "a2V5" },
    },
    check: [0, "storageAccountKey is sent over https only"],
  },
  {
    what: "CommandToExecute",
    file: { CommandToExecute: "echo x" },
    check: [3, "did you mean commandToExecute?"],
    run: [3, "did you mean commandToExecute?"],
  },
  {
    what: "an empty command",
    file: { commandToExecute: "" },
    check: [3, "commandToExecute is empty"],
    run: [3, "commandToExecute is empty"],
  },
  {
    what: "files and an empty command",
    file: { fileUris: ["SERVER/a.sh"], commandToExecute: "" },
    check: [3, "commandToExecute is empty"],
  },
  {
    what: "fileUrl",
    file: { commandToExecute: "sh a.sh", fileUrls: ["SERVER/a.sh"] },
    check: [3, "did you mean fileUris?"],
  },
  {
    what: "an ARM resource",
    file: arm({ settings: { commandToExecute: "echo from arm" } }),
    check: [0, "node/CustomScript: the settings are valid"],
    run: [0, "from arm"],
  },
  {
    what: "an ARM template with an expression",
    file: {
      $schema: "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
      resources: [
        arm({
          settings: {
            fileUris: ["[uri(parameters('base'), 'a.sh')]"],
            commandToExecute: "[concat('sh a.sh ', parameters('x'))]",
          },
        }),
      ],
    },
    check: [0, "fileUris is made by a template", "commandToExecute is made by a template"],
    run: [3, "a template makes the value of"],
  },
  {
    what: "a scale set's profile",
    file: {
      properties: {
        virtualMachineProfile: {
          extensionProfile: {
            extensions: [
              {
                name: "setup",
                properties: {
                  publisher: "Microsoft.Azure.Extensions",
                  type: "CustomScript",
                  settings: { commandToExecute: "echo set" },
                },
              },
            ],
          },
        },
      },
    },
    check: [0, "setup: the settings are valid"],
    run: [0, "set"],
  },
  {
    what: "protected settings from a key vault",
    file: arm({ settings: { fileUris: ["SERVER/a.sh"] }, protectedSettingsFromKeyVault: { secretUrl: "https://v/s" } }),
    check: [0, "the protected settings come from a key vault"],
    run: [3, "key vault"],
  },
  {
    what: "the agent's own file",
    file: agents({ commandToExecute: "echo from the agent" }),
    check: [0],
    run: [0, "from the agent"],
  },
  {
    what: "the agent's own file with an envelope",
    file: agents({ timestamp: 1 }, { protectedSettings: "TUlJ", protectedSettingsCertThumbprint: "AB".repeat(20) }),
    check: [0, "only the public settings were checked"],
    run: [3, "encrypted for the machine"],
  },
  {
    what: "the agent's own file without settings",
    file: agents(null, { protectedSettings: null, protectedSettingsCertThumbprint: null }),
    check: [0],
  },
  {
    what: "settings as JSON text",
    file: { publicSettings: '{"commandToExecute": "echo as text"}' },
    check: [0],
    run: [0, "as text"],
  },
  {
    what: "an AzureMachineTemplate in the YAML of a whole cluster",
    file: `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: "\${CLUSTER_NAME}"
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureMachineTemplate
metadata:
  name: workers
spec:
  template:
    spec:
      vmExtensions:
        - name: CustomScript
          publisher: Microsoft.Azure.Extensions
          version: "2.1"
          protectedSettings:
            commandToExecute: |
              #!/bin/sh
              echo from yaml
        - name: CustomScript
          publisher: Microsoft.Azure.Extensions
          version: "2.1"
          settings:
            comandToExecute: echo typo
        - name: AADSSHLoginForLinux
          publisher: Microsoft.Azure.ActiveDirectory
`,
    check: [
      3,
      "AzureMachineTemplate workers: vmExtensions[0] CustomScript: the settings are valid",
      "vmExtensions[1] CustomScript: 1 problem(s)",
      "did you mean commandToExecute?",
      "vmExtensions[2] AADSSHLoginForLinux: the settings are valid",
      "settings of another handler",
    ],
    run: [3, "holds 2 extensions"],
  },
  {
    what: "YAML of one machine pool",
    file: 'kind: AzureMachinePool\nmetadata: {name: pool}\nspec:\n  template:\n    vmExtensions:\n      - name: CustomScript\n        publisher: Microsoft.Azure.Extensions\n        version: "2.1"\n        protectedSettings: {commandToExecute: echo from the pool}\n',
    check: [0, "AzureMachinePool pool: vmExtensions[0] CustomScript: the settings are valid"],
    run: [0, "from the pool"],
  },
  {
    what: "YAML without any extension",
    file: "apiVersion: v1\nkind: ConfigMap\ndata: {}\n",
    check: [3, "holds no settings of an extension"],
    run: [3, "holds no settings of an extension"],
  },
  {
    what: "a broken file",
    file: '{"commandToExecute": "echo x",}',
    check: [3, "cannot be read as JSON"],
    run: [3, "cannot be read as JSON"],
  },
  {
    what: "command and script",
    file: { commandToExecute: "true", script: base64("true") },
    check: [3, "keep one of them"],
    run: [3],
  },
  { what: "another user", file: { commandToExecute: "dir", runAsUser: "admin" }, check: [0] },
  {
    what: "a pin that is too short",
    file: { fileUris: ["SERVER/a.sh#sha256=abc"], commandToExecute: "sh a.sh" },
    check: [3, "is no pin"],
  },
];

async function cli(args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const written: string[] = [];
  const catchText = (text: unknown): boolean => written.push(String(text)) > 0;
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, "write").mockImplementation(catchText),
  );
  try {
    return { code: await runCli(args, checkHost()), text: written.join("") };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

function fileOf({ file }: Form): string {
  const path = join(mkdtempSync(join(tmpdir(), "forms-")), "settings");
  const text = typeof file === "string" ? file : JSON.stringify(file);
  writeFileSync(path, Buffer.isBuffer(file) ? file : text.replaceAll("SERVER", server.origin));
  return path;
}

test("there are at least 30 forms, each with a name of its own", () => {
  expect(forms.length).toBeGreaterThanOrEqual(30);
  expect(new Set(forms.map(({ what }) => what)).size).toBe(forms.length);
});

test.each(forms)("settings check says before it runs what becomes of it: $what", async (form) => {
  const [code, ...words] = form.check;
  const answer = await cli(["settings", "check", fileOf(form)]);
  for (const word of words) expect(answer.text).toContain(word);
  expect(answer.code).toBe(code);
});

test.each(forms.filter(({ run }) => run !== undefined))("run does it: $what", async (form) => {
  const [code, ...words] = form.run ?? [0];
  const answer = await cli(["run", "--quiet", "--settings", fileOf(form)]);
  for (const word of words) expect(answer.text).toContain(word);
  expect(answer.code).toBe(code);
});
