import { expect, test } from "@jest/globals";
import { link, mkdir, mkdtemp, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSequence } from "../../../handler/contract/sequence-number.ts";
import { emptyOlderSettings, readSettingsFile } from "../../../handler/contract/settings-file.ts";

const host = { sleep: (): Promise<void> => Promise.resolve() };
const thumbprint = "0123456789ABCDEF0123456789ABCDEF01234567";

function agentFile(publicSettings: unknown, protectedSettings: unknown, certificate: unknown): string {
  const handlerSettings = { publicSettings, protectedSettings, protectedSettingsCertThumbprint: certificate };
  return JSON.stringify({ runtimeSettings: [{ handlerSettings }] });
}

async function configFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "config-"));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

test.each([
  ["three nulls", agentFile(null, null, null)],
  ["an empty protected text", agentFile(null, "", null)],
])("no settings: %s", async (_case, content) => {
  expect(await readSettingsFile(await configFolder({ "0.settings": content }), { sequence: 0 }, host)).toEqual({
    kind: "none",
  });
});

test.each([
  ["an empty file", "", "is empty"],
  ["an empty handlerSettings", '{"runtimeSettings":[{"handlerSettings":{}}]}', "holds no settings"],
  ["no runtimeSettings", '{"runtimeSettings":[]}', "holds no settings"],
])("a file that should hold settings and does not is told, since defaults are used: %s", async (_, content, says) => {
  const found = await readSettingsFile(await configFolder({ "0.settings": content }), { sequence: 0 }, host);
  expect(found).toEqual({ kind: "none", warning: expect.stringContaining(`0.settings ${says}`) });
});

test("protected settings alone are settings", async () => {
  const folder = await configFolder({ "0.settings": agentFile(null, "QUJD", "AB12") });
  expect(await readSettingsFile(folder, { sequence: 0 }, host)).toMatchObject({
    kind: "present",
    protectedText: "QUJD",
  });
});

test.each([
  ["plain", ""],
  ["with a BOM", "\ufeff"],
])("public and protected parts are split, %s", async (_case, start) => {
  const folder = await configFolder({ "2.settings": start + agentFile({ mode: "observe" }, "TUlJ", thumbprint) });
  expect(await readSettingsFile(folder, { sequence: 2 }, host)).toEqual({
    kind: "present",
    publicSettings: { mode: "observe" },
    protectedText: "TUlJ",
    thumbprint,
  });
});

test("multi-config: <extension>.N.settings is read", async () => {
  const folder = await configFolder({ "web.1.settings": agentFile({ pollSeconds: 5 }, null, null) });
  const file = await readSettingsFile(folder, { sequence: 1, extensionName: "web" }, host);
  expect(file).toEqual({ kind: "present", publicSettings: { pollSeconds: 5 } });
});

test("a half-written file is read again until it is whole", async () => {
  const whole = agentFile({ pollSeconds: 5 }, null, null);
  const folder = await configFolder({ "1.settings": whole.slice(0, 30) });
  const sleep = (): Promise<void> => writeFile(join(folder, "1.settings"), whole);
  expect((await readSettingsFile(folder, { sequence: 1 }, { sleep })).kind).toBe("present");
});

test("a file that the agent has just opened for writing (still empty) is read again", async () => {
  const folder = await configFolder({ "1.settings": "" });
  const sleep = (): Promise<void> => writeFile(join(folder, "1.settings"), agentFile({ pollSeconds: 5 }, null, null));
  expect((await readSettingsFile(folder, { sequence: 1 }, { sleep })).kind).toBe("present");
});

const item = { handlerSettings: { publicSettings: {} } };
const unusable: readonly (readonly [string, string, RegExp])[] = [
  ["not JSON", "secret=hunter2", /not JSON/],
  ["not an object", "[]", /not an object/],
  ["runtimeSettings is a text", '{"runtimeSettings":"hunter2"}', /runtimeSettings is not a list/],
  ["several runtimeSettings", JSON.stringify({ runtimeSettings: [item, item] }), /2 entries; exactly 1/],
  ["an entry that is a text", '{"runtimeSettings":["hunter2"]}', /handlerSettings is not an object/],
  ["protectedSettings is an object", agentFile({}, { key: "hunter2" }, thumbprint), /protectedSettings is not a text/],
];

test.each(unusable)(
  "unusable settings name the file, the reason and no content: %s",
  async (_case, content, reason) => {
    const folder = await configFolder({ "1.settings": content });
    const failure: unknown = await readSettingsFile(folder, { sequence: 1 }, host).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ id: "settingsUnreadable", message: expect.stringMatching(reason) });
    expect(failure).toMatchObject({ message: expect.stringContaining(join(folder, "1.settings")) });
    expect(failure).toMatchObject({ message: expect.not.stringContaining("hunter2") });
  },
);

test("absent settings are an error: a probe in their place could contradict what the user asked for", async () => {
  await expect(readSettingsFile(await configFolder({}), { sequence: 1 }, host)).rejects.toMatchObject({
    id: "settingsUnreadable",
    message: expect.stringContaining("does not exist"),
  });
});

test("emptyOlderSettings empties the older sequences of this extension and nothing else", async () => {
  const folder = await configFolder({
    "0.settings": "zero",
    "1.settings": "one",
    "2.settings": "two",
    "x.settings": "stray",
    "web.0.settings": "other extension",
    HandlerState: "Enabled",
    HandlerStatus: "{}",
  });
  await changeAt(folder, { "0.settings": 1, "2.settings": 2, "x.settings": 1, "web.0.settings": 1, "1.settings": 3 });
  expect(await emptyOlderSettings(folder, { sequence: 1 })).toEqual(["0.settings", "2.settings"]);
  const sizes: Record<string, string> = {};
  for (const name of await readdir(folder)) sizes[name] = await readFile(join(folder, name), "utf8");
  expect(sizes).toEqual({
    "0.settings": "",
    "1.settings": "one",
    "2.settings": "",
    "x.settings": "stray",
    "web.0.settings": "other extension",
    HandlerState: "Enabled",
    HandlerStatus: "{}",
  });
  expect(await emptyOlderSettings(folder, { sequence: 1 })).toEqual([]);
});

test("emptyOlderSettings leaves settings alone that the agent wrote meanwhile for the next run", async () => {
  const folder = await configFolder({ "1.settings": "one", "2.settings": "two" });
  await changeAt(folder, { "1.settings": 1, "2.settings": 2 });
  expect(await emptyOlderSettings(folder, { sequence: 1 })).toEqual([]);
  expect(await readFile(join(folder, "2.settings"), "utf8")).toBe("two");
});

async function changeAt(folder: string, days: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, day] of Object.entries(days)) {
    const time = new Date(Date.UTC(2026, 0, day));
    await utimes(join(folder, name), time, time);
  }
}

test("emptying keeps the time of change, so that the newest settings stay the newest", async () => {
  const folder = await configFolder({ "1.settings": "old", "2.settings": "new" });
  const [old, recent] = [new Date(Date.UTC(2026, 0, 1)), new Date(Date.UTC(2026, 0, 2))];
  await utimes(join(folder, "1.settings"), old, old);
  await utimes(join(folder, "2.settings"), recent, recent);
  await emptyOlderSettings(folder, { sequence: 2 });
  expect((await stat(join(folder, "1.settings"))).mtime).toEqual(old);
  expect((await findSequence({}, folder)).sequence).toBe(2);
});

test("a link in the place of an older settings file is not followed", async () => {
  const target = join(await mkdtemp(join(tmpdir(), "other-")), "precious");
  await writeFile(target, "precious");
  const folder = await configFolder({ "1.settings": "one" });
  await symlink(target, join(folder, "0.settings"));
  expect(await emptyOlderSettings(folder, { sequence: 1 })).toEqual([]);
  expect(await readFile(target, "utf8")).toBe("precious");
});

test("emptyOlderSettings does not mind a missing folder", async () => {
  const folder = await configFolder({ "1.settings": "one" });
  expect(await emptyOlderSettings(join(folder, "missing"), { sequence: 1 })).toEqual([]);
});

test.each([
  ["whole", agentFile({}, null, null), 0],
  ["not there", undefined, 0],
  ["empty", "", 2],
  ["blank", " \n", 2],
  ["half written", "{", 9],
])("a file that is %s is waited for as long as it may still be written", async (_case, content, waits) => {
  const folder = await configFolder(content === undefined ? {} : { "1.settings": content });
  const pauses: number[] = [];
  const sleep = (ms: number): Promise<void> => Promise.resolve(void pauses.push(ms));
  await readSettingsFile(folder, { sequence: 1 }, { sleep }).catch(() => undefined);
  expect(pauses).toEqual(Array(waits).fill(50));
});

test("settings that are there and cannot be read are an error that keeps the system's words", async () => {
  const folder = await configFolder({});
  await mkdir(join(folder, "1.settings"));
  await expect(readSettingsFile(folder, { sequence: 1 }, host)).rejects.toMatchObject({
    id: "settingsUnreadable",
    message: expect.stringContaining("EISDIR"),
    cause: expect.objectContaining({ code: "EISDIR" }),
  });
});

test.each([
  ["no runtimeSettings", "{}", { kind: "none", warning: expect.stringContaining("holds no settings") }],
  ["only the public key", '{"runtimeSettings":[{"handlerSettings":{"publicSettings":null}}]}', { kind: "none" }],
  ["only the protected key", '{"runtimeSettings":[{"handlerSettings":{"protectedSettings":null}}]}', { kind: "none" }],
  ["blanks around the texts", agentFile(null, " QUJD\n", " AB12 "), { protectedText: "QUJD", thumbprint: "AB12" }],
  ["a blank protected text", agentFile(null, " ", null), { kind: "none" }],
])("%s", async (_case, content, expected) => {
  const found = await readSettingsFile(await configFolder({ "1.settings": content }), { sequence: 1 }, host);
  expect(found).toMatchObject(expected);
  expect("warning" in found).toBe("warning" in expected);
});

test("older settings that another name leads to as well are not emptied: their bytes are somebody else's too", async () => {
  const folder = await configFolder({ "1.settings": "one", "2.settings": "two" });
  await link(join(folder, "1.settings"), join(folder, "kept"));
  await changeAt(folder, { "1.settings": 1, "2.settings": 2 });
  expect(await emptyOlderSettings(folder, { sequence: 2 })).toEqual([]);
  expect(await readFile(join(folder, "kept"), "utf8")).toBe("one");
});

test("settings of the same moment are not older, the names come in order, and a folder in their place stays", async () => {
  const names = ["9.settings", "2.settings", "10.settings"];
  const folder = await configFolder(
    Object.fromEntries([...names, "3.settings", "4.settings"].map((name) => [name, "x"])),
  );
  await mkdir(join(folder, "5.settings"));
  await changeAt(folder, { "9.settings": 1, "2.settings": 1, "10.settings": 1, "5.settings": 1 });
  await changeAt(folder, { "3.settings": 2, "4.settings": 2 });
  expect(await emptyOlderSettings(folder, { sequence: 3 })).toEqual(["10.settings", "2.settings", "9.settings"]);
});

test("without the current settings nothing is older", async () => {
  const folder = await configFolder({ "1.settings": "one" });
  expect(await emptyOlderSettings(folder, { sequence: 2 })).toEqual([]);
  expect(await readFile(join(folder, "1.settings"), "utf8")).toBe("one");
});
