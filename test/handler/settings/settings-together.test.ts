import { expect, test } from "@jest/globals";
import { parseSettings } from "../../../handler/settings/parse-settings.ts";

/** Each warning and problem as "key: message". */
function told(publicSettings: Readonly<Record<string, unknown>>, protectedSettings?: unknown) {
  const parsed = parseSettings({ publicSettings, protectedSettings });
  const lines = (found: readonly { readonly key: string; readonly message: string }[]) =>
    found.map(({ key, message }) => `${key}: ${message}`);
  return { problems: parsed.kind === "invalid" ? lines(parsed.problems) : [], warnings: lines(parsed.warnings) };
}

const pin = (digit: string): string => `#sha256=${digit.repeat(64)}`;
const key = { storageAccountName: "examplestorage", storageAccountKey: "a2V5" };

function filesOf(...fileUris: readonly string[]) {
  return told({ commandToExecute: "sh a.sh" }, { fileUris, ...key });
}

test.each([
  [
    ["https://a.example/x/a.sh", "https://b.example/a.sh"],
    "fileUris: fileUris: entries 1 and 2 would both be saved as a.sh (Custom Script keeps the last one); give one of the two files another name",
  ],
  [
    ["https://a.example/b.sh", "https://a.example/a.sh?v=1", "https://a.example/a.sh?v=2"],
    "fileUris: fileUris: entries 2 and 3 would both be saved as a.sh (Custom Script keeps the last one); give one of the two files another name",
  ],
  [
    [`https://a.example/a.sh${pin("a")}`, `https://a.example/a.sh${pin("b")}`],
    "fileUris: fileUris: entries 1 and 2 are one address with different pins; keep one of them",
  ],
  [
    [`https://a.example/a.sh${pin("a")}`, "https://a.example/a.sh"],
    "fileUris: fileUris: entries 1 and 2 are one address with different pins; keep one of them",
  ],
  [
    ["https://a.example/a.sh", "https://a.example/x/"],
    "fileUris: fileUris: entry 2 does not end in a usable file name; allowed: an address whose path ends in the file's name",
  ],
])("files that contradict each other are refused before the first byte moves: %j", (files, problem) => {
  expect(filesOf(...files).problems).toEqual([problem]);
});

test.each([
  [["https://a.example/a.sh", "https://a.example/a.sh"]],
  [[`https://a.example/a.sh${pin("a")}`, `https://a.example/a.sh${pin("A")}`]],
  [["https://a.example/a.sh", "https://a.example/b.sh"]],
])("the same address twice is one file, and two names are two: %j", (files) => {
  expect(filesOf(...files)).toEqual({ problems: [], warnings: [] });
});

test.each(["", ".", "..", "%2e%2e", "a%2F", "a%2F..", "a%5Cb", "a%00b", "a:b", "%ff", "x/%2E"])(
  "an address that ends in %j gives a file no name",
  (end) => {
    expect(filesOf(`https://a.example/dir/${end}`).problems.join()).toContain("entry 1 does not end in a usable");
  },
);

test("a key or a token that is not sent because the address is http is said before the blob refuses it", () => {
  const blob = "http://x.blob.core.windows.net/c/a.sh";
  const warning = (entry: number, credential: string) =>
    `fileUris: fileUris: entry ${String(entry)} is an http address; ${credential} is sent over https only, so a private blob will be refused; write https`;
  expect(filesOf("https://x.blob.core.windows.net/c/b.sh", blob).warnings).toEqual([warning(2, "storageAccountKey")]);
  const identity = told({ commandToExecute: "sh a.sh" }, { fileUris: [blob], managedIdentity: {} });
  expect(identity.warnings).toEqual([warning(1, "managedIdentity")]);
  for (const other of [`${blob}?sv=1&sig=x`, "http://files.example/a.sh"]) expect(filesOf(other).warnings).toEqual([]);
  expect(told({ commandToExecute: "sh a.sh", fileUris: [blob] }).warnings).toEqual([]);
});

test("files without a command are counted in words", () => {
  const files = ["https://a.example/a", "https://a.example/b"];
  expect(told({ fileUris: files.slice(0, 1) }).problems[0]).toContain("fileUris has 1 entry, but neither");
  expect(told({ fileUris: files }).problems[0]).toContain("fileUris has 2 entries, but neither");
});

const withoutCommand = (name: string) => `${name}: ${name} has no effect without a command of your own`;
const withCommand = (name: string) =>
  `${name}: ${name} has no effect, because a command of your own takes the place of the check`;

test("what only a command can use is warned of where there is none", () => {
  const settings = {
    restart: "once",
    runAsUser: "bob",
    removeFiles: true,
    lookBeside: false,
    skipDos2Unix: true,
  };
  expect(told(settings).warnings).toEqual(Object.keys(settings).map(withoutCommand));
  expect(told({ ...settings, commandToExecute: "date" }).warnings).toEqual([]);
  expect(told({ ...settings, script: "ZGF0ZQo=" }).warnings).toEqual([]);
  expect(told({ ...settings, fileUris: ["https://a.example/a"] }).warnings).toEqual([]);
  expect(told({}).warnings).toEqual([]);
});

test.each([{ commandToExecute: "date" }, { script: "ZGF0ZQo=" }])(
  "what only the check can use is warned of beside %j",
  (command) => {
    const checks = { checkVersion: "1.0.0", checkSha256: "a".repeat(64), checkRequired: true };
    expect(told({ ...command, ...checks }).warnings).toEqual(Object.keys(checks).map(withCommand));
    expect(told({ ...checks }).warnings).toEqual([]);
  },
);

test("how a report is uploaded says nothing without the place", () => {
  const upload = { reportUploadMethod: "POST" };
  const authorization = { reportUploadAuthorization: "Bearer x" };
  expect(told(upload, authorization).warnings).toEqual([
    "reportUploadMethod: reportUploadMethod has no effect without reportUploadUri",
    "reportUploadAuthorization: reportUploadAuthorization has no effect without reportUploadUri",
  ]);
  expect(told(upload, { ...authorization, reportUploadUri: "https://r.example/" }).warnings).toEqual([]);
  expect(told({}).warnings).toEqual([]);
});

test("a pause as long as the deadline is named with both numbers", () => {
  expect(told({ pollSeconds: 90, timeoutSeconds: 60 }).warnings).toEqual([
    "pollSeconds: pollSeconds is 90, not below timeoutSeconds, which is 60",
  ]);
});

test("one half of a storage account says which one is set", () => {
  expect(told({}, { storageAccountName: "examplestorage" }).problems).toEqual([
    "storageAccountKey: storageAccountName is set, but storageAccountKey is not; set both or neither",
  ]);
  expect(told({}, { storageAccountKey: "a2V5" }).problems).toEqual([
    "storageAccountName: storageAccountKey is set, but storageAccountName is not; set both or neither",
  ]);
});

test.each([
  ["commandToExecute", "cd /var/lib/waagent/custom-script/download/0 && sh a.sh", "/var/lib/waagent/custom-script"],
  ["commandToExecute", "tail /var/log/azure/custom-script/handler.log", "/var/log/azure/custom-script"],
  [
    "script",
    "C:\\Packages\\Plugins\\Microsoft.Compute.CustomScriptExtension\\1.10",
    "Microsoft.Compute.CustomScriptExtension",
  ],
])("a %s that names the Custom Script extension's folder is warned of", (name, text, folder) => {
  const value = name === "script" ? Buffer.from(text).toString("base64") : text;
  expect(told({ [name]: value }).warnings).toEqual([
    `${name}: ${name} names the Custom Script extension's folder ${folder}, which does not exist here; the command starts in the folder of its files, so write ./NAME`,
  ]);
  expect(told({ [name]: name === "script" ? "ZGF0ZQo=" : "date" }).warnings).toEqual([]);
});
