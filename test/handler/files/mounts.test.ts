import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { localPaths, readMounts } from "../../../handler/files/mounts.ts";

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "capz-mounts-"));
});

/** A list of mounts as proc(5) has it, with a file system of this type at this folder. */
function listWith(point: string, type: string): string {
  const line = (at: string, kind: string) => `22 1 8:1 / ${at} rw,relatime shared:1 - ${kind} source rw\n`;
  const list = join(top, "mountinfo");
  writeFileSync(list, line("/", "ext4") + line("/run", "tmpfs") + line(point.replaceAll(" ", "\\040"), type));
  return list;
}

test("what lies on a share, or behind a link to one, may not answer; all else does, whether it is there or not", () => {
  const share = join(top, "a share");
  mkdirSync(join(share, "pki"), { recursive: true });
  mkdirSync(join(top, "etc/kubernetes"), { recursive: true });
  symlinkSync(share, join(top, "etc/linked"));
  symlinkSync("../a share/pki", join(top, "etc/relative"));
  symlinkSync("linked", join(top, "etc/twice"));
  symlinkSync("kubernetes", join(top, "etc/local"));
  const answers = localPaths(listWith(share, "nfs4"));
  const told = (path: string) => answers(join(top, path));
  expect(["a share", "a share/pki", "etc/linked/pki", "etc/relative", "etc/twice/pki/x"].map(told)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(["", "a shared", "etc/kubernetes", "etc/local/x", "missing/x"].map(told)).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(answers(`${top}/etc/linked/..`)).toBe(false);
});

test("a link that leads to itself is not followed for ever", () => {
  symlinkSync("loop", join(top, "loop"));
  expect(localPaths(listWith(join(top, "share"), "cifs"))(join(top, "loop"))).toBe(false);
});

test("a local mount below a share's folder answers, and a share below a local one does not", () => {
  expect(localPaths(listWith(join(top, "x"), "tmpfs"))(join(top, "x/y"))).toBe(true);
  for (const type of ["nfs4", "cifs", "fuse.blobfuse2", "autofs", "ceph", "9p"])
    expect(localPaths(listWith(join(top, "x"), type))(join(top, "x/y"))).toBe(false);
});

test("of several mounts at one folder the last one answers", () => {
  const [share, local] = ["nfs4", "ext4"].map((type) => `23 22 8:1 / ${join(top, "x")} rw - ${type} source rw\n`);
  const list = join(top, "mountinfo");
  const root = "22 1 8:1 / / rw - ext4 source rw\n";
  writeFileSync(list, `${root}${String(local)}${String(share)}`);
  expect(localPaths(list)(join(top, "x/y"))).toBe(false);
  writeFileSync(list, `${root}${String(share)}${String(local)}`);
  expect(localPaths(list)(join(top, "x/y"))).toBe(true);
});

test("without a list of mounts nothing is held back", () => {
  expect(readMounts(join(top, "none"))).toBeUndefined();
  expect(localPaths(join(top, "none"))("/anything")).toBe(true);
});

/** A list of these mounts, in this order. */
function listOf(...mounts: readonly (readonly [point: string, type: string])[]): string {
  const list = join(top, "mountinfo");
  writeFileSync(list, mounts.map(([point, type]) => `22 1 8:1 / ${point} rw - ${type} source rw\n`).join(""));
  return list;
}

test("of two mounts on the way to a path the nearer one answers for it, wherever it stands in the list", () => {
  const [near, far] = [join(top, "a/b"), join(top, "a")];
  expect(localPaths(listOf([near, "nfs4"], ["/", "ext4"], [far, "ext4"]))(join(near, "x"))).toBe(false);
});

test("where the root itself is a share, a local mount below it still answers", () => {
  const part = top.split("/")[1] ?? "";
  const answers = localPaths(listOf(["/", "nfs4"], [`/${part}`, "ext4"]));
  expect(answers(`//${part}/./x`)).toBe(true);
  expect(answers("/elsewhere")).toBe(false);
});

test("a path of which no mount is known, and a line that is none, is not asked for", () => {
  expect(localPaths(listOf(["/elsewhere", "ext4"], ["/other", "nfs4"]))("/x")).toBe(false);
  writeFileSync(join(top, "mountinfo"), "22 1 8:1 / / rw without a type\n");
  expect(readMounts(join(top, "mountinfo"))).toEqual([{ point: "/", isLocal: false }]);
});

test("with local mounts alone every path may be asked for, and a list is its lines", () => {
  const list = listOf(["/", "ext4"], ["/run", "tmpfs"], ["/proc/x", "autofs"]);
  expect(readMounts(list)).toEqual([
    { point: "/", isLocal: true },
    { point: "/run", isLocal: true },
    { point: "/proc/x", isLocal: true },
  ]);
  symlinkSync("loop", join(top, "loop"));
  expect(localPaths(list)(join(top, "loop"))).toBe(true);
});

test("a chain of forty links is followed, one of forty-one is not", () => {
  for (let index = 1; index <= 41; index++)
    symlinkSync(index === 1 ? "end" : `link-${String(index - 1)}`, join(top, `link-${String(index)}`));
  const answers = localPaths(listWith(join(top, "share"), "nfs4"));
  expect([40, 41].map((links) => answers(join(top, `link-${String(links)}`)))).toEqual([true, false]);
});
