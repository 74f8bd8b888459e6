import { inspect } from "node:util";
import { expect, test } from "@jest/globals";
import { parseSettings } from "../../../handler/settings/parse-settings.ts";
import { Secret } from "../../../handler/settings/secret.ts";

function messages(publicSettings: unknown, protectedSettings?: unknown): readonly string[] {
  const parsed = parseSettings({ publicSettings, protectedSettings });
  return parsed.kind === "invalid" ? parsed.problems.map(({ message }) => message) : [];
}

function valid(publicSettings: unknown, protectedSettings?: unknown) {
  const parsed = parseSettings({ publicSettings, protectedSettings });
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems));
  return parsed.settings;
}

test.each([
  [{ pollSeconds: "soon\n\t now" }, 'pollSeconds is "soon now"; allowed: a whole number from 1 to 300'],
  [{ pollSeconds: 0 }, "pollSeconds is 0; allowed: a whole number from 1 to 300"],
  [{ pollSeconds: true }, "pollSeconds is true; allowed: a whole number from 1 to 300"],
  [{ pollSeconds: [1, 2] }, "pollSeconds is a list with 2 entries; allowed: a whole number from 1 to 300"],
  [{ pollSeconds: {} }, "pollSeconds is an object; allowed: a whole number from 1 to 300"],
  [{ echoToConsole: "perhaps" }, 'echoToConsole is "perhaps"; allowed: true or false'],
  [{ timestamp: "now" }, 'timestamp is "now"; allowed: a whole number'],
  [{ proxy: 5 }, "proxy is a number; allowed: an http or https URL"],
  [
    { proxy: "x.example" },
    "proxy is a text of 9 characters (it is not an absolute URL); allowed: an http or https URL",
  ],
  [
    { proxy: "see http://x.example" },
    "proxy is a text of 20 characters (it is not an absolute URL); allowed: an http or https URL",
  ],
  [
    { reportUploadUri: "ftp://x.example" },
    "reportUploadUri is a text of 15 characters (it has the scheme ftp:); allowed: an https URL",
  ],
  [
    { proxy: `${"x".repeat(40)}://x.example` },
    `proxy is a text of 52 characters (it has the scheme ${"x".repeat(20)}); allowed: an http or https URL`,
  ],
  [
    { commandToExecute: "date", fileUris: ["https://a.example/a", 5] },
    "fileUris is a list with 2 entries (entry 2 is not a text); allowed: a list of http or https URLs (JSON, or with commas between them)",
  ],
  [
    { commandToExecute: "date", fileUris: ["https://a.example/a", "a b"] },
    "fileUris is a list with 2 entries (entry 2: it is not an absolute URL); allowed: a list of http or https URLs (JSON, or with commas between them)",
  ],
  [{ mode: "x".repeat(100) }, `mode is "${"x".repeat(79)}…"; allowed: one of enforce, observe, report`],
])("a value that is refused is shown as far as it may be: %j", (settings, message) => {
  expect(messages(settings)).toEqual([message]);
});

test("a protected value is never shown, a key that belongs there says so", () => {
  expect(messages({}, { pollSeconds: "hunter2" })).toEqual([
    "pollSeconds is a text of 7 characters; allowed: a whole number from 1 to 300",
  ]);
  expect(messages({ reportUploadAuthorization: "Bearer hunter2" })).toEqual([
    "reportUploadAuthorization is a secret; move it from the public to the protected settings",
  ]);
});

test("what is longer than it may be says both lengths", () => {
  expect(messages({}, { reportUploadAuthorization: "x".repeat(8193) })[0]).toContain(
    "it has 8193 characters, at most 8192 are allowed",
  );
  expect(valid({}, { reportUploadAuthorization: "x".repeat(8192) }).reportUploadAuthorization).toBeDefined();
});

test("two problems are counted, one is told as it is", () => {
  expect(messages({ mode: "x", logLevel: "y" })).toHaveLength(2);
});

test("blanks around texts of numbers, switches and addresses do not count", () => {
  const settings = valid({
    echoToConsole: " False ",
    timeoutSeconds: " 300\n",
    proxy: " http://p.example:3128 ",
    checkBaseUris: ' ["https://a.example/x"] ',
    checkVersion: "1.2.0",
  });
  expect(settings.echoToConsole).toBe(false);
  expect(settings.timeoutSeconds).toBe(300);
  expect(settings.proxy?.reveal()).toBe("http://p.example:3128");
  const list = valid({ checkBaseUris: [" https://a.example/x "] }).check;
  expect(list.kind === "bundle" && list.baseUris.map((uri) => uri.reveal())).toEqual(["https://a.example/x"]);
});

test.each(["http://localhost:8080/x", "http://[::1]:8080/x", "http://127.0.0.1/x", "http://127.10.200.30/x"])(
  "an address on the machine itself needs no https: %s",
  (uri) => {
    expect(messages({ checkBaseUris: [uri] })).toEqual([]);
  },
);

test.each(["http://x127.0.0.1.example/x", "http://[::2]/x", "http://128.0.0.1/x"])(
  "an address elsewhere does: %s",
  (uri) => {
    expect(messages({ checkBaseUris: [uri] })[0]).toContain("it has the scheme http:, which is not protected");
  },
);

test("every choice reaches the settings", () => {
  const own = { reportUploadMethod: "POST", reportUploadUri: "https://r.example/x", logLevel: "debug", mode: "report" };
  const settings = valid({ commandToExecute: "date", restart: "always", ...own });
  expect(settings).toMatchObject({ reportUploadMethod: "POST", logLevel: "debug", mode: "report" });
  expect(settings.reportUploadUri?.reveal()).toBe("https://r.example/x");
  expect(settings.check).toMatchObject({ kind: "command", restart: "always", removeFiles: false, lookBeside: true });
  expect(valid({ commandToExecute: "date", runAsUser: "bob" }).check).toMatchObject({
    runAsUser: "bob",
    restart: "never",
  });
});

test("only a credential in a public address is warned of", () => {
  const warned = (proxy: unknown) =>
    parseSettings({ publicSettings: { proxy }, protectedSettings: {} }).warnings.length;
  expect(warned("http://bob:hunter2@p.example")).toBe(1);
  expect(warned("http://p.example:3128")).toBe(0);
  expect(warned("http://bob@p.example")).toBe(0);
  expect(
    parseSettings({ publicSettings: { commandToExecute: "curl http://a:b@x" }, protectedSettings: {} }).warnings,
  ).toEqual([]);
});

test("an empty protected or public part, given as a text, is none, and a list as text is no object", () => {
  expect(messages("null")).toEqual(["publicSettings is not a JSON object"]);
  expect(messages("[]")).toEqual(["publicSettings is not a JSON object"]);
  expect(messages("{")).toEqual(["publicSettings is not a JSON object"]);
});

test.each([`{"clientId":`, "[]", "null"])("an identity that is no JSON object is refused: %s", (managedIdentity) => {
  expect(messages({}, { managedIdentity })).toEqual([
    `managedIdentity is a text of ${String(managedIdentity.length)} characters; allowed: an object with clientId or objectId (a GUID), or {} for the system-assigned identity`,
  ]);
});

test("a secret shows nothing, however it is written out", () => {
  const secret = new Secret("hunter2");
  expect([String(secret), `${secret.toString()}`, JSON.stringify({ secret }), inspect(secret)]).toEqual([
    "<redacted>",
    "<redacted>",
    '{"secret":"<redacted>"}',
    "<redacted>",
  ]);
  expect(secret.reveal()).toBe("hunter2");
});

test("garbage in front of base64 is no script, and two bytes that only begin like gzip are one", () => {
  expect(messages({ script: "!!ZGF0ZQo=" })[0]).toContain("it is not base64");
  expect(messages({ script: "ZGF0ZQo=!!" })[0]).toContain("it is not base64");
  for (const bytes of [Buffer.from([0x1f, 0x41, 0x0a]), Buffer.from([0x41, 0x8b, 0x0a])]) {
    const { check } = valid({ script: bytes.toString("base64") });
    expect(check.kind === "command" && check.command.kind === "script" && check.command.bytes).toEqual(bytes);
  }
});
