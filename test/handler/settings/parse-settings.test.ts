import { expect, test } from "@jest/globals";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { parseSettings } from "../../../handler/settings/parse-settings.ts";
import { settingsError } from "../../../handler/settings/settings-error.ts";
import type { Settings, SettingsProblem } from "../../../handler/settings/settings.ts";

const guid = "11111111-2222-3333-4444-555555555555";

function valid(publicSettings: unknown, protectedSettings?: unknown): Settings {
  const parsed = parseSettings({ publicSettings, protectedSettings });
  if (parsed.kind === "invalid") throw new Error(parsed.problems.map((problem) => problem.message).join("; "));
  return parsed.settings;
}

function problems(publicSettings: unknown, protectedSettings?: unknown): readonly SettingsProblem[] {
  const parsed = parseSettings({ publicSettings, protectedSettings });
  return parsed.kind === "invalid" ? parsed.problems : [];
}

function problemKeys(publicSettings: unknown, protectedSettings?: unknown): readonly string[] {
  return problems(publicSettings, protectedSettings).map((problem) => problem.key);
}

function warnings(publicSettings: unknown, protectedSettings?: unknown): readonly string[] {
  return parseSettings({ publicSettings, protectedSettings }).warnings.map((warning) => warning.message);
}

function revealed(secrets: readonly { reveal(): string }[]): readonly string[] {
  return secrets.map((secret) => secret.reveal());
}

const defaults = {
  check: { kind: "bundle", version: undefined, sha256: undefined, baseUris: [], required: false },
  timeoutSeconds: 1200,
  pollSeconds: 15,
  graceSeconds: 10,
  aftercareSeconds: 600,
  mode: "enforce",
  bootstrapProvider: "auto",
  proxy: undefined,
  echoToConsole: true,
  reportUploadUri: undefined,
  reportUploadMethod: "PUT",
  reportUploadAuthorization: undefined,
  logLevel: "info",
  storage: { kind: "anonymous" },
};

test.each([
  ["nothing", undefined, undefined],
  ["{} (the Custom Script handler: success without a command)", {}, {}],
  ["null", null, null],
  ["empty texts (schema: ProtectedSettings_empty)", "", ""],
  ["{} as a text", "{}", "{}"],
  ["all keys null", { commandToExecute: null, mode: null }, { script: null, managedIdentity: null }],
])("no settings mean the probe with all defaults: %s", (_case, publicSettings, protectedSettings) => {
  expect(valid(publicSettings, protectedSettings)).toEqual(defaults);
});

test("every value is read in its own type", () => {
  const settings = valid({
    timeoutSeconds: 300,
    pollSeconds: 5,
    graceSeconds: 0,
    aftercareSeconds: 3600,
    mode: "observe",
    bootstrapProvider: "rke2",
    checkVersion: "1.2.0",
    checkSha256: "AB".repeat(32),
    checkBaseUris: ["https://a.example.com/x", "http://127.0.0.1:8080/y"],
    checkRequired: true,
    echoToConsole: false,
    timestamp: 1767225600,
  });
  expect(settings).toMatchObject({
    timeoutSeconds: 300,
    pollSeconds: 5,
    graceSeconds: 0,
    aftercareSeconds: 3600,
    mode: "observe",
    bootstrapProvider: "rke2",
    echoToConsole: false,
  });
  if (settings.check.kind !== "bundle") throw new Error("a bundle was expected");
  expect(settings.check).toMatchObject({ version: "1.2.0", sha256: "ab".repeat(32), required: true });
  expect(revealed(settings.check.baseUris)).toEqual(["https://a.example.com/x", "http://127.0.0.1:8080/y"]);
});

test("every value is accepted as a text (Cluster API's Azure provider carries only texts)", () => {
  const asTexts = {
    timeoutSeconds: "300",
    pollSeconds: " 5 ",
    graceSeconds: "0",
    aftercareSeconds: "3600",
    checkRequired: "true",
    echoToConsole: "False",
    timestamp: "1767225600",
    checkBaseUris: '["https://a.example.com/x","https://b.example.com/y"]',
  };
  const settings = valid(asTexts, { managedIdentity: "{}" });
  expect(settings).toMatchObject({ timeoutSeconds: 300, pollSeconds: 5, graceSeconds: 0, aftercareSeconds: 3600 });
  expect(settings).toMatchObject({ echoToConsole: false, storage: { kind: "managed-identity" } });
  if (settings.check.kind !== "bundle") throw new Error("a bundle was expected");
  expect(settings.check.required).toBe(true);
  expect(settings.check.baseUris).toHaveLength(2);
});

test("a list may be texts with commas between them; a comma inside an address does not part it", () => {
  const settings = valid({
    commandToExecute: "sh a.sh",
    fileUris: "https://a.example.com/x,1.sh, https://b.example.com/y.sh?sig=a,b,http://c.example.com/z",
  });
  if (settings.check.kind !== "command") throw new Error("a command was expected");
  expect(revealed(settings.check.fileUris.map(({ uri }) => uri))).toEqual([
    "https://a.example.com/x,1.sh",
    "https://b.example.com/y.sh?sig=a,b",
    "http://c.example.com/z",
  ]);
});

test("CAPZ's own settings work: a command in the protected settings, nothing else", () => {
  const command = 'sh -c "while [ ! -f /run/cluster-api/bootstrap-success.complete ]; do sleep 5; done"';
  const settings = valid({}, { commandToExecute: command });
  if (settings.check.kind !== "command" || settings.check.command.kind !== "line")
    throw new Error("a line was expected");
  expect(settings.check.command.line.reveal()).toBe(command);
  expect(settings.check.skipDos2Unix).toBe(false);
});

test.each([
  ["commandToExecute", "commandToExecute", "date"],
  ["script", "script", "ZGF0ZQo="],
  ["fileUris", "fileUris", ["https://example.com/a.sh"]],
])("the protected value is used when there is no public one: %s", (_name, key, value) => {
  const command = key === "fileUris" ? { commandToExecute: "date" } : {};
  expect(valid(command, { [key]: value }).check.kind).toBe("command");
  expect(valid({ ...command, [key]: "" }, { [key]: value }).check.kind).toBe("command");
});

test("skipDos2Unix is false unless set (also as a text)", () => {
  for (const [value, expected] of [
    [undefined, false],
    [true, true],
    ["true", true],
    ["FALSE", false],
  ] as const) {
    expect(valid({ commandToExecute: "date", skipDos2Unix: value }).check).toMatchObject({ skipDos2Unix: expected });
  }
});

// ---- the rules of the Custom Script handler over several keys; it documents them and skips them at run time ----

test("command twice, script twice, files twice: a key in public and protected settings is refused", () => {
  expect(problemKeys({ commandToExecute: "a" }, { commandToExecute: "b" })).toEqual(["commandToExecute"]);
  expect(problemKeys({ script: "YQ==" }, { script: "YQ==" })).toEqual(["script"]);
  const fileUris = ["https://example.com/a"];
  expect(problemKeys({ commandToExecute: "a", fileUris }, { fileUris })).toEqual(["fileUris"]);
  expect(problemKeys({ timeoutSeconds: 60 }, { timeoutSeconds: 60 })).toEqual(["timeoutSeconds"]);
});

test("command and script together are an error, in every combination of places (Custom Script: runs the command)", () => {
  const both = { commandToExecute: "date", script: "ZGF0ZQo=" };
  expect(problemKeys(both)).toEqual(["script"]);
  expect(problemKeys({}, both)).toEqual(["script"]);
  expect(problemKeys({ commandToExecute: "date" }, { script: "ZGF0ZQo=" })).toEqual(["script"]);
  expect(problemKeys({ script: "ZGF0ZQo=" }, { commandToExecute: "date" })).toEqual(["script"]);
});

test("files without a command are an error of their own code", () => {
  const found = problems({ fileUris: ["https://example.com/a.sh"] });
  expect(found).toMatchObject([{ key: "fileUris", errorId: "commandMissing" }]);
  expect(settingsError(found).code.number).toBe(23);
});

test("a command that is there but wrong is not called missing as well", () => {
  expect(problemKeys({ commandToExecute: ["date"], fileUris: ["https://example.com/a.sh"] })).toEqual([
    "commandToExecute",
  ]);
});

test("storage name without key, and key without name", () => {
  expect(problemKeys({}, { storageAccountName: "examplestorage" })).toEqual(["storageAccountKey"]);
  expect(problemKeys({}, { storageAccountKey: "YQ==" })).toEqual(["storageAccountName"]);
});

test("storage name and key together give access by key", () => {
  const { storage } = valid({}, { storageAccountName: "examplestorage", storageAccountKey: "a2V5" });
  expect(storage).toMatchObject({ kind: "account-key", account: "examplestorage" });
  expect(storage.kind === "account-key" && storage.key.reveal()).toBe("a2V5");
});

test.each([
  ["{} is the system-assigned identity", {}, { kind: "managed-identity" }],
  ["clientId", { clientId: guid }, { kind: "managed-identity", clientId: guid }],
  ["objectId", { objectId: guid }, { kind: "managed-identity", objectId: guid }],
  [
    "upper-case GUID",
    { clientId: guid.replaceAll("1", "A") },
    { kind: "managed-identity", clientId: guid.replaceAll("1", "A") },
  ],
  ["unknown sub-keys", { clientId: guid, other: 1 }, { kind: "managed-identity", clientId: guid }],
  ["JSON text", `{"objectId":"${guid}"}`, { kind: "managed-identity", objectId: guid }],
  ["absent", undefined, { kind: "anonymous" }],
])("managedIdentity: %s", (_case, managedIdentity, storage) => {
  expect(valid({}, { managedIdentity }).storage).toEqual(storage);
});

test.each([
  ["both ids", { clientId: guid, objectId: guid }],
  ["no GUID", { clientId: "my-identity" }],
  ["a number as id", { objectId: 5 }],
  ["a list", []],
  ["not JSON", "system"],
  ["empty text", ""],
])("managedIdentity is refused: %s", (_case, managedIdentity) => {
  expect(problemKeys({}, { managedIdentity })).toEqual(["managedIdentity"]);
});

test("managedIdentity with a storage key is an error", () => {
  const credentials = { managedIdentity: {}, storageAccountName: "examplestorage", storageAccountKey: "a2V5" };
  expect(problemKeys({}, credentials)).toEqual(["managedIdentity"]);
});

test.each(["storageAccountName", "storageAccountKey", "managedIdentity"])(
  "%s in the public settings is refused",
  (key) => {
    const others =
      key === "storageAccountName"
        ? { storageAccountKey: "a2V5" }
        : key === "storageAccountKey"
          ? { storageAccountName: "abc" }
          : {};
    const found = problems({ [key]: key === "managedIdentity" ? {} : "examplestorage" }, others);
    expect(found.map((problem) => problem.key)).toEqual([key]);
    expect(found[0]?.message).toContain("protected");
  },
);

// ---- single values ----

test.each([
  ["commandToExecute", ["date"]],
  ["commandToExecute", true],
  ["script", true],
  ["fileUris", ["a"]],
  ["fileUris", ["https://example.com/a", 5]],
  ["fileUris", 5],
  ["fileUris", '["https://example.com/a"'],
  ["fileUris", ["ftp://example.com/a"]],
  ["fileUris", ["file:///etc/passwd"]],
  ["fileUris", ["https:example.com/a"]],
  ["fileUris", "a,b"],
  ["skipDos2Unix", "yes"],
  ["skipDos2Unix", 1],
  ["timestamp", "yesterday"],
  ["timestamp", 1.5],
  ["timeoutSeconds", 29],
  ["timeoutSeconds", 5101],
  ["timeoutSeconds", "300s"],
  ["timeoutSeconds", "3e2"],
  ["timeoutSeconds", ""],
  ["timeoutSeconds", 300.5],
  ["timeoutSeconds", [300]],
  ["pollSeconds", 0],
  ["pollSeconds", 301],
  ["graceSeconds", -1],
  ["graceSeconds", 121],
  ["aftercareSeconds", 3601],
  ["mode", "Enforce"],
  ["mode", ""],
  ["bootstrapProvider", "talos"],
  ["checkVersion", "../1.0.0"],
  ["checkVersion", "a/b"],
  ["checkVersion", ""],
  ["checkSha256", "abc"],
  ["checkSha256", "g".repeat(64)],
  ["checkSha256", ""],
  ["checkBaseUris", ["http://example.com/x"]],
  ["checkBaseUris", ["http://127.0.0.1.example.com/x"]],
  ["checkBaseUris", ["http://localhost.example.com/x"]],
  ["checkRequired", "maybe"],
  ["echoToConsole", {}],
  ["proxy", "proxy.example.com:3128"],
  ["proxy", "socks5://proxy.example.com"],
  ["proxy", ["http://proxy.example.com"]],
  ["reportUploadUri", "http://example.com/reports"],
])("%s: %j is refused", (key, value) => {
  const command = key === "fileUris" ? { commandToExecute: "date" } : {};
  const found = problems({ ...command, [key]: value });
  expect(found.map((problem) => problem.key)).toEqual([key]);
  expect(found[0]?.message).toMatch(/^\w+ is .+; allowed: .+/);
});

test.each([
  ["empty", ""],
  ["two characters", "ab"],
  ["25 characters", "a".repeat(25)],
  ["a dash", "example-storage"],
  ["a blank before", " examplestorage"],
  ["a blank after", "examplestorage "],
  ["a dot", "example.storage"],
  ["upper case", "ExampleStorage"],
])("storageAccountName is refused: %s", (_case, storageAccountName) => {
  expect(problemKeys({}, { storageAccountName, storageAccountKey: "a2V5" })).toEqual(["storageAccountName"]);
});

test.each([
  ["empty", ""],
  ["not base64", "a key!"],
  ["one = missing", "YQ="],
  ["blanks", "YQ== "],
])("storageAccountKey is refused: %s", (_case, storageAccountKey) => {
  expect(problemKeys({}, { storageAccountName: "examplestorage", storageAccountKey })).toEqual(["storageAccountKey"]);
});

test.each(["YQ==", "YWI=", "YWJj"])("storageAccountKey is accepted: %s", (storageAccountKey) => {
  expect(valid({}, { storageAccountName: "examplestorage", storageAccountKey }).storage.kind).toBe("account-key");
});

test("an empty list of files counts as none", () => {
  expect(valid({ fileUris: [] }).check.kind).toBe("bundle");
  expect(valid({ fileUris: "[]" }).check.kind).toBe("bundle");
});

test.each([
  ["a list", []],
  ["a number", 5],
  ["a text that is no JSON", "mode=observe"],
])("settings that are no object are refused: %s", (_case, value) => {
  expect(problemKeys(value)).toEqual(["publicSettings"]);
  expect(problemKeys({}, value)).toEqual(["protectedSettings"]);
});

// ---- script ----

function scriptBytes(script: string): string {
  const { check } = valid({}, { script });
  if (check.kind !== "command" || check.command.kind !== "script") throw new Error("a script was expected");
  return check.command.bytes.toString("utf8");
}

test("a script is decoded from base64, with line ends in the base64 too", () => {
  const source = "#!/bin/sh\nexit 0\n";
  const encoded = Buffer.from(source).toString("base64");
  expect(scriptBytes(encoded)).toBe(source);
  expect(scriptBytes(`${encoded.slice(0, 8)}\r\n${encoded.slice(8)}\n`)).toBe(source);
});

test("a script that is compressed with gzip is inflated", () => {
  expect(scriptBytes(gzipSync("#!/bin/sh\nexit 0\n").toString("base64"))).toBe("#!/bin/sh\nexit 0\n");
});

test.each([
  ["bad base64 (Custom Script: success, never run)", "this is not base64!", /not base64/],
  ["base64 that was cut off", Buffer.from("#!/bin/sh\nexit 0\n").toString("base64").slice(0, -3), /cut off/],
  ["349 KB (Custom Script: success, never run)", "A".repeat(349_000), /at most 262144/],
  ["damaged gzip", gzipSync("#!/bin/sh\nexit 0\n").subarray(0, 20).toString("base64"), /damaged/],
  ["gzip of nothing", gzipSync("").toString("base64"), /empty/],
  ["a gzip bomb", gzipSync(Buffer.alloc(64 * 1024 * 1024)).toString("base64"), /larger than 1048576/],
])("a script is refused with its own code: %s", (_case, script, reason) => {
  const found = problems({}, { script });
  expect(found).toMatchObject([{ key: "script", errorId: "scriptInvalid", message: expect.stringMatching(reason) }]);
  expect(settingsError(found).code.number).toBe(25);
});

test("a script of exactly 262,144 characters and exactly 1 MiB inflated are accepted", () => {
  expect(scriptBytes("A".repeat(262_144))).toHaveLength(196_608);
  expect(scriptBytes(gzipSync(Buffer.alloc(1024 * 1024, "x")).toString("base64"))).toHaveLength(1024 * 1024);
});

// ---- messages ----

test("all problems come at once, each with key, value and allowed values", () => {
  const found = problems(
    { timeoutSeconds: "soon", mode: "strict", pollSeconds: 0, storageAccountName: "x" },
    { managedIdentity: "no", mode: "observe" },
  );
  expect(found.map((problem) => problem.key).sort()).toEqual(
    [
      "managedIdentity",
      "managedIdentity",
      "mode",
      "mode",
      "pollSeconds",
      "storageAccountKey",
      "storageAccountName",
      "timeoutSeconds",
    ].sort(),
  );
  const message = settingsError(found).message;
  expect(message).toContain('timeoutSeconds is "soon"; allowed: a whole number from 30 to 5100');
  expect(message).toContain('mode is "strict"; allowed: one of enforce, observe, report');
  expect(settingsError(found).code.reason).toBe("SettingsInvalid");
});

test("protected values and values that may be secret are never quoted", () => {
  const secret = "hunter2-hunter2";
  const texts = [
    ...problems(
      {
        fileUris: [`ftp://u:${secret}@example.com/?sig=${secret}`],
        proxy: secret,
        reportUploadUri: `http://x.example/?sig=${secret}`,
      },
      { timeoutSeconds: secret, mode: secret, storageAccountKey: secret, script: secret, checkBaseUris: secret },
    ),
  ];
  expect(texts.length).toBeGreaterThanOrEqual(8);
  expect(JSON.stringify(texts)).not.toContain("hunter2");
});

test("valid settings print no secret", () => {
  const settings = valid(
    {},
    {
      commandToExecute: "curl -u admin:hunter2 https://example.com",
      fileUris: ["https://example.com/a?sig=hunter2"],
      proxy: "http://user:hunter2@proxy.example.com",
      reportUploadUri: "https://example.com/r?sig=hunter2",
      storageAccountName: "examplestorage",
      storageAccountKey: "aHVudGVyMmh1bnRlcjI=",
    },
  );
  expect(JSON.stringify(settings)).not.toMatch(/hunter2|aHVudGVy/);
  expect(inspect(settings, { depth: 9 })).not.toMatch(/hunter2|aHVudGVy/);
});

test("an unknown key warns with what was probably meant, also for another case", () => {
  expect(warnings({ timeoutseconds: 300 })).toEqual([
    "timeoutseconds (public settings) is not a setting and has no effect; did you mean timeoutSeconds?",
  ]);
  expect(warnings({}, { polSeconds: "5" })[0]).toContain("did you mean pollSeconds?");
  expect(warnings({ colour: "red" })[0]).toContain("remove it");
  expect(warnings(JSON.parse('{"__proto__": 1, "constructor": 2}'))).toHaveLength(2);
  expect(valid({ timeoutseconds: 300 }).timeoutSeconds).toBe(1200);
});

test("an unknown key of any length and content makes one short line", () => {
  const [text = ""] = warnings({ [`x\n\u001b[31m${"y".repeat(10_000)}`]: 1 });
  expect(text.length).toBeLessThan(250);
  expect(text).not.toMatch(/[\n\u001b]/);
});

test("a credential in a public URL warns and is not shown", () => {
  const found = warnings({
    commandToExecute: "sh a.sh",
    fileUris: ["https://example.com/a.sh?sv=1&sig=hunter2"],
    proxy: "http://u:hunter2@p.example",
  });
  expect(found).toHaveLength(2);
  expect(found.join()).not.toContain("hunter2");
  expect(warnings({}, { proxy: "http://u:hunter2@p.example" })).toEqual([]);
});

test("keys that have no effect beside a command warn, and a poll as long as the deadline warns", () => {
  expect(warnings({ commandToExecute: "date", checkVersion: "1.0.0", checkRequired: true })).toHaveLength(2);
  expect(warnings({ timeoutSeconds: 60, pollSeconds: 60 })).toHaveLength(1);
  expect(warnings({ timeoutSeconds: 60, pollSeconds: 59 })).toEqual([]);
});

test("several kinds of problems together have the general code", () => {
  const found = problems({ fileUris: ["https://example.com/a"], timeoutSeconds: 1 });
  expect(settingsError(found)).toMatchObject({
    id: "settingsInvalid",
    message: expect.stringMatching(/^2 settings are not valid: /),
  });
});

test.each([
  ["CommandToExecute", "commandToExecute"],
  ["commandtoexecute", "commandToExecute"],
  ["comandToExecute", "commandToExecute"],
  ["command", "commandToExecute"],
  ["Script", "script"],
  ["fileUri", "fileUris"],
  ["fileUrls", "fileUris"],
  ["checkSha265", "checkSha256"],
  ["runAsUsr", "runAsUser"],
])("a key that looks like one that decides what runs is an error: %s", (key, meant) => {
  const parsed = parseSettings({ publicSettings: { [key]: "date" }, protectedSettings: undefined });
  expect(parsed.kind === "invalid" ? parsed.problems.map(({ message }) => message) : []).toEqual([
    `${key} (public settings) is not a setting; did you mean ${meant}? It decides what runs, so nothing is guessed`,
  ]);
});

test.each([[{ commandToExecute: "" }], [{ script: " " }], [{ commandToExecute: "", script: "" }]])(
  "an empty command is an error and never the packaged check: %j",
  (publicSettings) => {
    const parsed = parseSettings({ publicSettings, protectedSettings: undefined });
    expect(parsed.kind === "invalid" ? parsed.problems[0] : undefined).toMatchObject({
      errorId: "commandMissing",
      message: expect.stringContaining(" is empty; allowed: a command, or remove "),
    });
  },
);

test("an empty command beside a real one counts as not set", () => {
  expect(valid({ commandToExecute: "", script: "dHJ1ZQ==" }).check.kind).toBe("command");
  const parsed = parseSettings({
    publicSettings: { commandToExecute: "" },
    protectedSettings: { commandToExecute: "date" },
  });
  expect(parsed.kind).toBe("valid");
});

test("timestamp may be any whole number, also below 0 and as a text", () => {
  for (const timestamp of [-1, "-1", 0, "1767225600"])
    expect(valid({ commandToExecute: "date", timestamp }).check.kind).toBe("command");
});

test("a pin behind an address is kept apart from it, and one that is no pin is refused", () => {
  const digest = "AB".repeat(32);
  const { check } = valid({
    commandToExecute: "sh a.sh",
    fileUris: `https://a.example.com/a.sh?sig=x#sha256=${digest}`,
  });
  const [file] = check.kind === "command" ? check.fileUris : [];
  expect(file?.sha256).toBe(digest.toLowerCase());
  expect(file?.uri.reveal()).toBe("https://a.example.com/a.sh?sig=x");
  for (const pin of ["sha256=abc", "sha256:abc", "SHA512=ab", `sha256=${digest}0`]) {
    const fileUris = [`https://a.example.com/a.sh#${pin}`];
    expect(
      parseSettings({ publicSettings: { commandToExecute: "sh a.sh", fileUris }, protectedSettings: undefined }).kind,
    ).toBe("invalid");
  }
});

test("runAsUser does not exist on Windows", () => {
  const publicSettings = { commandToExecute: "dir", runAsUser: "azureuser" };
  const parsed = parseSettings({ publicSettings, protectedSettings: undefined }, "windows");
  expect(parsed.kind === "invalid" ? parsed.problems[0]?.key : undefined).toBe("runAsUser");
});
