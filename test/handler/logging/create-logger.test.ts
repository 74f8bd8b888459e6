import { linkSync, lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import * as v from "valibot";
import { PassThrough } from "node:stream";
import { createLogger, type PeopleLog } from "../../../handler/logging/create-logger.ts";
import type { LogTarget } from "../../../handler/logging/log.ts";
import { createQuickLog } from "../../../handler/logging/quick-log.ts";
import { ours } from "../../../handler/text/shown-text.ts";

const host = { now: () => new Date("2026-11-22T10:00:00Z"), pid: 1 };

function forPeople(target: LogTarget): PeopleLog {
  return createLogger({ target, terminal: { stream: new PassThrough(), verbose: true } }, host);
}

test.each([
  ["the log of the commands for people", forPeople],
  ["the supervisor's log", createQuickLog],
] as const)("%s follows no symbolic and no hard link, and holds no secret", async (_name, create) => {
  for (const link of [symlinkSync, linkSync]) {
    const folder = mkdtempSync(join(tmpdir(), "capz-log-"));
    const theirs = join(folder, "shadow");
    writeFileSync(theirs, "root:*:\n");
    link(theirs, join(folder, "handler.log"));
    const log = create({ folder, operation: "run", sequence: 0, handlerVersion: "1.0.0" }, host);
    log.info("token \u001b[36mabcdef.0123456789abcdef\u001b[0m");
    await log.flush();
    expect(readFileSync(theirs, "utf8")).toBe("root:*:\n");
    expect(lstatSync(join(folder, "handler.log")).isSymbolicLink()).toBe(false);
    const [line = ""] = readFileSync(join(folder, "handler.log"), "utf8").split("\n");
    expect(JSON.parse(line)).toMatchObject({ level: "info", message: "token <redacted:join-token>" });
    rmSync(folder, { recursive: true });
  }
});

test.each([
  [false, "joining\n"],
  [true, "joining\ninfo   token <redacted:join-token>\nwarn   slow\n"],
])("the terminal is told of progress, and of all that goes into the file when it is to (%s)", async (verbose, told) => {
  const folder = mkdtempSync(join(tmpdir(), "capz-log-"));
  const stream = new PassThrough();
  const target = { folder, operation: "run", sequence: 0, handlerVersion: "2.0.0" };
  const log = createLogger({ target, terminal: { stream, verbose } }, host);
  log.tell(ours`joining`);
  log.info("token abcdef.0123456789abcdef");
  log.warn("slow");
  await log.flush();
  expect(String(stream.read())).toBe(told);
  const lines = readFileSync(join(folder, "handler.log"), "utf8").trim().split("\n");
  expect(lines.map((line) => v.parse(v.object({ message: v.string() }), JSON.parse(line)).message)).toEqual([
    "token <redacted:join-token>",
    "slow",
  ]);
  rmSync(folder, { recursive: true });
});

test("a log without a folder writes no file, and its end is told", async () => {
  const stream = new PassThrough();
  const target = { operation: "prepare-image", sequence: undefined, handlerVersion: "2.0.0" };
  const log = createLogger({ target, terminal: { stream, verbose: true } }, host);
  log.error("not removed");
  await log.flush();
  expect(String(stream.read())).toBe("error  not removed\n");
});
