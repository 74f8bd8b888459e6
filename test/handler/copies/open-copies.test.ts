import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import AdmZip from "adm-zip";
import fc from "fast-check";
import { entryPath } from "../../../handler/copies/entry-path.ts";
import { openCopies } from "../../../handler/copies/open-copies.ts";
import { archiveKind, unpackArchive } from "../../../handler/copies/unpack-archive.ts";
import { makeTar, makeTgz } from "./make-tar.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "capz-copies-test-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function put(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function filesBelow(place: string): readonly string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
    .toSorted();
}

async function unpacked(name: string, content: Uint8Array, limits?: Parameters<typeof unpackArchive>[1]["limits"]) {
  const path = put(name, content);
  const kind = await archiveKind(path);
  if (kind === undefined || kind === "tar.xz" || kind === "tar.bz2") throw new Error(`taken for ${String(kind)}`);
  const target = join(folder, "target");
  mkdirSync(target);
  const result = await unpackArchive(path, { kind, folder: target, ...(limits === undefined ? {} : { limits }) });
  return { ...result, target, names: filesBelow(target) };
}

const log = { name: "node/var/log/cloud-init-output.log", content: "hello\n" };

test("names that lead out of an archive, links and devices are left out, and nothing is written outside", async () => {
  const hostile = [
    log,
    { name: "../escaped", content: "x" },
    { name: "node/../../escaped", content: "x" },
    { name: "..\\escaped", content: "x" },
    { name: "node/link", type: "2", link: "/etc/passwd" },
    { name: "node/hard", type: "1", link: "/etc/passwd" },
    // The classic: a link to a folder, then a file through it.
    { name: "node/way-out", type: "2", link: folder },
    { name: "node/way-out/escaped", content: "x" },
    { name: "node/device", type: "3" },
    { name: "/absolute", content: "x" },
  ];
  const { names, notes, target } = await unpacked("a.tgz", makeTgz(hostile));
  expect(names).toEqual(["absolute", "node/var/log/cloud-init-output.log", "node/way-out/escaped"]);
  expect(existsSync(join(folder, "escaped"))).toBe(false);
  expect(existsSync(join(dirname(folder), "escaped"))).toBe(false);
  expect(notes).toEqual(["3 entries of the archive were left out: their names lead out of it, or are too long"]);
  expect(readFileSync(join(target, "node/var/log/cloud-init-output.log"), "utf8")).toBe("hello\n");
});

test("whatever an entry is called, its path stays below the folder", () => {
  const part = fc.constantFrom("..", ".", "", "a", "con", "C:", "/", "\\", "\u0000", "...", " ", "x:y");
  fc.assert(
    fc.property(
      fc.array(fc.oneof(part, fc.string()), { maxLength: 8 }),
      fc.constantFrom("/", "\\"),
      (parts, separator) => {
        const path = entryPath(parts.join(separator));
        for (const name of path ?? []) {
          expect(name).not.toMatch(/[\\/:\0]|^\.{0,2}$/u);
        }
      },
    ),
  );
});

test("a zip with a link and with names that lead out gives its plain files alone", async () => {
  const zip = new AdmZip();
  zip.addFile("var/log/cloud-init.log", Buffer.from("hello\n"));
  zip.addFile("var/log/link", Buffer.from("/etc/passwd"));
  for (const entry of zip.getEntries()) if (entry.entryName.endsWith("link")) entry.attr = (0o120777 << 16) >>> 0;
  const bytes = zip.toBuffer();
  // adm-zip writes no such name itself.
  const hostile = Buffer.from(
    bytes.toString("latin1").replaceAll("var/log/cloud-init.log", "../../../loud-init.log"),
    "latin1",
  );
  expect((await unpacked("good.zip", bytes)).names).toEqual(["var/log/cloud-init.log"]);
  rmSync(join(folder, "target"), { recursive: true });
  expect(await unpacked("bad.zip", hostile)).toMatchObject({ names: [], files: 0 });
});

const small = { bytes: 100_000, entries: 5, zipBytes: 1_000_000 };

test.each([
  ["tar.gz", makeTgz([log, { name: "node/bomb.log", content: Buffer.alloc(1_000_000) }])],
  ["tar with a size that lies", makeTar([log, { name: "node/bomb.log", content: Buffer.alloc(1_000_000) }])],
])("a bomb in a %s is read to its limit, and the report says so", async (_, bytes) => {
  const { target, notes } = await unpacked("bomb.tgz", bytes, small);
  const sizes = filesBelow(target).map((name) => readFileSync(join(target, name)).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(small.bytes);
  expect(notes.join()).toContain("the rest was not read");
});

test("a bomb in a zip and one of too many entries are read to the limit", async () => {
  const zip = new AdmZip();
  zip.addFile("a.log", Buffer.from("a"));
  zip.addFile("bomb.log", Buffer.alloc(1_000_000));
  const { names, notes } = await unpacked("bomb.zip", zip.toBuffer(), small);
  expect(names).toEqual(["a.log"]);
  expect(notes.join()).toContain("1000000 bytes, more than may be unpacked");
  rmSync(join(folder, "target"), { recursive: true });
  const many = Array.from({ length: 50 }, (__, index) => ({ name: `f${String(index)}.log`, content: "x" }));
  expect((await unpacked("many.tgz", makeTgz(many), small)).names).toHaveLength(5);
});

test("an entry of a zip that is damaged, encrypted or too large costs no other", async () => {
  const zip = new AdmZip();
  for (const name of ["a.log", "b.log", "c.log", "d.log"]) zip.addFile(name, Buffer.from(`${name} `.repeat(50)));
  const bytes = zip.toBuffer();
  const central = (index: number): number => {
    let at = -1;
    for (let count = 0; count <= index; count++) at = bytes.indexOf("PK\u0001\u0002", at + 1, "latin1");
    return at;
  };
  const [damaged, encrypted, large] = [central(0), central(1), central(2)];
  bytes.writeUInt32LE(0x1234_5678, damaged + 16);
  bytes.writeUInt32LE(0x1234_5678, 14);
  bytes.writeUInt16LE(1, encrypted + 8);
  bytes.writeUInt32LE(0x7fff_ffff, large + 24);
  const { names, notes } = await unpacked("mixed.zip", bytes);
  expect(names).toEqual(["d.log"]);
  expect(notes.join()).toContain("3 entries of the archive could not be unpacked");
});

test("archives in an archive share its limits", async () => {
  const inner = new AdmZip();
  inner.addFile("var/log/cloud-init.log", Buffer.from("hello\n"));
  inner.addFile("var/log/bomb", Buffer.alloc(60_000));
  const outer = new AdmZip();
  for (const name of ["one.zip", "two.zip", "three.zip"]) outer.addFile(name, inner.toBuffer());
  const copies = await openCopies(put("nest.zip", outer.toBuffer()), { ...small, bytes: 100_000, entries: 100 });
  const top = dirname(copies.machines[0]?.root ?? "");
  const sizes = filesBelow(top).map((name) => statSync(join(top, name)).size);
  await copies.close();
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100_000);
  expect(copies.notes.join()).toContain("more than may be unpacked");
});

test("a name that no system keeps, and a path that is too long, cost no other file", async () => {
  const wide = "\u6f22".repeat(33);
  const long = { name: "././@LongLink", type: "L", content: `node/${wide.repeat(4)}.log\0` };
  const deep = { name: "././@LongLink", type: "L", content: `${`${"d".repeat(198)}/`.repeat(22)}x.log\0` };
  const file = { name: "x", content: "x" };
  const { names } = await unpacked("names.tgz", makeTgz([long, file, deep, file, log]));
  expect(names).toContain(log.name);
  expect(names).toHaveLength(2);
  expect(names.every((name) => Buffer.byteLength(name) <= 255 + "node/".length)).toBe(true);
});

test("a file from before 1970 is a file, and a folder of the oldest format is a folder", async () => {
  const old = makeTar([{ name: "node/old.log", content: "x" }]);
  old.fill(0xff, 136, 148);
  old.fill(0x20, 148, 156);
  const sum = old.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  old.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const folderEntry = makeTar([{ name: "node/var/log/", type: "0" }]).subarray(0, 512);
  const bytes = Buffer.concat([old.subarray(0, 1024), folderEntry, makeTar([log])]);
  expect((await unpacked("old.tar", bytes)).names).toEqual(["node/old.log", log.name]);
});

test("what stands behind a file with holes is read", async () => {
  const source = put("source/a-journal", "x");
  const handle = await open(source, "w");
  for (let index = 0; index < 60; index++) await handle.write("d".repeat(4096), index * 65_536);
  await handle.truncate(64 * 65_536);
  await handle.close();
  put("source/b.log", "hello\n");
  const path = join(folder, "sparse.tar");
  execFileSync("tar", ["--format=gnu", "-S", "-cf", path, "-C", join(folder, "source"), "a-journal", "b.log"]);
  expect((await unpacked("read.tar", readFileSync(path))).names).toEqual(["b.log"]);
});

test("an archive that was cut off gives what stands before the cut", async () => {
  const noise = Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * 7919) % 251));
  const whole = makeTgz([log, { name: "node/var/log/syslog", content: noise }]);
  const { names, notes } = await unpacked("cut.tgz", whole.subarray(0, whole.length - 50));
  expect(names).toContain("node/var/log/cloud-init-output.log");
  expect(notes.join()).toContain("damaged");
});

test("names of every format that GNU tar and Python write are read whole", async () => {
  const long = `${"deep/".repeat(15)}${"n".repeat(120)}/cloud-init.log`;
  put(`source/${long}`, "hello\n");
  for (const format of ["gnu", "pax", "ustar"]) {
    const path = join(folder, `${format}.tar`);
    try {
      execFileSync("tar", [`--format=${format}`, "-cf", path, "-C", join(folder, "source"), "deep"]);
    } catch {
      // ustar cannot hold such a name.
      expect(format).toBe("ustar");
      continue;
    }
    const target = join(folder, `target-${format}`);
    mkdirSync(target);
    await unpackArchive(path, { kind: "tar", folder: target });
    expect(filesBelow(target)).toEqual([long]);
  }
});

test.each([
  ["bundle.tar", makeTar([log])],
  ["bundle.tgz", makeTgz([log])],
  ["bundle.tar.zst", zstdCompressSync(makeTar([log]))],
])("%s opens as one machine, and nothing of it stays behind", async (name, bytes) => {
  const copies = await openCopies(put(name, bytes));
  expect(copies.machines.map(({ place }) => place)).toEqual(["node"]);
  const root = copies.machines[0]?.root ?? "";
  expect(existsSync(root)).toBe(true);
  await copies.close();
  expect(existsSync(root)).toBe(false);
});

test("a log that was compressed by itself opens as this log", async () => {
  const copies = await openCopies(put("cloud-init-output.log.gz", gzipSync("hello\n")));
  expect(copies.machines[0]).toMatchObject({ only: true, isNamed: true });
  await copies.close();
});

test("the machines of a whole cluster's bundle are found, links are not followed, and other folders are none", async () => {
  put("clusters/one/machines/one-control-plane-abc/kubelet.log", "x");
  put("clusters/one/machines/one-md-0-def/cloud-init-output.log", "x");
  put("clusters/one/logs/capz-system/manager/manager.log", "x");
  put("clusters/one/machine-pools/one-mp-0/0/journal.log", "x");
  symlinkSync(join(folder, "clusters"), join(folder, "clusters/one/again"));
  const { machines } = await openCopies(folder);
  expect(machines.map(({ place }) => place)).toEqual([
    "clusters/one/machines/one-control-plane-abc",
    "clusters/one/machines/one-md-0-def",
    "clusters/one/machine-pools/one-mp-0/0",
  ]);
});

test("xz is told with the command that unpacks it, an archive's or that of one log", async () => {
  const log = put("console.txt.xz", Buffer.from("fd377a585a000000", "hex"));
  await expect(openCopies(log)).rejects.toThrow('Next: Run "unxz console.txt.xz", and name what it leaves.');
  const path = put("sosreport.tar.xz", Buffer.from("fd377a585a000000", "hex"));
  await expect(openCopies(path)).rejects.toThrow('Next: Run "tar -xf sosreport.tar.xz"');
});

test("an empty name, as of a shell's variable that is not set, is not the present folder", async () => {
  await expect(openCopies("")).rejects.toThrow("An empty name is no place");
});
