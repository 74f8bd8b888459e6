import { linkSync, lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { createLogger } from "../../../handler/logging/create-logger.ts";
import { createQuickLog } from "../../../handler/logging/quick-log.ts";

const host = { now: () => new Date("2026-11-22T10:00:00Z"), pid: 1 };

test.each([
  ["the log of the commands for people", createLogger],
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
