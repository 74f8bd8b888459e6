import { lstatSync, mkdirSync, mkdtempSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { readPackagedFile } from "../../../handler/files/packaged-file.ts";
import { makePrivateFolder, takePrivateFolder } from "../../../handler/files/private-folder.ts";

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "private-"));
});

test.each([makePrivateFolder, takePrivateFolder])(
  "%p makes a folder, with those above it, closed to others",
  (make) => {
    const path = join(top, "a/b");
    make(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    writeFileSync(join(path, "kept"), "");
    make(path);
    expect(readdirSync(path)).toEqual(["kept"]);
  },
);

test("takePrivateFolder() takes the place of a link or a file, and not of what the link leads to", () => {
  const theirs = join(top, "theirs");
  mkdirSync(theirs);
  writeFileSync(join(theirs, "kept"), "");
  symlinkSync(theirs, join(top, "link"));
  writeFileSync(join(top, "file"), "");
  for (const name of ["link", "file"]) {
    takePrivateFolder(join(top, name));
    expect(lstatSync(join(top, name)).isDirectory()).toBe(true);
    expect(readdirSync(join(top, name))).toEqual([]);
  }
  expect(readdirSync(theirs)).toEqual(["kept"]);
});

test("a folder that cannot be made is an error that names it and keeps the system's words", () => {
  writeFileSync(join(top, "file"), "");
  const path = join(top, "file", "below");
  const make = (): void => {
    makePrivateFolder(path);
  };
  expect(make).toThrow(`Cannot create folder "${path}": `);
  expect(make).toThrow("ENOTDIR");
});

test("a file of the packaged check is read from the folder bundle beside the program", async () => {
  mkdirSync(join(top, "bundle"));
  writeFileSync(join(top, "bundle", "rules.json"), "{}");
  expect(await readPackagedFile(top, "rules.json")).toBe("{}");
  await expect(readPackagedFile(top, "none.json")).rejects.toMatchObject({ code: "ENOENT" });
});
