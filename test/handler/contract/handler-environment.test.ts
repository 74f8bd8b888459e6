import { expect, test } from "@jest/globals";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conventionalEnvironment, readHandlerEnvironment } from "../../../handler/contract/handler-environment.ts";
import { HandlerError } from "../../../handler/errors/handler-error.ts";

const fields = {
  logFolder: "/var/log/azure/CAPZ.Linux.Bootstrapping",
  configFolder: "/var/lib/waagent/CAPZ.Linux.Bootstrapping-1.0.0/config",
  statusFolder: "/var/lib/waagent/CAPZ.Linux.Bootstrapping-1.0.0/status",
  heartbeatFile: "/var/lib/waagent/CAPZ.Linux.Bootstrapping-1.0.0/heartbeat.log",
  eventsFolder: "/var/log/azure/CAPZ.Linux.Bootstrapping/events",
};
const linuxItem = { name: "CAPZ.Linux.Bootstrapping", version: 1.0, handlerEnvironment: fields };

async function handlerFolder(content?: string | Buffer): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), "environment-")), "CAPZ.Linux.Bootstrapping-1.0.0");
  await mkdir(join(folder, "bin"), { recursive: true });
  if (content !== undefined) await writeFile(join(folder, "HandlerEnvironment.json"), content);
  return folder;
}

function read(programFolder: string, sleep = (): Promise<void> => Promise.resolve()) {
  return readHandlerEnvironment({ programFolder, sleep });
}

const indented = JSON.stringify([linuxItem], null, 2);
const forms: readonly (readonly [string, string | Buffer])[] = [
  ["an array with the agent's spacing", JSON.stringify([linuxItem], null, 1).replaceAll("\n", "")],
  ["a bare object", JSON.stringify(linuxItem)],
  ["minified (the Custom Script handler logs into a garbage folder)", JSON.stringify([linuxItem])],
  ["indented with CRLF", indented.replaceAll("\n", "\r\n")],
  ["with a BOM", `\ufeff${indented}`],
  ["as UTF-16 with a BOM", Buffer.from(`\ufeff${indented}`, "utf16le")],
];

test.each(forms)("the environment is read: %s", async (_form, content) => {
  const folder = await handlerFolder(content);
  expect(await read(folder)).toEqual({
    name: "CAPZ.Linux.Bootstrapping",
    version: "1.0",
    ...fields,
    handlerFolder: folder,
  });
});

test("the environment is found one level above the program", async () => {
  const folder = await handlerFolder(JSON.stringify([linuxItem]));
  expect((await read(join(folder, "bin"))).handlerFolder).toBe(folder);
});

test("the file next to the program wins over the one above", async () => {
  const folder = await handlerFolder(JSON.stringify([{ ...linuxItem, name: "Above" }]));
  await writeFile(join(folder, "bin", "HandlerEnvironment.json"), JSON.stringify([linuxItem]));
  expect((await read(join(folder, "bin"))).name).toBe("CAPZ.Linux.Bootstrapping");
});

test("Windows fields and a version that is a text are accepted", async () => {
  const root = String.raw`C:\Packages\Plugins\CAPZ.Windows.Bootstrapping\1.0.0`;
  const windows = {
    logFolder: String.raw`C:\WindowsAzure\Logs\Plugins\CAPZ.Windows.Bootstrapping\1.0.0`,
    configFolder: String.raw`${root}\RuntimeSettings`,
    statusFolder: String.raw`${root}\status`,
    heartbeatFile: String.raw`${root}\status\HeartBeat.Json`,
    deploymentid: "",
    rolename: "",
    instance: "",
    hostResolverAddress: "",
  };
  const item = { name: "CAPZ.Windows.Bootstrapping", version: "1", handlerEnvironment: windows };
  const environment = await read(await handlerFolder(JSON.stringify([item])));
  expect(environment.configFolder).toBe(windows.configFolder);
  expect(environment.version).toBe("1");
  expect(environment.eventsFolder).toBeUndefined();
});

test("a missing eventsFolder is no error, and the preview key stands in for it", async () => {
  const { eventsFolder, ...rest } = fields;
  const without = await read(await handlerFolder(JSON.stringify([{ ...linuxItem, handlerEnvironment: rest }])));
  expect(without.eventsFolder).toBeUndefined();
  const preview = { ...rest, eventsFolder_preview: eventsFolder };
  const item = { ...linuxItem, handlerEnvironment: preview };
  expect((await read(await handlerFolder(JSON.stringify([item])))).eventsFolder).toBe(eventsFolder);
});

test("without a name the folder's name without the version is taken", async () => {
  const folder = await handlerFolder(JSON.stringify([{ handlerEnvironment: fields }]));
  expect(await read(folder)).toMatchObject({ name: "CAPZ.Linux.Bootstrapping", version: "1.0" });
});

test("without a name, a folder that is only a version gives the name of the one above, as Windows lays them out", async () => {
  const folder = join(await handlerFolder(), "CAPZ.Windows.Bootstrapping", "1.0.12");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "HandlerEnvironment.json"), JSON.stringify([{ handlerEnvironment: fields }]));
  expect(await read(folder)).toMatchObject({ name: "CAPZ.Windows.Bootstrapping" });
});

test("a half-written file is read again until it is whole", async () => {
  const whole = JSON.stringify([linuxItem]);
  const folder = await handlerFolder(whole.slice(0, 40));
  let waits = 0;
  const environment = await read(folder, async () => {
    waits++;
    if (waits === 3) await writeFile(join(folder, "HandlerEnvironment.json"), whole);
  });
  expect(environment.name).toBe(linuxItem.name);
  expect(waits).toBe(3);
});

const bad: readonly (readonly [string, string, RegExp])[] = [
  ["empty", "", /it is empty/],
  ["never whole", "[{", /ends too early/],
  ["an empty list", "[]", /not a list with one object/],
  ["null", "null", /not a list with one object/],
  ["without handlerEnvironment", "[{}]", /handlerEnvironment is missing/],
  [
    "without a status folder",
    JSON.stringify([{ handlerEnvironment: { ...fields, statusFolder: null } }]),
    /statusFolder/,
  ],
  ["with a relative folder", JSON.stringify([{ handlerEnvironment: { ...fields, logFolder: "log" } }]), /logFolder/],
];

test.each(bad)("an unusable file names itself and the reason: %s", async (_case, content, reason) => {
  const folder = await handlerFolder(content);
  const failure: unknown = await read(folder).catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(HandlerError);
  expect(failure).toMatchObject({ id: "environmentUnreadable", message: expect.stringMatching(reason) });
  expect(failure).toMatchObject({ message: expect.stringContaining(folder) });
});

test("a missing file names both folders", async () => {
  const folder = await handlerFolder();
  await expect(read(join(folder, "bin"))).rejects.toMatchObject({
    id: "environmentUnreadable",
    message: expect.stringContaining(`${join(folder, "bin")} and ${folder}`),
  });
});

test.each([
  ["/var/lib/waagent/CAPZ.Linux.Bootstrapping-1.0.0", "/var/log/azure/CAPZ.Linux.Bootstrapping"],
  ["/Packages/Plugins/CAPZ.Windows.Bootstrapping/1.0.0", "/var/log/azure/CAPZ.Windows.Bootstrapping/1.0.0"],
])("without the file, the folder %s says the name and the log's place", (folder, logFolder) => {
  expect(conventionalEnvironment(folder, "/var/log/azure")).toEqual({
    name: folder.includes("Windows") ? "CAPZ.Windows.Bootstrapping" : "CAPZ.Linux.Bootstrapping",
    version: "1.0",
    logFolder,
    configFolder: `${folder}/config`,
    statusFolder: `${folder}/status`,
    handlerFolder: folder,
  });
});

test.each([
  [
    { name: "  Spaced  ", version: " 2.1 " },
    { name: "Spaced", version: "2.1" },
  ],
  [
    { name: "   ", version: "  " },
    { name: "CAPZ.Linux.Bootstrapping", version: "1.0" },
  ],
  [
    { name: 5, version: 1.5 },
    { name: "CAPZ.Linux.Bootstrapping", version: "1.5" },
  ],
  [{ version: 2 }, { name: "CAPZ.Linux.Bootstrapping", version: "2.0" }],
  [{ version: null }, { version: "1.0" }],
])("name and version are read without blanks, or by the folder: %j", async (part, expected) => {
  const item = { handlerEnvironment: fields, ...part };
  expect(await read(await handlerFolder(JSON.stringify([item])))).toMatchObject(expected);
});

test("a file that is there and cannot be read is an error that keeps the system's words", async () => {
  const folder = await handlerFolder();
  await mkdir(join(folder, "HandlerEnvironment.json"));
  await expect(read(folder)).rejects.toMatchObject({
    id: "environmentUnreadable",
    message: expect.stringContaining("EISDIR"),
    cause: expect.objectContaining({ code: "EISDIR" }),
  });
});
