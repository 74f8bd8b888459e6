import { describe, expect, test } from "@jest/globals";
import { problemsOfCapzEntry } from "../../../../handler/operations/people/capz-entry.ts";

const good = { name: "CAPZ.Linux.Bootstrapping", publisher: "Example.ClusterApi", version: "2.0" };

function messagesOf(entry: Readonly<Record<string, unknown>>, machine: Readonly<Record<string, unknown>> = {}) {
  return problemsOfCapzEntry({ ...good, ...entry }, machine).map(({ message }) => message);
}

const isNoText = (what: string) => `${what}; CAPZ takes texts alone: put the value in quotation marks`;

describe("an entry of vmExtensions", () => {
  test.each([
    ["the least", {}, {}],
    [
      "texts alone",
      { settings: { timeoutSeconds: "900", fileUris: '["https://a.example/a"]' }, protectedSettings: {} },
      {},
    ],
    ["one that clusterctl completes", { name: "${NAME}", publisher: "${PUBLISHER}", version: "${VERSION}" }, {}],
    ["one that a ClusterClass completes", { version: "{{ .version }}" }, {}],
    ["its own system", {}, { osDisk: { osType: "Linux" } }],
    ["a system that is not told", { name: "CAPZ.Windows.Bootstrapping" }, { osDisk: { diskSizeGB: 30 } }],
    ["a system that clusterctl tells", {}, { osDisk: { osType: "${OS}" } }],
    ["the Custom Script extension", { name: "CustomScript", version: "2.1.10" }, { osDisk: { osType: "Windows" } }],
    ["extension operations that are on", {}, { disableExtensionOperations: false }],
  ])("that is good: %s", (_, entry, machine) => {
    expect(messagesOf(entry, machine)).toEqual([]);
  });

  test.each([
    [
      "what the API server refuses in the maps",
      { settings: { timeoutSeconds: 900, echoToConsole: false, a: null }, protectedSettings: { commandToExecute: 5 } },
      [
        isNoText("settings.timeoutSeconds is a number"),
        isNoText("settings.echoToConsole is a boolean"),
        isNoText("settings.a is empty"),
        isNoText("protectedSettings.commandToExecute is a number"),
      ],
    ],
    [
      "lists and mappings",
      { settings: { fileUris: ["https://a.example/a"], managedIdentity: {} } },
      [
        "settings.fileUris is a list; CAPZ takes texts alone: write its JSON in quotation marks",
        "settings.managedIdentity is a mapping; CAPZ takes texts alone: write its JSON in quotation marks",
      ],
    ],
    [
      "settings as one text",
      { settings: '{"mode":"observe"}', protectedSettings: [] },
      [
        "settings is a string; CAPZ takes a mapping of names to texts",
        "protectedSettings is a list; CAPZ takes a mapping of names to texts",
      ],
    ],
    [
      "what is missing",
      { name: undefined, publisher: "", version: null },
      ["name", "publisher", "version"].map((key) => `${key} is missing; CAPZ needs it`),
    ],
    [
      "texts that are none",
      { name: 1, publisher: true, version: 2 },
      [
        'name is a number; CAPZ takes a text in quotation marks, such as "CAPZ.Linux.Bootstrapping"',
        "publisher is a boolean; CAPZ takes a text in quotation marks",
        'version is a number; CAPZ takes a text in quotation marks, such as "2.0"',
      ],
    ],
    [
      "a field of ARM",
      { typeHandlerVersion: "2.0" },
      [
        "typeHandlerVersion is no field of vmExtensions; allowed: name, publisher, version, settings, protectedSettings",
      ],
    ],
  ])("tells %s", (_, entry, expected) => {
    expect(messagesOf(entry)).toEqual(expected);
  });

  test.each(["my-ext", "CAPZ.Linux.Bootstraping", "capz.linux.bootstrapping"])("tells the name %s", (name) => {
    expect(messagesOf({ name })).toEqual([
      `name is "${name}"; allowed: CAPZ.Linux.Bootstrapping, CAPZ.Windows.Bootstrapping, because CAPZ makes it the type that Azure looks for`,
    ]);
  });

  test.each(["2", "2.0.0", "latest", "2.x"])("tells the version %s", (version) => {
    expect(messagesOf({ version })).toEqual([
      `version is "${version}"; allowed: two numbers, such as "2.0", of which Azure takes the newest patch`,
    ]);
  });

  test.each([
    ["CAPZ.Windows.Bootstrapping", "Linux"],
    ["CAPZ.Linux.Bootstrapping", "Windows"],
  ])("tells %s on %s", (name, osType) => {
    expect(messagesOf({ name }, { osDisk: { osType } })).toEqual([
      `name is "${name}", and osDisk.osType is "${osType}": the extension does not run there`,
    ]);
  });

  test("tells a machine that takes no extensions", () => {
    expect(messagesOf({}, { disableExtensionOperations: true })).toEqual([
      "disableExtensionOperations is true beside vmExtensions: CAPZ refuses the two together; leave it out",
    ]);
  });
});
