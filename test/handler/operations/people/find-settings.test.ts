import { describe, expect, test } from "@jest/globals";
import { findSettings, type FoundSettings } from "../../../../handler/operations/people/find-settings.ts";
import { expandPatches } from "../../../../handler/operations/people/expand-patches.ts";
import { namesFirstExtension } from "../../../../handler/operations/people/first-extension.ts";

const settings = { mode: "observe" };
const publisher = "Example.ClusterApi";
const type = "CAPZ.Linux.Bootstrapping";
const flat = { name: type, publisher, settings };
const ofTemplate = { name: "vm/x", properties: { publisher, type, settings } };
const ofCapz = (...vmExtensions: readonly unknown[]) => ({
  apiVersion: "v1",
  kind: "AzureMachine",
  spec: { vmExtensions },
});
const ofDeployment = (parameters: object) => ({
  $schema: "https://x.example/2019/deploymentParameters.json#",
  parameters,
});
const ofAgent = (handlerSettings: unknown) => ({ runtimeSettings: [{ handlerSettings }] });
const ofPlan = (resource: object, ...changes: readonly unknown[]) => ({
  planned_values: { root_module: { resources: [resource] } },
  resource_changes: changes,
});
const terraform = "azurerm_virtual_machine_extension";
const planned = { address: "a.x", type: terraform, values: { settings: '{"mode":"observe"}' } };
const applied = "are known to Terraform only when it applies the plan";
/** `inner` below so many objects, each of which is the only field of the one around it. */
const below = (levels: number, inner: unknown): unknown =>
  Array.from({ length: levels }).reduce((value) => ({ a: value }), inner);
const inLists = (levels: number, inner: unknown): unknown =>
  Array.from({ length: levels }).reduce((value) => [value], inner);

type Found = Partial<Record<keyof FoundSettings, unknown>>;

/** A document and each extension in it: those of its fields that matter there. */
const documents: readonly (readonly [what: string, document: unknown, ...found: readonly Found[]])[] = [
  ["nothing", undefined],
  ["a list with an empty entry", [{}, flat, 1, "ab"], { publicSettings: settings }],
  ["the empty settings", {}, { name: undefined, publicSettings: {}, hidden: undefined }],
  ...["apiVersion", "$schema", "resources", "runtimeSettings", "vmExtensions", "items"].map(
    (key) => [`a document with ${key}, and a word that is a setting's`, { [key]: "x", ...settings }] as const,
  ),
  [
    "settings of which one is known",
    { colour: "blue", ...settings },
    { publicSettings: { colour: "blue", ...settings } },
  ],
  [
    "settings without a template around them",
    { settings: { mode: "[x]" } },
    { publicSettings: { mode: "[x]" }, unresolved: [] },
  ],

  ["parameters that are none", ofDeployment([])],
  ["a parameter without a value", ofDeployment({ vmName: "x", timeoutSeconds: { reference: {} } })],
  [
    "an object that is not named settings",
    ofDeployment({ appConfig: { value: settings }, settingsOfApp: { value: settings } }),
  ],
  ["settings that are no object", ofDeployment({ settings: { value: "observe" } })],
  [
    "parameters of both kinds",
    ofDeployment({
      settings: { value: settings },
      protectedSettings: { value: { commandToExecute: "true" } },
      image: { value: "WindowsServer-2022" },
    }),
    { publicSettings: settings, protectedSettings: { commandToExecute: "true" }, hidden: undefined, system: "windows" },
  ],
  [
    "a parameter that only begins like the protected ones",
    ofDeployment({ settings: { value: settings }, protectedSettingsVault: { value: "kv-1" }, os: { value: "Linux" } }),
    { publicSettings: settings, protectedSettings: undefined, system: "linux" },
  ],
  [
    "protected settings of a key vault",
    ofDeployment({ protected_settings: { reference: { secretName: "s" } } }),
    { name: "parameters of a deployment", hidden: { kind: "elsewhere", where: "come from a key vault" } },
  ],

  ["an extension of ARM with settings alone", { properties: { publisher, settings } }, { name: "extension" }],
  [
    "with protected ones alone",
    { properties: { publisher, protectedSettings: settings } },
    { protectedSettings: settings },
  ],
  ["with its type alone", { properties: { publisher, type } }, { publicSettings: undefined, foreign: false }],
  ["a plan of an image", { properties: { publisher: "Canonical", offer: "ubuntu" } }],
  ["a body without its publisher", { properties: { settings: { ...settings, own: 1 } } }, { foreign: false }],
  ["another resource with settings", { properties: { settings: { colour: "blue" } } }],
  ["its own name before that within", { name: "outer", properties: { ...flat, name: "inner" } }, { name: "outer" }],
  ["metadata without a kind", { metadata: { name: "m" }, ...ofTemplate }, { name: "vm/x" }],
  [
    "a kind without a name",
    { kind: "Extension", spec: { publisher, settings } },
    { name: "Extension without a name: extension" },
  ],
  [
    "a document within another, named for the outer one",
    { kind: "List", metadata: { name: "l" }, items: [{ kind: "Extension", metadata: { name: "e" }, spec: flat }] },
    { name: `List l: ${type}` },
  ],
  [
    "a document within one without a kind",
    { all: [{ kind: "Extension", metadata: { name: "e" }, spec: flat }] },
    { name: `Extension e: ${type}` },
  ],
  ["an image, by its publisher", { spec: { name: "x", publisher: "Canonical", sku: "24_04" } }],
  ["settings whose text is no JSON", { spec: { publisher, settings: "mode=observe" } }],
  ["settings that are a number", { spec: { publisher, settings: 5 } }],
  ["settings of something without a publisher", { spec: { settings } }],
  ["as deep as is looked", below(40, flat), { name: type }],
  ["deeper", below(41, flat)],
  ["objects without an end", below(100_000, flat)],
  ["lists without an end", { a: inLists(100_000, flat) }],

  ["a resource of Terraform", { values: planned.values, type: terraform }, { name: "extension" }],
  [
    "a body within a body of azapi, without an end",
    {
      values: { body: Array.from({ length: 8 }).reduce((body: string) => JSON.stringify({ values: { body } }), "{}") },
    },
  ],
  ["a plan", ofPlan(planned, "x", {}, { change: 1 }), { name: "a.x", hidden: undefined }],
  [
    "a plan of a known extension",
    ofPlan(planned, { address: "a.x", change: { after_unknown: { settings: true } } }),
    { hidden: undefined },
  ],
  [
    "a change without an address",
    ofPlan(planned, { change: { after_unknown: { protected_settings: true } } }),
    { hidden: undefined },
  ],
  [
    "a change of nothing unknown",
    ofPlan(planned, { address: "a.x", change: { after_unknown: true } }),
    { hidden: undefined },
  ],
  [
    "protected settings that are not known yet, of one of two",
    {
      planned_values: { all: [planned, { ...planned, address: "a.y" }, { address: "a.y" }, 1] },
      resource_changes: [{ address: "a.y", change: { after_unknown: { protected_settings: true } } }],
    },
    { name: "a.x", hidden: undefined },
    { name: "a.y", hidden: { kind: "elsewhere", where: applied } },
  ],

  [
    "a change and a resource that both have no address",
    ofPlan({ ...planned, address: undefined }, { change: { after_unknown: { protected_settings: true } } }),
    { name: "extension", hidden: undefined },
  ],
  [
    "extensions that are not known yet, as deep as is looked",
    {
      planned_values: { all: [below(37, planned), inLists(37, planned)] },
      resource_changes: [{ address: "a.x", change: { after_unknown: { protected_settings: true } } }],
    },
    { name: "a.x", hidden: { kind: "elsewhere", where: applied } },
    { name: "a.x", hidden: { kind: "elsewhere", where: applied } },
  ],
  ["a plan without an end", { planned_values: { objects: below(100_000, 1), lists: inLists(100_000, 1) } }],

  ["the agent's file without settings", { runtimeSettings: [{}, 5] }],
  [
    "the agent's file with protected settings in the clear",
    ofAgent({ publicSettings: settings, protectedSettings: { commandToExecute: "true" } }),
    { publicSettings: settings, protectedSettings: { commandToExecute: "true" }, hidden: undefined },
  ],
  [
    "the agent's file",
    ofAgent({ protectedSettings: "MII", protectedSettingsCertThumbprint: "AB" }),
    { protectedSettings: undefined, hidden: { kind: "encrypted", protectedText: "MII", thumbprint: "AB" } },
  ],

  ["what is no entry of CAPZ's", ofCapz("x", 1)],
  ["an entry without a name", ofCapz({ settings }), { name: "AzureMachine without a name: vmExtensions[0]" }],
  [
    "a name of blanks",
    ofCapz({ name: " ", settings }),
    { name: "AzureMachine without a name: vmExtensions[0]", foreign: false },
  ],
  [
    "a name with blanks around it",
    ofCapz({ name: " x ", settings }),
    { name: "AzureMachine without a name: vmExtensions[0] x" },
  ],

  [
    "an answer of Azure",
    { ...flat, provisioningState: "Succeeded" },
    { hidden: { kind: "elsewhere", where: expect.stringContaining("Azure's answer") } },
  ],
  [
    "an answer with its command",
    { ...flat, provisioningState: "x", settings: { commandToExecute: "y" } },
    { hidden: undefined },
  ],
  [
    "an answer with its script",
    { ...flat, provisioningState: "x", settings: { script: "eQ==" } },
    { hidden: undefined },
  ],
  [
    "a key vault beside the settings",
    { ...flat, protectedSettingsFromKeyVault: {} },
    { hidden: { kind: "elsewhere", where: "come from a key vault" } },
  ],
  [
    "a Secret",
    { ...flat, protectedSettings: { name: "s", key: "k" } },
    { protectedSettings: undefined, hidden: { kind: "elsewhere", where: "stand in a Secret" } },
  ],

  [
    "settings that are one expression",
    { name: "x", properties: { publisher, settings: "[parameters('s')]" } },
    { publicSettings: undefined, unresolved: ["all of it"] },
  ],
  [
    "values that are expressions",
    {
      ...flat,
      settings: {
        timeoutSeconds: "[variables('t')]",
        mode: "${MODE}",
        logLevel: "{{ .level }}",
        own: "[x]",
        fileUris: ["https://a.example/a", "[x]"],
      },
    },
    {
      unresolved: ["timeoutSeconds", "mode", "logLevel", "fileUris"],
      publicSettings: expect.objectContaining({ own: "[x]", mode: expect.stringMatching(/^[a-z]+$/u) }),
    },
  ],
  ...["a${X}", "${X}b", "a[x]", "[x]b", "[[x]", '["x"]', "a{{x}}", "{{x}}b"].map(
    (commandToExecute) =>
      [
        `no expression: ${commandToExecute}`,
        { ...flat, settings: { commandToExecute } },
        { unresolved: [], publicSettings: { commandToExecute } },
      ] as const,
  ),

  [
    "another handler",
    { ...flat, name: "OmsAgent", type: "OmsAgent", settings: { workspaceId: "1" } },
    { foreign: true },
  ],
  [
    "another name, and a setting of ours",
    { ...flat, name: "x", settings: { ...settings, own: 1 } },
    { foreign: false },
  ],
  [
    "another name, and the type of the Custom Script handler",
    { ...flat, name: "x", type: "CustomScript", settings: { own: 1 } },
    { foreign: false, system: "linux" },
  ],
];

test.each(documents)("findSettings finds what a document holds, and no more: %s", (_, document, ...found) => {
  expect(findSettings(document)).toEqual(found.map((fields) => expect.objectContaining(fields)));
});

describe("a patch of a ClusterClass", () => {
  const read = (text: string) => [text];
  const patch = (path: unknown, more: object = { value: [1] }) => ({ path, ...more });
  const template = (text: string) => ({ valueFrom: { template: text } });

  test.each([
    ["of the whole list", patch("/spec/vmExtensions"), { vmExtensions: [1] }],
    [
      "of the whole list, made by a template",
      patch("/spec/vmExtensions", template("a\nb")),
      { vmExtensions: ["a\nb"] },
    ],
    ["of one entry", patch("/spec/vmExtensions/-", { value: 1 }), { vmExtensions: [1] }],
    ["of entry 10", patch("/spec/vmExtensions/10", { value: 1 }), { vmExtensions: [1] }],
    [
      "of one entry, made by a template",
      patch("/vmExtensions/0", template("a:\n  b: 1")),
      { vmExtensions: ["- a:\n    b: 1"] },
    ],
    ["of the list, with what is none", patch("/vmExtensions", { value: 1 }), undefined],
    ["of one entry, without it", patch("/vmExtensions/-", {}), undefined],
    ["of something within an entry", patch("/vmExtensions/0/settings", { value: 1 }), undefined],
    ["of another list", patch("/spec/dataDisks"), undefined],
    ["without a path", patch(["/vmExtensions"]), undefined],
  ])("%s", (_, value, expanded) => {
    expect(expandPatches({ patches: [value] }, read)).toEqual({ patches: [expanded ?? value] });
  });

  test("is expanded as deep as settings are looked for, and no deeper", () => {
    const value = patch("/vmExtensions");
    expect(expandPatches(below(40, value), read)).toEqual(below(40, { vmExtensions: [1] }));
    expect(expandPatches(below(41, value), read)).toEqual(below(41, value));
    for (const endless of [below(100_000, 1), inLists(100_000, 1)])
      expect(() => expandPatches(endless, read)).not.toThrow();
  });
});

const entry = { name: "CAPZ.Linux.Bootstrapping", publisher: "Example.ClusterApi", version: "2.0", settings: {} };

test.each([
  ["Microsoft's publisher", { publisher: "Microsoft.Azure.ContainerUpstream" }],
  ["version 1.0", { version: "1.0" }],
  ["version 1.1, as for Arm64", { version: "1.1" }],
  ["version 1.1.1 of ARM", { version: undefined, typeHandlerVersion: "1.1.1" }],
])("%s under CAPZ's names is CAPZ's first extension", (_, change) => {
  expect(namesFirstExtension({ ...entry, ...change })).toBe(true);
});

test.each([
  ["this extension", {}],
  ["version 10.0 of it", { version: "10.0" }],
  ["version 2.1.0 of it", { version: "2.1.0" }],
  ["version 1.0 of another extension", { name: "CustomScript", version: "1.0" }],
  ["a version that is no text", { version: 1.1 }],
  ["a name that is no text", { name: ["CAPZ.Linux.Bootstrapping"], version: "1.0" }],
  ["version 1.0 of one whose name only ends like it", { name: "My.CAPZ.Linux.Bootstrapping", version: "1.0" }],
  ["version 1.0 of one whose name only begins like it", { name: "CAPZ.Linux.BootstrappingProbe", version: "1.0" }],
])("%s is not", (_, change) => {
  expect(namesFirstExtension({ ...entry, ...change })).toBe(false);
});

test("it is seen in CAPZ's YAML and in an ARM resource", () => {
  const capz = { kind: "AzureMachine", apiVersion: "v1", spec: { vmExtensions: [{ ...entry, version: "1.0" }] } };
  const properties = { publisher: "Microsoft.Azure.ContainerUpstream", type: "CAPZ.Linux.Bootstrapping", settings: {} };
  for (const document of [capz, { name: "vm/x", properties }])
    expect(findSettings(document).map(({ isFirstExtension }) => isFirstExtension)).toEqual([true]);
});
