import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { RunProcess, RunResult } from "../../../handler/host.ts";
import { findHooks } from "../../../handler/check/program/find-hooks.ts";
import { othersWhoMayChange } from "../../../handler/platform/access-list-windows.ts";
import { ownerIn } from "../../../handler/platform/file-owner-windows.ts";
import { windowsHooks } from "../../../handler/platform/hooks-windows.ts";
import { linux } from "../../../handler/platform/linux.ts";
import { windowsPrograms } from "../../../handler/platform/powershell-windows.ts";

/** As Windows gives it to what an administrator makes below Program Files. */
const closed =
  "D:AI(A;ID;FA;;;S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464)(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)(A;ID;0x1200a9;;;AC)";
const rootOfDrive = "D:PAI(A;;LC;;;AU)(A;OICIIO;SDGXGWGR;;;AU)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)";

describe("an access list", () => {
  test.each([
    ["of Program Files", closed, "folder", []],
    ["of the root of a drive, where users may make folders", rootOfDrive, "above", []],
    [
      "of a folder below the root of a drive",
      "D:AI(A;ID;FA;;;BA)(A;OICIID;0x1301bf;;;AU)",
      "folder",
      ["Authenticated Users"],
    ],
    ["that lets users add files", "D:AI(A;ID;FA;;;BA)(A;CIID;DCLCRPCR;;;BU)", "folder", ["Users"]],
    ["that lets users add files further up", "D:AI(A;ID;FA;;;BA)(A;CIID;DCLCRPCR;;;BU)", "above", []],
    ["that lets somebody delete further up", "D:(A;;SD;;;S-1-5-21-1-2-3-1001)", "above", ["S-1-5-21-1-2-3-1001"]],
    ["that lets everybody append", "D:(A;;LC;;;WD)", "file", ["Everyone"]],
    ["with a condition", 'D:(XA;;FW;;;AU;(@User.title=="x"))', "file", ["Authenticated Users"]],
    ["that gives the right to change it", "D:(A;;WD;;;NS)", "file", ["Network Service"]],
    ["with a right of tomorrow", "D:(A;;ZZ;;;BU)", "file", ["Users"]],
    ["that denies and lets read", "D:(D;;FA;;;BU)(A;;FR;;;BU)(A;;FX;;;WD)", "file", []],
    ["that is not there", "D:NO_ACCESS_CONTROL", "file", ["anybody"]],
    ["that nothing is known of", "", "file", ["anybody"]],
    ["that lets nobody in", "D:P", "file", []],
  ] as const)("%s", (...[, sddl, kind, others]) => {
    expect(othersWhoMayChange(sddl, kind)).toEqual(others);
  });
});

test("an owner stands in front of the name in a listing, whatever the language of its date", () => {
  const english =
    "Volume in drive C has no label.\r\nVolume Serial Number is 1234-5678\r\n\r\n03/01/2026  08:30 AM    <DIR>          BUILTIN\\Administrators .\r\n03/01/2026  08:30 AM    <DIR>          NT SERVICE\\TrustedInsta..\r\n";
  expect(ownerIn(english, ".")).toBe("BUILTIN\\Administrators");
  const german =
    " Verzeichnis von C:\\x\r\n\r\n01.03.2026  08:30                12 VORDEFINIERT\\Administra10-gpu.ps1\r\n               1 Datei(en)             12 Bytes\r\n";
  expect(ownerIn(german, "10-gpu.ps1")).toBe("VORDEFINIERT\\Administra");
  expect(ownerIn(german, "20-gpu.ps1")).toBeUndefined();
});

describe("hooks on Windows", () => {
  let root: string;
  let folder: string;
  let scratch: string;
  let lists: Record<string, string | undefined>;
  let owners: Record<string, string>;
  let started: number;
  let savedName: string | undefined;
  let ownerCode: number;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "capz-hooks-"));
    folder = join(root, "check.d");
    scratch = join(root, "scratch");
    for (const made of [folder, scratch]) mkdirSync(made);
    writeFileSync(join(folder, "10-gpu.ps1"), "exit 75");
    [lists, owners, started, savedName, ownerCode] = [{}, {}, 0, undefined, 0];
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  const exited = (code: number, stdout = ""): RunResult => ({
    kind: "exited",
    code,
    stdout: Buffer.from(stdout, "utf16le"),
    stderr: Buffer.alloc(0),
  });

  const save = (file: string, path: string, list: string): number => {
    writeFileSync(file, Buffer.from(`${savedName ?? basename(path)}\r\n${list}\r\n`, "utf16le"));
    return 0;
  };

  /** Plays `icacls` and `dir /q` by the form of what the real ones write. */
  const run: RunProcess = (file, args) => {
    started += 1;
    const path = args[0] === "/u" ? (args.at(-1) ?? "") : (args[0] ?? "");
    if (file.endsWith("cmd.exe")) {
      const name = /\.ps1$|owner-/iu.test(path) ? basename(path) : ".";
      const owner = owners[path] ?? "VORDEFINIERT\\Administratoren";
      return Promise.resolve(exited(0, `01.03.2026  08:30    12 ${owner.slice(0, 23).padEnd(23)}${name}\r\n`));
    }
    if (args[1] !== "/save") return Promise.resolve(exited(ownerCode));
    const list = path in lists ? lists[path] : closed;
    return Promise.resolve(exited(list === undefined ? 5 : save(args[2] ?? "", path, list)));
  };

  function find(rules = hooks()) {
    return findHooks({ root, platform: { ...linux, hooks: rules }, run }, scratch);
  }
  const hooks = () =>
    windowsHooks(
      windowsPrograms({}),
      (path) => ["powershell.exe", "-File", path],
      () => folder,
    );
  const refused = async () => {
    const { hooks: found, remarks } = await find();
    expect(found).toEqual([]);
    return remarks.join();
  };

  test("run by PowerShell where file, folder and all above belong to the system and nobody else can change them", async () => {
    const path = join(folder, "10-gpu.ps1");
    expect(await find()).toEqual({
      hooks: [{ command: ["powershell.exe", "-File", path], name: "10-gpu.ps1", place: folder }],
      remarks: [],
    });
  });

  test("may end in capital letters", async () => {
    writeFileSync(join(folder, "20-GPU.PS1"), "exit 75");
    expect((await find()).remarks).toEqual([]);
    expect((await find()).hooks).toHaveLength(2);
  });

  test("are judged by the access list and not by the name of a drive, which begins as the list does", async () => {
    lists = { [folder]: "D:AI(A;ID;0x1301bf;;;BU)" };
    savedName = "D:";
    expect(await refused()).toContain("Users can change it");
  });

  test("are looked at again where the owners that are trusted could not be told at first", async () => {
    const rules = hooks();
    ownerCode = 5;
    expect((await find(rules)).remarks.join()).toContain("cannot be told");
    ownerCode = 0;
    expect((await find(rules)).remarks).toEqual([]);
  });

  test("are not run where somebody else can change the file, its folder or one above, and the remark says who", async () => {
    const users = "D:AI(A;ID;0x1301bf;;;BU)";
    for (const [path, words] of [
      [join(folder, "10-gpu.ps1"), "10-gpu.ps1 was not run: Users can change it"],
      [folder, `was not run: ${folder}: Users can change it`],
      [tmpdir(), `was not run: ${tmpdir()}: Users can change it`],
    ] as const) {
      lists = { [path]: users };
      expect(await refused()).toContain(words);
    }
  });

  test("are not run where they or a folder belong to somebody else, or it cannot be told", async () => {
    const hook = join(folder, "10-gpu.ps1");
    owners = { [hook]: "NODE-1\\eve" };
    expect(await refused()).toContain("was not run: it belongs to NODE-1\\eve");
    owners = { [folder]: "NODE-1\\eve" };
    expect(await refused()).toContain(`${folder}: it belongs to NODE-1\\eve`);
    owners = { [hook]: "" };
    expect(await refused()).toContain("its owner cannot be told");
    [owners, lists] = [{}, { [hook]: undefined }];
    expect(await refused()).toContain("who may change it cannot be told");
  });

  test("are not run through a link, nor by a name that a command processor could read", async () => {
    const real = join(root, "real");
    mkdirSync(real);
    rmSync(folder, { recursive: true });
    symlinkSync(real, folder);
    writeFileSync(join(real, "10-gpu.ps1"), "exit 0");
    expect(await refused()).toContain("a link is on the way to it");
    rmSync(folder);
    mkdirSync(folder);
    writeFileSync(join(folder, "a&b.ps1"), "exit 0");
    expect(await refused()).toContain("its name has other characters");
    symlinkSync(join(real, "10-gpu.ps1"), join(folder, "20.ps1"));
    expect(await refused()).not.toContain("20.ps1");
    folder = join(root, "a&b");
    mkdirSync(folder);
    writeFileSync(join(folder, "10-gpu.ps1"), "exit 0");
    expect(await refused()).toContain("a folder on the way to it has one of the signs");
  });

  test("whose script a policy forbids gave no answer; its own exit code 1 is one", async () => {
    const stderr = join(scratch, "stderr");
    const { refusedBy } = hooks();
    writeFileSync(
      stderr,
      "Die Datei kann nicht geladen werden.\r\n    + CategoryInfo : Sicherheitsfehler: (:) [], PSSecurityExce\r\nption\r\n    + FullyQualifiedErrorId : UnauthorizedAccess\r\n",
    );
    expect(await refusedBy?.(1, stderr)).toBe("PowerShell's execution policy forbids it");
    expect(await refusedBy?.(2, stderr)).toBeUndefined();
    writeFileSync(stderr, "FullyQualifiedErrorId : RuntimeException");
    expect(await refusedBy?.(1, stderr)).toBeUndefined();
  });

  test("are asked after once, and again after a change", async () => {
    const rules = hooks();
    await find(rules);
    const first = started;
    expect((await find(rules)).hooks).toHaveLength(1);
    expect(started).toBe(first);
    utimesSync(folder, 1, 1);
    lists = { [folder]: "D:(A;;FA;;;WD)" };
    expect((await find(rules)).remarks.join()).toContain("Everyone can change it");
    expect(started).toBeGreaterThan(first);
  });
});
