import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { capzWindowsCommand } from "../support/capz-windows-command.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWineMachine, type WineMachine } from "../support/wine-root.ts";
import { lane, wineNeeds } from "./lane.ts";
import { buildPackage, withVersion, type HandlerPackage } from "./real-package.ts";
import { carryOver, exists, listFolder, open, unpackHandler, type WindowsHandler } from "./windows-handler.ts";
import { installStandIn, type StandIn } from "./windows-stand-in.ts";

lane("the Windows package under Wine", { ...wineNeeds, programs: [...wineNeeds.programs, "openssl"] }, () => {
  let machine: WineMachine;
  let current: HandlerPackage;
  let handler: WindowsHandler;
  let standIn: StandIn;
  let scratch: string;
  /** The agent never uses a number twice; the tests follow each other on one machine. */
  let sequence = 0;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "capz-windows-"));
    current = await buildPackage("Windows");
    machine = await startWineMachine();
    handler = await unpackHandler(machine, current);
    standIn = await installStandIn(machine.drive, join(handler.folder, "runtime", "windows-x64", "node.exe"), scratch);
    const uuid = "{6D5F1C0A-9B0E-4E3B-8C55-3D1F6A7B8C9D}";
    await addRegistry("HKLM\\SYSTEM\\HardwareConfig", "LastConfig", uuid);
    await addRegistry("HKLM\\SYSTEM\\CurrentControlSet\\Control\\Windows", "ShutdownTime", "boot-1");
  });

  afterAll(async () => {
    standIn.close();
    await machine.dispose();
    await rm(scratch, { recursive: true, force: true });
  });

  async function addRegistry(key: string, name: string, data: string): Promise<void> {
    const result = await machine.run(["reg", "add", key, "/v", name, "/t", "REG_SZ", "/d", data, "/f"]);
    expect(result.code).toBe(0);
  }

  function onDrive(...parts: readonly string[]): string {
    return join(machine.drive, ...parts);
  }

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(onDrive(path)), { recursive: true });
    await writeFile(onDrive(path), text);
  }

  /** New settings and `enable`, which must be green whatever they say. */
  async function apply(handlerSettings: object): Promise<number> {
    sequence += 1;
    await handler.putSettings(sequence, handlerSettings);
    await enable();
    return sequence;
  }

  async function enable(): Promise<void> {
    const result = await handler.run("enable", sequence);
    expect(result).toMatchObject({ code: 0, stderr: "" });
  }

  async function running(text: string): Promise<number> {
    return (await machine.processes()).filter((line) => line.includes(text)).length;
  }

  function isSupervisor(line: string): boolean {
    return line.includes("capz-bootstrap.cjs") && line.includes(" supervise ") && !line.includes("for /L");
  }

  function isGuardian(line: string): boolean {
    return line.includes("for /L") && line.includes(" supervise ");
  }

  const sentinel = "run/cluster-api/bootstrap-success.complete";
  const quick = { aftercareSeconds: "0", graceSeconds: "0" };

  test("install, enable, progress and success with the probe; a second enable changes nothing", async () => {
    expect(await handler.run("install", 0)).toMatchObject({ code: 0, stderr: "" });
    await apply(open({}));
    const waiting = await handler.waitFor("progress", sequence, ({ message }) => message.includes("s left"));
    expect(waiting).toMatchObject({ kind: "transitioning", code: 0 });
    await waitUntil("a look of the check", () => exists(onDrive("stand-in/checks.log")));
    await write(sentinel, "success \r\n");
    const status = await handler.waitFor("success", sequence);
    expect(status).toMatchObject({ kind: "success", code: 0 });
    const statusPath = join(handler.folder, "Status", `${String(sequence)}.status`);
    const before = await stat(statusPath);
    await enable();
    expect((await stat(statusPath)).mtimeMs).toBe(before.mtimeMs);
    const check: unknown = JSON.parse((await readFile(onDrive("stand-in/checks.log"), "utf8")).split("\n")[0] ?? "");
    expect(check).toMatchObject({ root: "", provider: "auto" });
    expect(check).toHaveProperty("args.0", "-NoProfile");
    await rm(onDrive(sentinel));
    await waitUntil("the guardian to end", async () => (await running("supervise")) === 0);
  });

  test("a failed check has its reason, and the cloudbase-init log names the cause", async () => {
    const log = await readFile("test/fixtures/rules/cloudbase-init-needed-plugin-failed/match.log", "utf8");
    await write(
      "Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log",
      log.replaceAll("\n", "\r\n"),
    );
    await write("stand-in/fail", "");
    await apply(open(quick));
    const status = await handler.waitFor("an error", sequence);
    expect(status.kind).toBe("error");
    expect(status.firstLine).toContain("Bootstrap failed (CloudbaseInitPluginFailed)");
    expect(status.firstLine).toContain("NetworkConfigPlugin");
    expect(status.firstLine.length).toBeLessThanOrEqual(200);
    await rm(onDrive("stand-in/fail"));
    await rm(onDrive("Program Files/Cloudbase Solutions"), { recursive: true });
  });

  test("CAPZ's own command works unchanged, and its exit code -2 gets words", async () => {
    await apply(open({ ...quick, commandToExecute: capzWindowsCommand }));
    const failed = await handler.waitFor("an error", sequence);
    expect(failed).toMatchObject({ kind: "error" });
    expect(failed.code).toBeGreaterThan(0);
    expect(failed.message).toContain("exited with code -2");
    expect(failed.firstLine).toMatch(/^Bootstrap failed \(\w+\).* Next: /u);
    await write(sentinel, "success \r\n");
    await apply(open({ ...quick, commandToExecute: capzWindowsCommand }));
    expect(await handler.waitFor("success", sequence)).toMatchObject({ kind: "success", code: 0 });
    await rm(onDrive(sentinel));
  });

  test.each([
    ["quotes and brackets", 'if "a b"=="a b" (echo "in quotes" & exit 0) else (exit 9)', "success"],
    ["a program's exit code", "cmd /c exit 7", "error"],
    ["no such program", "no-such-program.exe --now", "error"],
  ])("a command line for cmd.exe: %s", async (_, commandToExecute, kind) => {
    await apply(open({ ...quick, commandToExecute }));
    expect(await handler.waitFor(kind, sequence)).toMatchObject({ kind });
  });

  test("encrypted settings are opened with the machine's certificate, and a missing certificate is named", async () => {
    const protectedSettings = await standIn.encrypt({ commandToExecute: "if exist C:\\stand-in exit 0" });
    const encrypted = { publicSettings: quick, protectedSettings };
    await apply({ ...encrypted, protectedSettingsCertThumbprint: `\uFEFF${standIn.thumbprint.toLowerCase()}` });
    expect(await handler.waitFor("success", sequence)).toMatchObject({ kind: "success", code: 0 });
    await apply({ ...encrypted, protectedSettingsCertThumbprint: "0".repeat(40) });
    const status = await handler.waitFor("an error", sequence);
    expect(status).toMatchObject({ kind: "error" });
    expect(status.message).toContain("LocalMachine\\My");
  });

  test("a reader that blocks the status file for a moment loses no status", async () => {
    const reader = [
      "const fs = require('node:fs');",
      "const hold = () => { try { const file = fs.openSync(process.argv[2], 'r'); setTimeout(() => fs.closeSync(file), 150); } catch {} };",
      "setInterval(hold, 250); setTimeout(() => process.exit(0), 30000);",
    ].join("\n");
    await write("stand-in/reader.js", reader);
    const status = `${handler.windowsFolder}\\Status\\${String(sequence + 1)}.status`;
    const reading = machine.run(["C:\\stand-in\\node.exe", "C:\\stand-in\\reader.js", status]);
    await waitUntil("the reader", async () => (await running("reader.js")) > 0);
    await apply(open({ ...quick, commandToExecute: "ping -n 3 127.0.0.1 >nul & exit 3" }));
    expect(await handler.waitFor("an error", sequence)).toMatchObject({ kind: "error" });
    await machine.kill((line) => line.includes("reader.js"));
    await reading;
    expect((await listFolder(join(handler.folder, "Status"))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("the deadline ends the whole tree and says what still ran", async () => {
    const commandToExecute = "cmd /c cmd /c ping -n 4444 127.0.0.1 | ping -n 5555 127.0.0.1 >nul";
    await apply(open({ ...quick, commandToExecute, timeoutSeconds: "30" }));
    await waitUntil("the tree", async () => (await running("4444")) > 0 && (await running("5555")) > 0);
    const status = await handler.waitFor("an error", sequence);
    expect(status).toMatchObject({ kind: "error" });
    expect(status.message).toContain("ping.exe");
    expect([await running("4444"), await running("5555")]).toEqual([0, 0]);
  });

  test("a killed supervisor is back at once, ends what its check left, and reaches the verdict", async () => {
    // `journal` counts the starts; the left-over of the first is the ping.
    const commandToExecute =
      "echo start>>C:\\stand-in\\journal & (if exist C:\\stand-in\\go exit 0) & ping -n 6666 127.0.0.1 >nul";
    await apply(open({ ...quick, commandToExecute }));
    await waitUntil("the check", async () => (await running("6666")) > 0);
    await write("stand-in/go", "");
    expect(await machine.kill(isSupervisor)).toBe(1);
    expect(await handler.waitFor("success", sequence)).toMatchObject({ kind: "success" });
    expect(await running("6666")).toBe(0);
    expect((await readFile(onDrive("stand-in/journal"), "utf8")).trim().split(/\r?\n/u)).toHaveLength(2);
    await rm(onDrive("stand-in/go"));
  });

  test("after a crash of the whole machine, enable goes on with the same deadline", async () => {
    const commandToExecute = "(if exist C:\\stand-in\\go exit 0) & ping -n 7777 127.0.0.1 >nul";
    await apply(open({ ...quick, commandToExecute, timeoutSeconds: "600" }));
    await waitUntil("the check", async () => (await running("7777")) > 0);
    await handler.waitFor("progress", sequence, ({ message }) => message.includes("s left"));
    await machine.kill((line) => isGuardian(line) || isSupervisor(line) || line.includes("7777"));
    await addRegistry("HKLM\\SYSTEM\\CurrentControlSet\\Control\\Windows", "ShutdownTime", "boot-2");
    await write("stand-in/go", "");
    await enable();
    expect(await handler.log()).toContain("the supervisor is gone; it goes on");
    expect(await handler.waitFor("success", sequence)).toMatchObject({ kind: "success" });
    await rm(onDrive("stand-in/go"));
  });

  test("newer settings end the older wait and its check", async () => {
    await apply(open({ ...quick, commandToExecute: "ping -n 8888 127.0.0.1 >nul" }));
    await waitUntil("the check", async () => (await running("8888")) > 0);
    await apply(open({ ...quick, commandToExecute: "exit 0" }));
    expect(await handler.waitFor("success", sequence)).toMatchObject({ kind: "success" });
    expect(await running("8888")).toBe(0);
  });

  test("without a number in the environment the registry says which settings are asked for", async () => {
    const folder = join(handler.folder, "RuntimeSettings");
    const parked = join(handler.folder, "Parked");
    await rm(parked, { recursive: true, force: true });
    await machine.run([
      "cmd",
      "/c",
      "move",
      `${handler.windowsFolder}\\RuntimeSettings`,
      `${handler.windowsFolder}\\Parked`,
    ]);
    await mkdir(folder);
    const key = `HKLM\\Software\\Microsoft\\Windows Azure\\HandlerState\\${handler.windowsFolder.split("\\").at(-2) ?? ""}_${handler.version}`;
    await machine.run(["reg", "add", key, "/v", "SequenceNumber", "/t", "REG_DWORD", "/d", "77", "/f"]);
    expect(await handler.run("enable", undefined)).toMatchObject({ code: 0 });
    await handler.waitFor("a status of 77", 77, ({ message }) => message !== "");
    expect(await handler.log()).toContain("the agent's note in the registry says 77");
    await handler.run("disable", 77);
    await rm(folder, { recursive: true });
    await machine.run([
      "cmd",
      "/c",
      "move",
      `${handler.windowsFolder}\\Parked`,
      `${handler.windowsFolder}\\RuntimeSettings`,
    ]);
  });

  test("an update in mid-wait frees the old version's folder and carries the wait over", async () => {
    const commandToExecute = "(if exist C:\\stand-in\\go exit 0) & ping -n 9999 127.0.0.1 >nul";
    await apply(open({ ...quick, commandToExecute, timeoutSeconds: "600" }));
    await waitUntil("the check", async () => (await running("9999")) > 0);
    const old = handler;
    const next = await unpackHandler(machine, await withVersion(current, "1.0.1"));
    expect(await old.run("disable", sequence)).toMatchObject({ code: 0 });
    await carryOver(old, next);
    expect(await next.run("update", sequence)).toMatchObject({ code: 0 });
    expect(await old.run("uninstall", sequence)).toMatchObject({ code: 0 });
    // Windows refuses to remove a program that runs.
    expect(await running(old.windowsFolder)).toBe(0);
    await machine.run(["cmd", "/c", "rmdir", "/s", "/q", old.windowsFolder]);
    expect(await exists(old.folder)).toBe(false);
    expect(await next.run("install", sequence)).toMatchObject({ code: 0 });
    handler = next;
    await enable();
    expect(await handler.log()).toContain("the supervisor is gone; it goes on");
    await waitUntil("the check again", async () => (await running("9999")) > 0);
    expect(await handler.status(sequence)).toMatchObject({ kind: "transitioning" });
  });

  test("disable leaves the status and no process; uninstall removes the private data", async () => {
    const before = await handler.status(sequence);
    expect(await handler.run("disable", sequence)).toMatchObject({ code: 0 });
    expect([await running("9999"), await running("supervise")]).toEqual([0, 0]);
    expect(await handler.status(sequence)).toMatchObject({ kind: before?.kind });
    expect(await listFolder(onDrive("ProgramData", "capz-bootstrap"))).not.toEqual([]);
    expect(await handler.run("uninstall", sequence)).toMatchObject({ code: 0 });
    expect(await exists(onDrive("ProgramData", "capz-bootstrap"))).toBe(false);
  });
});
