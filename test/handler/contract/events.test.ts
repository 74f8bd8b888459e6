import { expect, test } from "@jest/globals";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeEvent, type TelemetryEvent } from "../../../handler/contract/events.ts";
import { show } from "../../../handler/text/shown-text.ts";

const event: TelemetryEvent = {
  level: "Informational",
  task: "supervise",
  message: show("The node has bootstrapped"),
  operationId: "0d1f7a52-5a0e-4c43-9e0c-1b6b3c0e9a11",
  handlerVersion: "1.0.0",
  pid: 4711,
  now: new Date("2026-01-31T12:00:00.123Z"),
};

async function folders() {
  const logFolder = await mkdtemp(join(tmpdir(), "log-"));
  const eventsFolder = join(logFolder, "events");
  await mkdir(eventsFolder);
  return { logFolder, eventsFolder };
}

const parseFields: (text: string) => Readonly<Record<string, string>> = JSON.parse;

async function onlyEvent(folder: string): Promise<Readonly<Record<string, string>>> {
  const [name = ""] = await readdir(folder);
  return parseFields(await readFile(join(folder, name), "utf8"));
}

test("an event has the eight keys as texts and is named for its microsecond", async () => {
  const { logFolder, eventsFolder } = await folders();
  expect((await writeEvent(event, { logFolder, eventsFolder })).kind).toBe("written");
  expect(await readdir(eventsFolder)).toEqual(["1769860800123000.json"]);
  expect(await onlyEvent(eventsFolder)).toEqual({
    Version: "1.0.0",
    Timestamp: "2026-01-31T12:00:00.123Z",
    TaskName: "supervise",
    EventLevel: "Informational",
    Message: "The node has bootstrapped",
    EventPid: "4711",
    EventTid: "4711",
    OperationId: event.operationId,
  });
  expect(await readdir(logFolder)).toEqual(["events"]);
});

test("without an events folder nothing happens", async () => {
  const { logFolder, eventsFolder } = await folders();
  expect(await writeEvent(event, { logFolder })).toMatchObject({ kind: "skipped" });
  expect(await writeEvent(event, { logFolder, eventsFolder: join(eventsFolder, "missing") })).toMatchObject({
    kind: "skipped",
  });
  expect(await readdir(logFolder)).toEqual(["events"]);
});

test("an events folder that is a file, and a log folder that is gone, fail nothing", async () => {
  const { logFolder, eventsFolder } = await folders();
  await writeFile(join(logFolder, "file"), "");
  expect((await writeEvent(event, { logFolder, eventsFolder: join(logFolder, "file") })).kind).toBe("skipped");
  expect((await writeEvent(event, { logFolder: join(logFolder, "gone"), eventsFolder })).kind).toBe("skipped");
});

test("events of the same millisecond do not replace each other", async () => {
  const { logFolder, eventsFolder } = await folders();
  const results = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      writeEvent({ ...event, message: show(`event ${index}`) }, { logFolder, eventsFolder }),
    ),
  );
  expect(results.filter((result) => result.kind === "written")).toHaveLength(30);
  expect(await readdir(eventsFolder)).toHaveLength(30);
  expect(await readdir(logFolder)).toEqual(["events"]);
});

test("the message is cut at 3072 characters and the eight values stay within 6144", async () => {
  const { logFolder, eventsFolder } = await folders();
  const long = "y y ".repeat(25_000);
  await writeEvent(
    { ...event, message: show(long), task: long, operationId: long, handlerVersion: long },
    { logFolder, eventsFolder },
  );
  const fields = await onlyEvent(eventsFolder);
  expect(fields["Message"]).toHaveLength(3072);
  expect(Object.values(fields).join("").length).toBeLessThanOrEqual(6144);
});

test("an empty message is not sent, an empty other value becomes a word, control characters go", async () => {
  const { logFolder, eventsFolder } = await folders();
  expect((await writeEvent({ ...event, message: show("\u0000 \n") }, { logFolder, eventsFolder })).kind).toBe(
    "skipped",
  );
  await writeEvent({ ...event, message: show("\u001b[31mred\ud800"), operationId: "" }, { logFolder, eventsFolder });
  expect(await onlyEvent(eventsFolder)).toMatchObject({ Message: "red\ufffd", OperationId: "unknown" });
});

test("an event is readable by root only, and the next name is taken where its own is there already", async () => {
  const { logFolder, eventsFolder } = await folders();
  const [first, second] = ["1769860800123000.json", "1769860800123001.json"];
  await writeFile(join(eventsFolder, first), "another");
  expect(await writeEvent(event, { logFolder, eventsFolder })).toEqual({
    kind: "written",
    path: join(eventsFolder, second),
  });
  expect((await stat(join(eventsFolder, second))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(eventsFolder, first), "utf8")).toBe("another");
});

test("a thousand events of one millisecond are enough: the next is not sent, and nothing of it stays", async () => {
  const { logFolder, eventsFolder } = await folders();
  for (let name = 0; name < 1000; name++) await writeFile(join(eventsFolder, `${1769860800123000 + name}.json`), "");
  expect(await writeEvent(event, { logFolder, eventsFolder })).toEqual({
    kind: "skipped",
    reason: "1000 events of one millisecond are there already",
  });
  await rm(join(eventsFolder, "1769860800123999.json"));
  expect((await writeEvent(event, { logFolder, eventsFolder })).kind).toBe("written");
  expect(await readdir(logFolder)).toEqual(["events"]);
});

test("why an event was not sent is told", async () => {
  const { logFolder, eventsFolder } = await folders();
  const file = join(logFolder, "file");
  await writeFile(file, "");
  expect(await writeEvent(event, { logFolder })).toEqual({ kind: "skipped", reason: "the agent collects no events" });
  expect(await writeEvent(event, { logFolder, eventsFolder: file })).toEqual({
    kind: "skipped",
    reason: `${file} is no folder`,
  });
  expect(await writeEvent({ ...event, message: show(" ") }, { logFolder, eventsFolder })).toEqual({
    kind: "skipped",
    reason: "the message is empty",
  });
});
