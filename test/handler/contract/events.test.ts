import { expect, test } from "@jest/globals";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
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
