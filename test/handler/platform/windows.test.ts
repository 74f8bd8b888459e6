import { expect, test } from "@jest/globals";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, win32 } from "node:path";
import type { Host, RunOptions, RunProcess, RunResult } from "../../../handler/host.ts";
import { preparePrivateFolder } from "../../../handler/operations/prepare-private-folder.ts";
import { decryptWindows } from "../../../handler/platform/decrypt-windows.ts";
import { windowsEvidence } from "../../../handler/diagnosis/evidence-windows.ts";
import { guardianOf } from "../../../handler/platform/guardian-windows.ts";
import { setUpAt, windowsIdentity } from "../../../handler/platform/identity-windows.ts";
import { describeTreeWindows, killTreeWindows } from "../../../handler/platform/kill-tree-windows.ts";
import { linux } from "../../../handler/platform/linux.ts";
import { programPath, windowsPrograms } from "../../../handler/platform/powershell-windows.ts";
import { askMark, holdMark } from "../../../handler/platform/process-mark-windows.ts";
import {
  findRecords,
  forgetRecords,
  noteProcess,
  type OwnRecords,
} from "../../../handler/platform/process-record-windows.ts";
import {
  parseList,
  parseWmic,
  parseWmiTime,
  readProcessTable,
} from "../../../handler/platform/process-table-windows.ts";
import { parseRegistryNumber, parseRegistryValue } from "../../../handler/platform/registry-windows.ts";
import { restrictFolder } from "../../../handler/platform/restrict-folder-windows.ts";
import { treeMembers } from "../../../handler/platform/process-tree-windows.ts";
import { rememberRuns } from "../../../handler/process/remember-runs.ts";
import { createWindows } from "../../../handler/platform/windows.ts";
import { fakeHost } from "../diagnosis/fake-host.ts";
import { waitUntil } from "../../support/wait-until.ts";

function exited(code: number, stdout = "", stderr = ""): RunResult {
  return { kind: "exited", code, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) };
}

function platform(endProcess: (pid: number) => boolean = () => false) {
  return createWindows({
    env: { SystemRoot: "C:\\Windows", SystemDrive: "C:", ProgramData: "D:\\Data" },
    pid: 10,
    parentPid: 9,
    root: "C:\\",
    nodeCommand: ["node.exe"],
    pipePrefix: "/tmp/",
    onStop: () => undefined,
    endProcess,
    processExists: () => false,
  });
}

test("paths are Windows paths, also when they are computed on Linux", () => {
  expect(platform().paths("C:\\").state).toBe("D:\\Data\\capz-bootstrap");
  expect(platform().paths("E:\\scratch").state).toBe("E:\\scratch\\ProgramData\\capz-bootstrap");
  expect(platform().paths("C:\\").sentinel).toBe("C:\\run\\cluster-api\\bootstrap-success.complete");
  expect(platform().shell('echo "a"')).toEqual(["C:\\Windows\\System32\\cmd.exe", "/d", "/s", "/c", '"echo "a""']);
});

test("reg.exe's output gives the value, whatever stands around it", () => {
  const output =
    "\r\nHKEY_LOCAL_MACHINE\\X\r\n    LastConfig    REG_SZ    {6D5F1C0A}\r\n    Seq No    REG_DWORD    0x1a\r\n\r\n";
  expect(parseRegistryValue(output, "lastconfig")).toBe("{6D5F1C0A}");
  expect(parseRegistryNumber(parseRegistryValue(output, "Seq No"))).toBe(26);
  expect(parseRegistryValue(output, "Other")).toBeUndefined();
  expect(parseRegistryNumber("0xffffffff")).toBeUndefined();
});

test("the VM id falls back to MachineGuid, and a boot without a mark is called unknown", async () => {
  const run: RunProcess = (_, args) =>
    Promise.resolve(args.includes("MachineGuid") ? exited(0, "    MachineGuid    REG_SZ    5BEA-35\r\n") : exited(1));
  expect(await windowsIdentity("reg.exe", run)).toEqual({ vmId: "5bea-35", bootId: "unknown-boot" });
});

test("a registry that gives no answer at first is asked again, so that the VM stays the same one", async () => {
  const noAnswers: readonly RunResult[] = [
    { kind: "timed-out", stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) },
    { kind: "not-started", reason: "spawn EAGAIN" },
  ];
  const asked = new Map<string, number>();
  const run: RunProcess = (_, args) => {
    const name = args.at(-1) ?? "";
    const attempt = asked.get(name) ?? 0;
    asked.set(name, attempt + 1);
    return Promise.resolve(noAnswers[attempt] ?? exited(0, `    ${name}    REG_SZ    {6D5F}\r\n`));
  };
  expect(await windowsIdentity("reg.exe", run)).toEqual({ vmId: "6d5f", bootId: "{6d5f}-{6d5f}" });
  expect(asked.has("MachineGuid")).toBe(false);
});

test("the private folder is closed by well-known ids, itself first, and what icacls refuses is told", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-closed-"));
  const calls: (readonly string[])[] = [];
  const icacls = (code: number): RunProcess => {
    return (_, args) => {
      calls.push(args);
      return Promise.resolve(exited(code));
    };
  };
  const closed = [
    [folder, "/setowner", "*S-1-5-32-544", "/L", "/Q"],
    [folder, "/reset", "/L", "/Q"],
    [folder, "/inheritance:r", "/grant:r", "*S-1-5-18:(OI)(CI)F", "*S-1-5-32-544:(OI)(CI)F", "/L", "/Q"],
  ];
  expect(await restrictFolder("icacls.exe", folder, icacls(0))).toBeUndefined();
  expect(calls).toEqual(closed);
  expect(await restrictFolder("icacls.exe", folder, icacls(5))).toBe(
    `${folder} could not be closed to other users by icacls (/setowner: exit code 5, /reset: exit code 5, /inheritance:r: exit code 5)`,
  );
  mkdirSync(join(folder, "run"));
  await restrictFolder("icacls.exe", folder, icacls(0));
  expect(calls.slice(6)).toEqual([
    ...closed,
    [folder, "/setowner", "*S-1-5-32-544", "/T", "/C", "/L", "/Q"],
    [win32.join(folder, "*"), "/reset", "/T", "/C", "/L", "/Q"],
  ]);
  rmSync(folder, { recursive: true });
});

test("links that somebody put into the private folder are taken out before rights below it change, their targets stay", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-links-"));
  const outside = mkdtempSync(join(tmpdir(), "capz-outside-"));
  writeFileSync(join(outside, "theirs"), "untouched");
  mkdirSync(join(folder, "run", "0.work"), { recursive: true });
  symlinkSync(outside, join(folder, "run", "0.work", "junction"));
  symlinkSync(outside, join(folder, "status"));
  const seen: string[] = [];
  const icacls: RunProcess = (_, args) => {
    if (args.includes("/T")) seen.push(...readdirSync(folder, { recursive: true }).map(String));
    return Promise.resolve(exited(0));
  };
  expect(await restrictFolder("icacls.exe", folder, icacls)).toBeUndefined();
  expect(seen.some((name) => /junction|status/u.test(name))).toBe(false);
  expect(readFileSync(join(outside, "theirs"), "utf8")).toBe("untouched");
  for (const made of [folder, outside]) rmSync(made, { recursive: true });
});

test("a private folder that cannot be closed is not used, and a junction in its place is replaced", async () => {
  const root = mkdtempSync(join(tmpdir(), "capz-state-"));
  const outside = mkdtempSync(join(tmpdir(), "capz-outside-"));
  const state = join(root, "capz-bootstrap");
  symlinkSync(outside, state);
  const closed: string[] = [];
  const host = (problem: string | undefined): Host => ({
    ...fakeHost({ root }),
    platform: {
      ...linux,
      restrictFolder: (folder) => {
        closed.push(folder);
        return Promise.resolve(problem);
      },
    },
  });
  const instance = join(state, "run");
  await expect(preparePrivateFolder({ host: host("not closed"), instance }, { anew: true })).rejects.toMatchObject({
    id: "stateUnwritable",
    message: "not closed",
  });
  expect(existsSync(instance)).toBe(false);
  await preparePrivateFolder({ host: host(undefined), instance }, { anew: true });
  expect(lstatSync(state).isSymbolicLink()).toBe(false);
  expect(readdirSync(outside)).toEqual([]);
  expect(closed).toEqual([state, state]);
  for (const made of [root, outside]) rmSync(made, { recursive: true });
});

test("every program of the system is called by its absolute path", () => {
  const programs = windowsPrograms({ SystemRoot: "D:\\Windows", ProgramFiles: "D:\\Programs" }, () => false);
  const paths: readonly string[] = Object.values({ ...programs });
  expect(paths.filter((path) => !path.startsWith("D:\\"))).toEqual([]);
  const bare = windowsEvidence.flatMap(({ read }) => (read.kind === "command" ? [read.command[0]] : []));
  const resolved = bare.filter((name) => name !== "crictl").map((name) => programPath(programs, name));
  expect(resolved.length).toBeGreaterThan(3);
  expect(resolved.filter((path) => !path.startsWith("D:\\"))).toEqual([]);
  const { env } = guardianOf(["node", "supervise"], programs.ping);
  expect(env).toEqual({ CAPZ_GUARDED_0: "D:\\Windows\\System32\\PING.EXE" });
});

test("process lists of PowerShell and of WMIC are read", () => {
  expect(parseList("4,0,,System\r\n812,4,638355968001230000,cmd.exe\r\nnoise\r\n")).toEqual([
    { pid: 4, parent: 0, name: "System", startedMs: undefined },
    { pid: 812, parent: 4, name: "cmd.exe", startedMs: 1_700_000_000_123 },
  ]);
  const table = "Caption   ParentProcessId  ProcessId  \r\nping.exe  812              900        \r\n";
  expect(parseWmic(table)).toEqual([{ pid: 900, parent: 812, name: "ping.exe", startedMs: undefined }]);
  expect(parseWmiTime("20260301093015.123456+060")).toBe(Date.UTC(2026, 2, 1, 8, 30, 15, 123));
});

test("a tree holds living descendants and children of the ended root, never those of a reused number", () => {
  const root = { pid: 100, startedMs: 1_000_000, untilMs: 1_060_000, ended: false };
  const table = [
    { pid: 100, parent: 1, name: "other.exe", startedMs: 2_000_000 },
    { pid: 101, parent: 100, name: "ours.exe", startedMs: 1_030_000 },
    { pid: 102, parent: 101, name: "below.exe", startedMs: 1_040_000 },
    { pid: 103, parent: 100, name: "theirs.exe", startedMs: 2_000_100 },
  ];
  expect(treeMembers(table, root, 10).map(({ pid }) => pid)).toEqual([101, 102]);
});

test("the mark answers its owner's secret only, and passes a stop on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-mark-"));
  const stops: string[] = [];
  const { mark, server } = await holdMark(join(folder, "pipe"), () => stops.push("stop"));
  expect(await askMark(mark, "alive", 5000)).toBe("answered");
  expect(await askMark(`${join(folder, "pipe")}|${"0".repeat(64)}`, "alive", 5000)).toBe("absent");
  expect(stops).toEqual([]);
  expect(await askMark(mark, "stop", 5000)).toBe("answered");
  expect(stops).toEqual(["stop"]);
  server.close();
  expect(await askMark(`${join(folder, "none")}|x`, "alive", 5000)).toBe("absent");
  rmSync(folder, { recursive: true });
});

test("what still runs at the deadline is named without the command processors around it", async () => {
  const stateFolder = mkdtempSync(join(tmpdir(), "capz-tree-"));
  const work = join(stateFolder, "instance", "1.work");
  mkdirSync(work, { recursive: true });
  noteProcess({ marker: "m", pid: 404, folder: work, exited: new Promise(() => undefined) });
  const now = Date.now();
  const ticks = String(BigInt(now + 62_135_596_800_000) * 10_000n);
  const list = ["404,9,cmd.exe", "405,404,conhost.exe", "406,404,CMD.EXE", "407,406,kubeadm.exe"]
    .map((row) => row.replace(/,(?=[^,]*$)/u, `,${ticks},`))
    .join("\r\n");
  const tools = {
    programs: windowsPrograms({}),
    stateFolder,
    own: new Map(),
    self: 1,
    end: () => false,
    now: () => now + 74_000,
  };
  const tree = { marker: "m", leader: 404, graceMs: 0 };
  const describe = (output: string) => describeTreeWindows(tree, tools, () => Promise.resolve(exited(0, output)));
  expect(await describe(list)).toEqual(["kubeadm.exe (pid 407) for 74 s"]);
  expect(await describe(list.split("\r\n")[0] ?? "")).toEqual(["cmd.exe (pid 404) for 74 s"]);
  rmSync(stateFolder, { recursive: true });
});

test("a supervisor that does not stop is ended after its guardian, also where no process list can be had", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-stop-"));
  const { mark, server } = await holdMark(join(folder, "pipe"), () => undefined);
  const stop = { unit: "unit", root: "C:\\", pid: 812, startTime: `${mark}|404`, marker: "m", keepTree: false };
  const endedOnes = async (list: string) => {
    const ended: number[] = [];
    await platform((pid) => ended.push(pid) > 0).stopSupervisor(stop, () => Promise.resolve(exited(0, list)));
    return ended;
  };
  expect(await endedOnes("812,404,,node.exe\r\n404,1,,cmd.exe\r\n")).toEqual([404, 812]);
  expect(await endedOnes("812,404,,node.exe\r\n404,1,,explorer.exe\r\n")).toEqual([812]);
  expect(await endedOnes("")).toEqual([404, 812]);
  server.close();
  rmSync(folder, { recursive: true });
});

test("the guardian's line ends on 0, 70 and 143, and what a path holds is no part of it", () => {
  const node = "C:\\100%in %PATH% & a!b\\node.exe";
  const { line, env } = guardianOf([node, "supervise", "--sequence", "3"], "C:\\Windows\\System32\\PING.EXE");
  expect(line).toContain('("!CAPZ_GUARDED_0!" supervise --sequence 3 && exit 0 ||');
  expect(line).toContain("(if errorlevel 143 if not errorlevel 144 exit)");
  expect(line).toContain(
    '("!CAPZ_GUARDED_1!" -n 2 127.0.0.1 >nul 2>&1 || "!CAPZ_GUARDED_0!" -e "setTimeout(Date,1000)")',
  );
  expect(env).toEqual({ CAPZ_GUARDED_0: node, CAPZ_GUARDED_1: "C:\\Windows\\System32\\PING.EXE" });
  expect(line.replace("for /L %i in", "")).not.toContain("%");
});

test("the process list comes from WMIC with times, else from PowerShell, and only last without times", async () => {
  const timed =
    "Caption   CreationDate               ParentProcessId  ProcessId  \r\nping.exe  20260301083015.000000+000  812              900\r\n";
  const bare = "Caption   ParentProcessId  ProcessId  \r\nping.exe  812              900        \r\n";
  const asked = async (answers: Readonly<Record<string, string>>) => {
    const order: string[] = [];
    const table = await readProcessTable(windowsPrograms({}), (file, args) => {
      const name =
        win32.basename(file) === "WMIC.exe" ? (args.at(-1)?.includes("Creation") ? "timed" : "bare") : "powershell";
      order.push(name);
      const answer = answers[name];
      return Promise.resolve(answer === undefined ? { kind: "not-started", reason: "ENOENT" } : exited(0, answer));
    });
    return { order, started: table?.map(({ startedMs }) => startedMs) };
  };
  const startedMs = Date.UTC(2026, 2, 1, 8, 30, 15);
  expect(await asked({ timed })).toEqual({ order: ["timed"], started: [startedMs] });
  const listed = "900,812,639079506150000000,ping.exe\r\n";
  expect(await asked({ powershell: listed, bare })).toEqual({ order: ["timed", "powershell"], started: [startedMs] });
  expect(await asked({ bare })).toEqual({ order: ["timed", "powershell", "bare"], started: [undefined] });
  expect(await asked({})).toEqual({ order: ["timed", "powershell", "bare"], started: undefined });
});

test("without WMIC and PowerShell the living tree is ended by taskkill, and a number that may be another's is left alone", async () => {
  const stateFolder = mkdtempSync(join(tmpdir(), "capz-tree-"));
  const calls: (readonly string[])[] = [];
  const run: RunProcess = (file, args) => {
    if (!file.endsWith("taskkill.exe")) return Promise.resolve({ kind: "not-started", reason: "ENOENT" });
    calls.push(args);
    const nothing = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    return Promise.resolve(results.shift() === undefined ? exited(0) : { kind: "timed-out", ...nothing });
  };
  const results: "timed-out"[] = [];
  const started = Date.now();
  const folder = join(stateFolder, "instance", "1.work");
  mkdirSync(folder, { recursive: true });
  const kill = async (whose: "own" | "another program's", ended: boolean, now: number) => {
    const record = { marker: "m", pid: 404, startedMs: started, untilMs: started, ended };
    if (whose !== "own") writeFileSync(join(folder, "process.json"), JSON.stringify(record));
    const own = new Map(whose === "own" ? [["m", record]] : []);
    const tools = { programs: windowsPrograms({}), stateFolder, own, self: 1, end: () => false, now: () => now };
    await killTreeWindows({ marker: "m", graceMs: 0 }, tools, run);
    expect(own.size).toBe(0);
    return calls.splice(0);
  };
  const tree = [["/T", "/F", "/PID", "404"]];
  // A list of processes that takes a minute to give nothing changes nothing for a process that we hold.
  expect(await kill("own", false, started + 60_000)).toEqual(tree);
  expect(await kill("own", true, started)).toEqual([]);
  expect(await kill("another program's", false, started + 1000)).toEqual(tree);
  expect(await kill("another program's", false, started + 60_000)).toEqual([]);
  results.push("timed-out", "timed-out");
  expect(await kill("own", false, started)).toEqual([...tree, ...tree, ...tree]);
  rmSync(stateFolder, { recursive: true });
});

test("a hook's process is found by its own record, though it lies below the work folder, and by another program after a crash", () => {
  const stateFolder = mkdtempSync(join(tmpdir(), "capz-tree-"));
  const folder = join(stateFolder, "instance", "1.work", "check-state");
  mkdirSync(folder, { recursive: true });
  const own: OwnRecords = new Map();
  noteProcess({ marker: "m", pid: 404, folder, exited: new Promise(() => undefined) }, own);
  expect(findRecords(stateFolder, "m", own).map(({ pid }) => pid)).toEqual([404]);
  expect(findRecords(stateFolder, "m", new Map()).map(({ pid }) => pid)).toEqual([404]);
  expect(findRecords(stateFolder, "other", own)).toEqual([]);
  forgetRecords(stateFolder, "m", own);
  expect(findRecords(stateFolder, "m", own)).toEqual([]);
  rmSync(stateFolder, { recursive: true });
});

test("decryption hands over base64 and names a missing certificate", async () => {
  const request = { envelope: Buffer.from("x"), thumbprint: `\uFEFF${"ab".repeat(20)}`, configFolder: "C:\\c" };
  const opened = await decryptWindows("powershell.exe", request, (_, args, options) => {
    const script = Buffer.from(args.at(-1) ?? "", "base64").toString("utf16le");
    expect(script).toContain(`'${"AB".repeat(20)}'`);
    expect(Buffer.from(options?.input ?? []).toString()).toBe("eA==");
    return Promise.resolve(exited(0, Buffer.from("{}").toString("base64")));
  });
  expect(opened.toString()).toBe("{}");
  await expect(decryptWindows("p", request, () => Promise.resolve(exited(21)))).rejects.toThrow("LocalMachine\\My");
});

test("when Windows was set up is read from the registry, and no such value is no date", async () => {
  const answering =
    (stdout: string, code: number): RunProcess =>
    () =>
      Promise.resolve({ kind: "exited", code, stdout: Buffer.from(stdout), stderr: Buffer.alloc(0) });
  const seconds = Date.UTC(2026, 10, 21, 3) / 1000;
  const line = `    InstallDate    REG_DWORD    0x${seconds.toString(16)}\r\n`;
  expect(await setUpAt("reg.exe", answering(line, 0))).toEqual(new Date("2026-11-21T03:00:00Z"));
  expect(await setUpAt("reg.exe", answering("", 1))).toBeUndefined();
});

test("what a program said is remembered where somebody wants it, for its time, and given to who takes it", async () => {
  const kinds: RunResult["kind"][] = [];
  const asked: string[] = [];
  const run = rememberRuns((file, args) => {
    asked.push([file, ...args].join(" "));
    const kind = kinds.shift() ?? "exited";
    const streams = { stdout: Buffer.from(String(asked.length)), stderr: Buffer.alloc(0) };
    return Promise.resolve(kind === "exited" ? { kind, code: 1, ...streams } : { kind: "timed-out", ...streams });
  });
  const said = async (args: string, options: RunOptions = {}) => {
    const result = await run("reg", [args], options);
    return result.kind === "not-started" ? "" : result.stdout.toString();
  };
  expect(await said("a", { rememberMs: 20 })).toBe("1");
  expect(await said("a", { takesRemembered: true })).toBe("1");
  expect(await said("b", { takesRemembered: true })).toBe("2");
  expect(await said("b", { takesRemembered: true })).toBe("3");
  expect(await said("a")).toBe("4");
  expect(await said("c", { rememberMs: Infinity, takesRemembered: true })).toBe("5");
  kinds.push("timed-out");
  expect(await said("d", { rememberMs: Infinity })).toBe("6");
  expect(await said("d", { takesRemembered: true })).toBe("7");
  await waitUntil("it to be forgotten", async () => (await said("a", { takesRemembered: true })) !== "1");
  expect(await said("c", { rememberMs: Infinity, takesRemembered: true })).toBe("5");
});
