import { expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTail } from "../../../handler/check/running/output-tail.ts";
import type { RunProcess } from "../../../handler/host.ts";
import { createCodePage, fromCodePage } from "../../../handler/platform/code-page-windows.ts";
import { linux } from "../../../handler/platform/linux.ts";

/** Bytes as programs of those systems print them (Unicode's tables), not made by the code under test. */
const printed = [
  [850, [0x47, 0x72, 0x94, 0xe1, 0x65], "Größe"],
  [437, [0x4b, 0x81, 0x68, 0x6c, 0x2d, 0x9c], "Kühl-£"],
  [852, [0x88, 0xa2, 0x64, 0xab], "łódź"],
  [866, [0x8e, 0xe8, 0xa8, 0xa1, 0xaa, 0xa0], "Ошибка"],
  [932, [0x8e, 0xb8, 0x94, 0x73], "失敗"],
  [936, [0xca, 0xa7, 0xb0, 0xdc], "失败"],
  [1252, [0x65, 0x72, 0x72, 0xe9], "erré"],
] as const;

function systemOf(page: string | undefined, asked: string[] = []): RunProcess {
  return (_, args) => {
    asked.push(args.at(-1) ?? "");
    const stdout = Buffer.from(`\r\nHKEY_LOCAL_MACHINE\\X\r\n    OEMCP    REG_SZ    ${page ?? ""}\r\n`);
    return Promise.resolve(
      page === undefined
        ? { kind: "exited", code: 1, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }
        : { kind: "exited", code: 0, stdout, stderr: Buffer.alloc(0) },
    );
  };
}

test.each(printed)("output in code page %d is read by it", async (page, bytes, text) => {
  const toUtf8 = createCodePage("reg.exe");
  expect(Buffer.from(await toUtf8(Uint8Array.from(bytes), systemOf(String(page)))).toString("utf8")).toBe(text);
});

test("UTF-8, also cut at both ends, UTF-16 and ASCII stay as they are, and the registry is not asked", async () => {
  const asked: string[] = [];
  const toUtf8 = createCodePage("reg.exe");
  const utf8 = Buffer.from("ä Größe gemeldet, Übermaß ü");
  for (const bytes of [utf8, utf8.subarray(1, -1), Buffer.from("plain"), Buffer.from("\uFEFFGröße", "utf16le")]) {
    expect(await toUtf8(bytes, systemOf("850", asked))).toBe(bytes);
  }
  expect(asked).toEqual([]);
});

test("the registry is asked once; a page that is not known or not told changes nothing", async () => {
  const asked: string[] = [];
  const bytes = Uint8Array.of(0x94, 0x81);
  for (const page of ["65001", "42", undefined]) {
    const toUtf8 = createCodePage("reg.exe");
    expect(await toUtf8(bytes, systemOf(page, asked))).toBe(bytes);
    expect(await toUtf8(bytes, systemOf(page, asked))).toBe(bytes);
  }
  expect(asked).toEqual(["OEMCP", "OEMCP", "OEMCP"]);
  expect(fromCodePage(Uint8Array.of(0x41, 0x80), 437).toString()).toBe(Buffer.from("AÇ").toString());
});

test("the tail of a command's output is shown in the letters of the system", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-page-"));
  writeFileSync(join(folder, "stdout"), Buffer.from([0x47, 0x72, 0x94, 0xe1, 0x65, 0x0d, 0x0a]));
  const host = { platform: { ...linux, toUtf8: createCodePage("reg.exe") }, run: systemOf("850") };
  expect((await readTail(join(folder, "stdout"), 4096, { host })).trim()).toBe("Größe");
  rmSync(folder, { recursive: true });
});
