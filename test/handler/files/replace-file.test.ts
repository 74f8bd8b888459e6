import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { replaceFile } from "../../../handler/files/replace-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "replace-"));
});

const bytes = Buffer.from("new");

test.each([true, false])("a file is replaced as a whole and is root's alone (flushed: %s)", async (durable) => {
  const path = join(folder, "file");
  writeFileSync(path, "old and longer", { mode: 0o644 });
  await replaceFile({ path, bytes, durable });
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["file"]);
});

test("a link in the file's place is replaced, and what it leads to stays as it is", async () => {
  writeFileSync(join(folder, "theirs"), "theirs");
  symlinkSync("theirs", join(folder, "file"));
  await replaceFile({ path: join(folder, "file"), bytes });
  expect(readFileSync(join(folder, "theirs"), "utf8")).toBe("theirs");
  expect(readFileSync(join(folder, "file"), "utf8")).toBe("new");
});

test("a folder in the file's place is set aside with all that is in it", async () => {
  mkdirSync(join(folder, "file"));
  writeFileSync(join(folder, "file", "kept"), "kept");
  await replaceFile({ path: join(folder, "file"), bytes });
  expect(readFileSync(join(folder, "file"), "utf8")).toBe("new");
  const [aside = "", ...others] = readdirSync(folder).filter((name) => name !== "file");
  expect(aside).toMatch(/^file\.aside-[0-9a-f]{16}$/u);
  expect(others).toEqual([]);
  expect(readFileSync(join(folder, aside, "kept"), "utf8")).toBe("kept");
});

test("a replacement that fails gives the system's error and leaves nothing behind", async () => {
  await expect(replaceFile({ path: join(folder, "x".repeat(300)), bytes })).rejects.toMatchObject({
    code: "ENAMETOOLONG",
  });
  await expect(replaceFile({ path: join(folder, "none", "file"), bytes })).rejects.toMatchObject({ code: "ENOENT" });
  expect(readdirSync(folder)).toEqual([]);
});

test("no descriptor stays open", async () => {
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  for (let round = 0; round < 5; round++) await replaceFile({ path: join(folder, "file"), bytes });
  expect(open()).toBe(before);
});
