import { execFileSync } from "node:child_process";
import { mkdtempSync, openSync, closeSync, readFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { writeStatus } from "../../../handler/contract/status-file.ts";
import { ours } from "../../../handler/text/shown-text.ts";

test("a verdict is written while a file system holds every file thread", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-hung-"));
  // Opening a pipe that nobody writes to takes a thread as a dead network file system does.
  const pipes = Array.from({ length: 8 }, (_, index) => join(folder, `pipe-${String(index)}`));
  execFileSync("mkfifo", pipes);
  const held: Promise<FileHandle>[] = pipes.map((pipe) => open(pipe, "r"));
  const status = {
    kind: "success",
    operation: "Enable",
    code: 0,
    message: ours`Bootstrapped`,
    substatuses: [],
  } as const;
  await writeStatus({ folder, sequence: 3, extensionName: undefined, status, now: new Date() });
  expect(readFileSync(join(folder, "3.status"), "utf8")).toContain("Bootstrapped");
  // Open until all have come through: those that still wait for a thread would find nobody again.
  const writers = pipes.map((pipe) => openSync(pipe, "r+"));
  await Promise.all(held.map(async (file) => (await file).close()));
  for (const writer of writers) closeSync(writer);
});
