import { expect, test } from "@jest/globals";
import { mkdir, mkdtemp, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lastSequenceFile, readLastSequence, writeLastSequence } from "../../../handler/contract/last-sequence.ts";
import { findExtensionName, findSequence } from "../../../handler/contract/sequence-number.ts";

/** Settings files by name, with their age in seconds. */
async function configFolder(files: Readonly<Record<string, number>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "config-"));
  for (const [name, age] of Object.entries(files)) {
    await writeFile(join(folder, name), "");
    const time = new Date(Date.UTC(2026, 0, 1) - age * 1000);
    await utimes(join(folder, name), time, time);
  }
  return folder;
}

test("the environment's number wins over every file, also when it is lower", async () => {
  const folder = await configFolder({ "7.settings": 0 });
  expect(await findSequence({ ConfigSequenceNumber: "3" }, folder)).toMatchObject({
    sequence: 3,
    source: "environment",
    warnings: [],
  });
  expect((await findSequence({ ConfigSequenceNumber: " 0 " }, folder)).sequence).toBe(0);
});

test.each(["abc", "-1", "1.5", "", "9999999999", "0x10"])(
  "ConfigSequenceNumber=%j falls back to the newest settings file (the Custom Script handler exits 3)",
  async (text) => {
    const found = await findSequence({ ConfigSequenceNumber: text }, await configFolder({ "4.settings": 0 }));
    expect(found).toMatchObject({ sequence: 4, source: "settings-file" });
    expect(found.warnings).toHaveLength(1);
    expect(found.warnings[0]).toContain("ConfigSequenceNumber");
  },
);

test("the newest settings file counts, not the highest: numbers can go down", async () => {
  expect((await findSequence({}, await configFolder({ "9.settings": 60, "2.settings": 5 }))).sequence).toBe(2);
});

test("of files with the same time the highest number counts", async () => {
  expect(
    (await findSequence({}, await configFolder({ "9.settings": 5, "10.settings": 5, "2.settings": 5 }))).sequence,
  ).toBe(10);
});

test("stray files are ignored: x.settings and others (the Custom Script handler exits 3)", async () => {
  const folder = await configFolder({
    "x.settings": 0,
    ".settings": 0,
    "3.settings.bak": 0,
    "ext.8.settings": 0,
    HandlerState: 0,
    HandlerStatus: 0,
    "3.settings": 50,
  });
  await mkdir(join(folder, "12.settings"));
  expect((await findSequence({}, folder)).sequence).toBe(3);
});

test("multi-config names: only the files of the named extension count", async () => {
  const folder = await configFolder({ "web.4.settings": 10, "db.9.settings": 0, "8.settings": 0 });
  const found = await findSequence({ ConfigExtensionName: "web" }, folder);
  expect(found).toMatchObject({ sequence: 4, extensionName: "web" });
});

test("an extension name that would lead out of the folder is ignored with a warning", async () => {
  const found = await findSequence(
    { ConfigExtensionName: "../../etc/x", ConfigSequenceNumber: "1" },
    await configFolder({}),
  );
  expect(found.extensionName).toBeUndefined();
  expect(found.warnings).toHaveLength(1);
});

test("without a number and without files the error says where it looked", async () => {
  const folder = await configFolder({ "x.settings": 0 });
  await expect(findSequence({}, folder)).rejects.toMatchObject({
    id: "sequenceUnknown",
    message: expect.stringContaining(folder),
  });
  await expect(findSequence({}, join(folder, "missing"))).rejects.toMatchObject({ id: "sequenceUnknown" });
});

test("mrseq is the plain decimal number, mode 0600, and replaces the old one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "handler-"));
  await writeLastSequence({ handlerFolder: folder, sequence: 12 });
  await writeLastSequence({ handlerFolder: folder, sequence: 3 });
  expect(await readFile(join(folder, "mrseq"), "utf8")).toBe("3");
  expect((await stat(join(folder, "mrseq"))).mode & 0o777).toBe(0o600);
  expect(readLastSequence(folder)).toEqual({ sequence: 3 });
  expect(await readdir(folder)).toEqual(["mrseq"]);
});

test("a missing mrseq means that nothing was processed, without a warning", async () => {
  expect(readLastSequence(await mkdtemp(join(tmpdir(), "handler-")))).toEqual({ sequence: undefined });
});

test.each(["", "\n", "garbage", "-1", "1 2", "\u0000\u0000", "99999999999999999999"])(
  "mrseq with the content %j is repaired: undefined plus a warning",
  async (content) => {
    const folder = await mkdtemp(join(tmpdir(), "handler-"));
    await writeFile(join(folder, "mrseq"), content);
    const read = readLastSequence(folder);
    expect(read.sequence).toBeUndefined();
    expect(read.warning).toContain("mrseq");
    await writeLastSequence({ handlerFolder: folder, sequence: 0 });
    expect(readLastSequence(folder)).toEqual({ sequence: 0 });
  },
);

test('mrseq "0\\n" is read as 0 (the Custom Script handler exits 3), so that no check runs twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), "handler-"));
  await writeFile(join(folder, "mrseq"), "0\n");
  expect(readLastSequence(folder)).toEqual({ sequence: 0 });
});

test("mrseq that cannot be read is a warning, that cannot be written an error that names it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "handler-"));
  await mkdir(lastSequenceFile(folder));
  expect(readLastSequence(folder).warning).toContain("mrseq");
  const extensionName = "x".repeat(250);
  await expect(writeLastSequence({ handlerFolder: folder, sequence: 1, extensionName })).rejects.toMatchObject({
    id: "stateUnwritable",
    message: expect.stringContaining(join(folder, `${extensionName}.mrseq`)),
  });
  expect(await readdir(folder)).toEqual(["mrseq"]);
});

test("with multi-config each extension has its own mrseq", async () => {
  const handlerFolder = await mkdtemp(join(tmpdir(), "handler-"));
  await writeLastSequence({ handlerFolder, sequence: 5, extensionName: "web" });
  expect(readLastSequence(handlerFolder, "web")).toEqual({ sequence: 5 });
  expect(readLastSequence(handlerFolder).sequence).toBeUndefined();
});

test.each(["a/../../x", "a\n", "a b", ".hidden", "", "x".repeat(129)])(
  "an extension name that is no plain file name is never used in a path: %j",
  (name) => {
    expect(findExtensionName({ ConfigExtensionName: name === "a\n" ? "a\nb" : name }).extensionName).toBeUndefined();
  },
);

test("the settings of another extension are not ours", async () => {
  const folder = await configFolder({ "other.9.settings": 0, "pool.3.settings": 50 });
  expect((await findSequence({ ConfigExtensionName: "pool" }, folder)).sequence).toBe(3);
});

test("a config folder that cannot be listed is an error, not an empty one", async () => {
  const loop = join(await configFolder({}), "loop");
  await symlink(loop, loop);
  await expect(findSequence({}, loop)).rejects.toMatchObject({
    id: "sequenceUnknown",
    message: expect.stringContaining("cannot be listed"),
  });
});

test.each([
  [undefined, "The variable ConfigSequenceNumber is not set; the newest settings file says 4"],
  ["  ", "The variable ConfigSequenceNumber is not set; the newest settings file says 4"],
  ["a\u001b[31mb", 'The variable ConfigSequenceNumber is "ab", not a whole number; the newest settings file says 4'],
  [
    "2147483648",
    'The variable ConfigSequenceNumber is "2147483648", not a whole number; the newest settings file says 4',
  ],
])("ConfigSequenceNumber=%j is told as it is, cleaned", async (text, warning) => {
  const env = text === undefined ? {} : { ConfigSequenceNumber: text };
  expect((await findSequence(env, await configFolder({ "4.settings": 0 }))).warnings).toEqual([warning]);
});

test("the highest number of the platform is one", async () => {
  expect((await findSequence({ ConfigSequenceNumber: "2147483647" }, "/none")).sequence).toBe(2_147_483_647);
});

test("an extension's name is taken without blanks, no name is none, and a bad one is quoted in part", () => {
  expect(findExtensionName({ ConfigExtensionName: " web " })).toEqual({ extensionName: "web", warnings: [] });
  expect(findExtensionName({ ConfigExtensionName: "  " })).toEqual({ warnings: [] });
  expect(findExtensionName({})).toEqual({ warnings: [] });
  const [warning = ""] = findExtensionName({ ConfigExtensionName: `../${"x".repeat(200)}` }).warnings;
  expect(warning).toMatch(/^The variable ConfigExtensionName is "\.\.\/x+ … \[cut\]", not a file name; ignored$/u);
});

test("a settings file that leads nowhere, and a config folder that is a file, hold no number", async () => {
  const folder = await configFolder({ "3.settings": 0 });
  await symlink("nowhere", join(folder, "9.settings"));
  expect((await findSequence({}, folder)).sequence).toBe(3);
  await expect(findSequence({}, join(folder, "3.settings"))).rejects.toMatchObject({
    id: "sequenceUnknown",
    message: expect.stringContaining("holds no file <number>.settings"),
  });
});

test("a name without its end, or with more behind it, is no settings file", async () => {
  const folder = await configFolder({ "3.settings": 50, "7.settingsx": 0, "8": 0, "web.9.setting": 0 });
  expect((await findSequence({}, folder)).sequence).toBe(3);
});
