import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { createLogger, type PeopleLog } from "../../../handler/logging/create-logger.ts";
import { logLimits, rotatedLogName, type LogTarget } from "../../../handler/logging/log.ts";
import { createQuickLog } from "../../../handler/logging/quick-log.ts";
import { ours } from "../../../handler/text/shown-text.ts";

const host = { now: () => new Date("2026-11-22T10:00:00.123Z"), pid: 77 };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "capz-log-"));
});

function forPeople(to: LogTarget): PeopleLog {
  return createLogger({ target: to, terminal: { stream: new PassThrough(), verbose: false } }, host);
}

const at = (name: string): string => join(folder, name);
const sizeOf = (name: string): number => statSync(at(name)).size;
const target = () => ({ folder, operation: "enable", sequence: 3, handlerVersion: "2.0.0" });
const linesOf = (name: string): readonly unknown[] =>
  readFileSync(at(name), "utf8")
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

test("the log is handler.log, then handler1.log to handler3.log", () => {
  expect([0, 1, 2, 3].map(rotatedLogName)).toEqual(["handler.log", "handler1.log", "handler2.log", "handler3.log"]);
  expect(logLimits).toEqual({ bytes: 2 * 1024 * 1024, files: 4 });
});

describe.each([
  ["of the commands for people", forPeople],
  ["of the agent's commands", createQuickLog],
] as const)("the log %s", (_, create) => {
  test("has a line for each message, with its level, and says who speaks; debug is not kept", async () => {
    const log = create(target(), host);
    log.debug("not kept");
    log.info("one");
    log.warn("two password=Zx9Qw7Lm2Vb4");
    log.error("three\nlines");
    log.infoShown(ours`Secret: kept as it is`);
    await log.flush();
    const common = { time: "2026-11-22T10:00:00.123Z", operation: "enable", sequence: 3, version: "2.0.0", pid: 77 };
    expect(linesOf("handler.log")).toEqual([
      { ...common, level: "info", message: "one" },
      { ...common, level: "warn", message: "two password=<redacted:password>" },
      { ...common, level: "error", message: "three\nlines" },
      { ...common, level: "info", message: "Secret: kept as it is" },
    ]);
    expect(statSync(at("handler.log")).mode & 0o777).toBe(0o600);
  });

  test("goes on behind what stands there", async () => {
    writeFileSync(at("handler.log"), '{"message":"before"}\n');
    const log = create(target(), host);
    log.info("after");
    await log.flush();
    expect(linesOf("handler.log")).toEqual([{ message: "before" }, expect.objectContaining({ message: "after" })]);
  });
});

test("a log that cannot be written fails nothing", async () => {
  writeFileSync(at("file"), "");
  const log = createQuickLog({ ...target(), folder: at("file") }, host);
  log.info("nobody hears it");
  await log.flush();
  expect(readdirSync(folder)).toEqual(["file"]);
});

test("a full log moves on by one name, the oldest goes, and none is lost in between", () => {
  const names = [0, 1, 2, 3].map(rotatedLogName);
  for (const [index, name] of names.entries()) writeFileSync(at(name), String(index).repeat(logLimits.bytes));
  createQuickLog(target(), host).info("new");
  expect(readdirSync(folder).sort()).toEqual([...names].sort());
  expect(linesOf("handler.log")).toEqual([expect.objectContaining({ message: "new" })]);
  expect([1, 2, 3].map((index) => readFileSync(at(rotatedLogName(index)), "utf8")[0])).toEqual(["0", "1", "2"]);
});

test("a log that has not reached its size stays where it is", () => {
  writeFileSync(at("handler.log"), "x".repeat(logLimits.bytes - 1));
  createQuickLog(target(), host).info("fits");
  expect(existsSync(at("handler1.log"))).toBe(false);
  expect(sizeOf("handler.log")).toBeGreaterThan(logLimits.bytes);
});

test("only the names that are there move on", () => {
  writeFileSync(at("handler.log"), "x".repeat(logLimits.bytes));
  writeFileSync(at("handler2.log"), "older");
  createQuickLog(target(), host).info("new");
  expect(readdirSync(folder).sort()).toEqual(["handler.log", "handler1.log", "handler3.log"]);
  expect(readFileSync(at("handler3.log"), "utf8")).toBe("older");
});

test("the log of the commands for people is rotated at the same size into the same names", async () => {
  for (const round of [1, 2, 3]) {
    writeFileSync(at("handler.log"), String(round).repeat(logLimits.bytes + 1));
    const log = forPeople(target());
    log.info("one");
    log.info("two");
    await log.flush();
  }
  expect(readdirSync(folder).filter((name) => name !== "handler.log").length).toBeGreaterThan(0);
  expect(readdirSync(folder).filter((name) => !/^handler[123]?\.log$/u.test(name))).toEqual([]);
});

test("a link in the place of a rotated log of the commands for people is removed", async () => {
  writeFileSync(at("theirs"), "theirs");
  for (const index of [1, 2, 3]) symlinkSync(at("theirs"), at(rotatedLogName(index)));
  const log = forPeople(target());
  log.info("one");
  await log.flush();
  expect(readdirSync(folder).sort()).toEqual(["handler.log", "theirs"]);
});
