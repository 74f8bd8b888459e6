/**
 * Makes a Windows program that starts another one: its line is `prefix` followed by the program's own command line, its
 * standard handles and its exit code are the other's. So a script can stand in for a program such as powershell.exe, which
 * must be a real executable file, without a compiler for Windows.
 */
export function forwardingProgram(prefix: string): Buffer {
  const section = new Section();
  const functions = section.imports("KERNEL32.dll", [
    "lstrcpyW",
    "lstrcatW",
    "GetCommandLineW",
    "CreateProcessW",
    "WaitForSingleObject",
    "GetExitCodeProcess",
    "ExitProcess",
  ]);
  const text = section.place(Buffer.from(`${prefix} \0`, "utf16le"));
  const startup = section.place(startupInfo());
  const processInfo = section.place(Buffer.alloc(24));
  const exitCode = section.place(Buffer.from([99, 0, 0, 0]));
  const line = lineBuffer;
  const call = (name: string): void => {
    section.code([0xff, 0x15], functions.get(name) ?? 0);
  };
  section.code([0x48, 0x83, 0xec, 0x78]); // sub rsp, 0x78
  section.code([0x48, 0x8d, 0x0d], line); // lea rcx, [line]
  section.code([0x48, 0x8d, 0x15], text); // lea rdx, [text]
  call("lstrcpyW");
  call("GetCommandLineW");
  section.code([0x48, 0x8d, 0x0d], line); // lea rcx, [line]
  section.code([0x48, 0x89, 0xc2]); // mov rdx, rax
  call("lstrcatW");
  section.code([0x31, 0xc9]); // xor ecx, ecx
  section.code([0x48, 0x8d, 0x15], line); // lea rdx, [line]
  section.code([0x45, 0x31, 0xc0, 0x45, 0x31, 0xc9]); // xor r8d, r8d; xor r9d, r9d
  section.code([0xc7, 0x44, 0x24, 0x20, 1, 0, 0, 0]); // inherit handles: yes
  section.code([0xc7, 0x44, 0x24, 0x28, 0, 0, 0, 0]); // flags: none
  section.code([0x48, 0xc7, 0x44, 0x24, 0x30, 0, 0, 0, 0]); // environment: ours
  section.code([0x48, 0xc7, 0x44, 0x24, 0x38, 0, 0, 0, 0]); // folder: ours
  section.code([0x48, 0x8d, 0x05], startup); // lea rax, [startup]
  section.code([0x48, 0x89, 0x44, 0x24, 0x40]); // mov [rsp+0x40], rax
  section.code([0x48, 0x8d, 0x05], processInfo); // lea rax, [processInfo]
  section.code([0x48, 0x89, 0x44, 0x24, 0x48]); // mov [rsp+0x48], rax
  call("CreateProcessW");
  section.code([0x48, 0x8b, 0x0d], processInfo); // mov rcx, [processInfo]
  section.code([0xba, 0xff, 0xff, 0xff, 0xff]); // mov edx, INFINITE
  call("WaitForSingleObject");
  section.code([0x48, 0x8b, 0x0d], processInfo); // mov rcx, [processInfo]
  section.code([0x48, 0x8d, 0x15], exitCode); // lea rdx, [exitCode]
  call("GetExitCodeProcess");
  section.code([0x8b, 0x0d], exitCode); // mov ecx, [exitCode]
  call("ExitProcess");
  return Buffer.concat([headers(section.importTable()), section.bytes()]);
}

const sectionAddress = 0x1000;
const rawSize = 0x2000;
const virtualSize = 0x20000;
const headerSize = 0x200;
/** Beyond what the file holds: zero, and large enough for two command lines. */
const lineBuffer = sectionAddress + 0x4000;
/** Code first, data behind it. */
const dataStart = 0x400;

/** One section of code and data; addresses are relative to the start of the program in memory. */
class Section {
  readonly #bytes = Buffer.alloc(rawSize);
  #codeEnd = 0;
  #dataEnd = dataStart;
  #imports = { address: 0, size: 0 };

  /** Appends an instruction; `target` becomes its last four bytes, relative to the next instruction. */
  code(bytes: readonly number[], target?: number): void {
    Buffer.from(bytes).copy(this.#bytes, this.#codeEnd);
    this.#codeEnd += bytes.length;
    if (target === undefined) return;
    this.#bytes.writeInt32LE(target - (sectionAddress + this.#codeEnd + 4), this.#codeEnd);
    this.#codeEnd += 4;
  }

  place(data: Buffer): number {
    const at = this.#dataEnd;
    data.copy(this.#bytes, at);
    this.#dataEnd = (at + data.length + 15) & ~15;
    return sectionAddress + at;
  }

  /** Import table of one library; gives the address of each function's pointer. */
  imports(library: string, names: readonly string[]): ReadonlyMap<string, number> {
    const libraryName = this.place(Buffer.from(`${library}\0`, "latin1"));
    const hints = names.map((name) => this.place(Buffer.from(`\0\0${name}\0`, "latin1")));
    const pointers = Buffer.alloc((names.length + 1) * 8);
    hints.forEach((hint, index) => pointers.writeUInt32LE(hint, index * 8));
    const lookup = this.place(pointers);
    const addresses = this.place(pointers);
    const descriptor = Buffer.alloc(40);
    descriptor.writeUInt32LE(lookup, 0);
    descriptor.writeUInt32LE(libraryName, 12);
    descriptor.writeUInt32LE(addresses, 16);
    this.#imports = { address: this.place(descriptor), size: descriptor.length };
    return new Map(names.map((name, index) => [name, addresses + index * 8]));
  }

  importTable(): { readonly address: number; readonly size: number } {
    return this.#imports;
  }

  bytes(): Buffer {
    if (this.#codeEnd > dataStart || this.#dataEnd > rawSize) throw new Error("The program does not fit its section");
    return this.#bytes;
  }
}

/** STARTUPINFOW: 104 bytes that begin with their own number. */
function startupInfo(): Buffer {
  const info = Buffer.alloc(104);
  info.writeUInt32LE(104, 0);
  return info;
}

/** PE32+ headers of a console program with one section (Microsoft PE and COFF specification). */
function headers(imports: { readonly address: number; readonly size: number }): Buffer {
  const bytes = Buffer.alloc(headerSize);
  bytes.write("MZ", 0, "latin1");
  bytes.writeUInt32LE(0x40, 0x3c);
  bytes.write("PE\0\0", 0x40, "latin1");
  const coff = 0x44;
  bytes.writeUInt16LE(0x8664, coff); // x64
  bytes.writeUInt16LE(1, coff + 2); // sections
  bytes.writeUInt16LE(240, coff + 16); // size of the optional header
  bytes.writeUInt16LE(0x22, coff + 18); // executable, large addresses
  const optional = coff + 20;
  bytes.writeUInt16LE(0x20b, optional);
  bytes.writeUInt32LE(sectionAddress, optional + 16); // entry point
  bytes.writeUInt32LE(sectionAddress, optional + 20);
  bytes.writeBigUInt64LE(0x140000000n, optional + 24); // image base
  bytes.writeUInt32LE(0x1000, optional + 32); // section alignment
  bytes.writeUInt32LE(0x200, optional + 36); // file alignment
  bytes.writeUInt16LE(6, optional + 40); // operating system version
  bytes.writeUInt16LE(6, optional + 48); // subsystem version
  bytes.writeUInt32LE(sectionAddress + virtualSize, optional + 56); // size of the image
  bytes.writeUInt32LE(headerSize, optional + 60);
  bytes.writeUInt16LE(3, optional + 68); // console
  for (const offset of [72, 88]) bytes.writeBigUInt64LE(0x100000n, optional + offset); // reserved stack and heap
  for (const offset of [80, 96]) bytes.writeBigUInt64LE(0x1000n, optional + offset); // committed
  bytes.writeUInt32LE(16, optional + 108); // directories
  bytes.writeUInt32LE(imports.address, optional + 120);
  bytes.writeUInt32LE(imports.size, optional + 124);
  const section = optional + 240;
  bytes.write(".text", section, "latin1");
  bytes.writeUInt32LE(virtualSize, section + 8);
  bytes.writeUInt32LE(sectionAddress, section + 12);
  bytes.writeUInt32LE(rawSize, section + 16);
  bytes.writeUInt32LE(headerSize, section + 20);
  bytes.writeUInt32LE(0xe0000060, section + 36); // code and data; execute, read, write
  return bytes;
}
