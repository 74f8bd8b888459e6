import { PublishError } from "./publish-error.ts";

// Field offsets of ELF64: System V ABI, "ELF header" and "Section header".
const headerFields = { sectionOffset: 0x28, sectionEntrySize: 0x3a, sectionCount: 0x3c, namesIndex: 0x3e };
const sectionEntrySize = 64;
const sectionField = { name: 0, type: 4, flags: 8, offset: 24, size: 32, link: 40 };
const sectionFlagAlloc = 2n;
const sectionTypeNobits = 8;
const sectionTypeStrings = 3;
const programField = { count: 0x38, offset: 0x20, entrySize: 0x36, fileOffset: 8, fileSize: 32 };

interface Section {
  readonly row: Buffer;
  readonly name: string;
}

/**
 * The same program without its symbol table and debug information. Every loaded byte stays where it is: what follows the
 * last loaded byte is cut off, and a section table of the loaded sections is put in its place. Own code and not `strip`,
 * because binutils and llvm write different bytes, and the arm64 form is not installed everywhere.
 */
export function stripElf(program: Buffer): Buffer {
  requireElf64(program);
  const loadedEnd = endOfLoadedBytes(program);
  const kept = loadedSections(program, loadedEnd);
  const { names, offsets } = nameTable(kept);
  const tableOffset = alignTo8(loadedEnd + names.length);
  const table = Buffer.alloc(sectionEntrySize * (kept.length + 1));
  kept.forEach(({ row }, index) => {
    row.copy(table, index * sectionEntrySize);
    table.writeUInt32LE(offsets[index] ?? 0, index * sectionEntrySize + sectionField.name);
  });
  writeNamesRow(table.subarray(kept.length * sectionEntrySize), {
    name: offsets[kept.length] ?? 0,
    offset: loadedEnd,
    size: names.length,
  });
  const stripped = Buffer.alloc(tableOffset + table.length);
  program.copy(stripped, 0, 0, loadedEnd);
  names.copy(stripped, loadedEnd);
  table.copy(stripped, tableOffset);
  stripped.writeBigUInt64LE(BigInt(tableOffset), headerFields.sectionOffset);
  stripped.writeUInt16LE(kept.length + 1, headerFields.sectionCount);
  stripped.writeUInt16LE(kept.length, headerFields.namesIndex);
  return stripped;
}

function requireElf64(program: Buffer): void {
  const isElf64 = program.length > 64 && program.readUInt32BE(0) === 0x7f454c46 && program[4] === 2 && program[5] === 1;
  if (isElf64 && program.readUInt16LE(headerFields.sectionEntrySize) === sectionEntrySize) return;
  throw new PublishError(
    "The Node program cannot be stripped: it is not a 64-bit little-endian ELF file with a section table.",
    "Compare publish/runtime-pins.json with the npm package that it names.",
  );
}

function endOfLoadedBytes(program: Buffer): number {
  const start = Number(program.readBigUInt64LE(programField.offset));
  const entrySize = program.readUInt16LE(programField.entrySize);
  const rows = Array.from(
    { length: program.readUInt16LE(programField.count) },
    (_, index) => start + index * entrySize,
  );
  return Math.max(
    start + rows.length * entrySize,
    ...rows.map((row) =>
      Number(
        program.readBigUInt64LE(row + programField.fileOffset) + program.readBigUInt64LE(row + programField.fileSize),
      ),
    ),
  );
}

function loadedSections(program: Buffer, loadedEnd: number): readonly Section[] {
  const sections = readSections(program);
  const isLoaded = ({ row }: Section): boolean => (row.readBigUInt64LE(sectionField.flags) & sectionFlagAlloc) !== 0n;
  const count = sections.findLastIndex(isLoaded) + 1;
  const kept = sections.slice(0, count);
  const sound = kept.every(
    (section, index) =>
      (index === 0 || isLoaded(section)) &&
      section.row.readUInt32LE(sectionField.link) < count &&
      endOf(section.row) <= loadedEnd,
  );
  // Indexes in sh_link and sh_info stay true only because the loaded sections come first.
  if (sound) return kept;
  throw new PublishError(
    "The Node program cannot be stripped: its loaded sections do not precede the others.",
    "A new Node line is linked in another order: extend publish/strip-elf.ts before pinning it.",
  );
}

function endOf(row: Buffer): number {
  if (row.readUInt32LE(sectionField.type) === sectionTypeNobits) return 0;
  return Number(row.readBigUInt64LE(sectionField.offset) + row.readBigUInt64LE(sectionField.size));
}

function readSections(program: Buffer): readonly Section[] {
  const start = Number(program.readBigUInt64LE(headerFields.sectionOffset));
  const rows = Array.from({ length: program.readUInt16LE(headerFields.sectionCount) }, (_, index) =>
    program.subarray(start + index * sectionEntrySize, start + (index + 1) * sectionEntrySize),
  );
  const names = rows[program.readUInt16LE(headerFields.namesIndex)];
  const namesOffset = names === undefined ? 0 : Number(names.readBigUInt64LE(sectionField.offset));
  return rows.map((row) => {
    const from = namesOffset + row.readUInt32LE(sectionField.name);
    return { row, name: program.toString("latin1", from, program.indexOf(0, from)) };
  });
}

function nameTable(kept: readonly Section[]): { readonly names: Buffer; readonly offsets: readonly number[] } {
  const offsets: number[] = [];
  let text = "\0";
  for (const name of [...kept.map((section) => section.name), ".shstrtab"]) {
    offsets.push(name === "" ? 0 : text.length);
    if (name !== "") text += `${name}\0`;
  }
  return { names: Buffer.from(text, "latin1"), offsets };
}

function writeNamesRow(
  row: Buffer,
  names: { readonly name: number; readonly offset: number; readonly size: number },
): void {
  row.writeUInt32LE(names.name, sectionField.name);
  row.writeUInt32LE(sectionTypeStrings, sectionField.type);
  row.writeBigUInt64LE(BigInt(names.offset), sectionField.offset);
  row.writeBigUInt64LE(BigInt(names.size), sectionField.size);
  row.writeBigUInt64LE(1n, 48);
}

function alignTo8(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}
