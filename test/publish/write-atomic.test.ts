import { expect, test } from "@jest/globals";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeAtomic } from "../../publish/write-atomic.ts";

test("a file is put in place whole, and nothing stays beside it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-write-"));
  try {
    await writeAtomic(join(folder, "made", "file"), "one");
    await writeAtomic(join(folder, "made", "file"), "two", 0o600);
    expect(readFileSync(join(folder, "made", "file"), "utf8")).toBe("two");
    expect(lstatSync(join(folder, "made", "file")).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "made"))).toEqual(["file"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what is no file, such as a pipe or /dev/null, stays what it is and gets the bytes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-write-"));
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  try {
    const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "inherit"] });
    const read: Buffer[] = [];
    reader.stdout.on("data", (chunk: Buffer) => read.push(chunk));
    await writeAtomic(pipe, "through");
    await once(reader, "close");
    expect(Buffer.concat(read).toString()).toBe("through");
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
