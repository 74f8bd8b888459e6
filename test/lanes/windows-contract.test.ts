import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCodes } from "../../handler/errors/error-codes.ts";
import { readRuleLogs, ruleLog } from "../../scripts/dev/read-rule-logs.ts";
import { capzWindowsCommand } from "../support/capz-windows-command.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWineMachine, type WineMachine } from "../support/wine-root.ts";
import { lane, wineNeeds } from "./lane.ts";
import { buildPackage, withVersion, type HandlerPackage } from "./real-package.ts";
import {
  carryOver,
  exists,
  guardMs,
  handlerName,
  layOutDeep,
  listFolder,
  open,
  unpackHandler,
  type WindowsHandler,
} from "./windows-handler.ts";
import {
  cloudbaseInitLog,
  pluginsDone,
  sentinel,
  userDataBegins,
  userDataEnds,
  userDataPrints,
  windowsNode,
  type WindowsNode,
} from "./windows-node.ts";
import { installStandIn, type StandIn } from "./windows-stand-in.ts";

function eventually<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> {
  return waitUntil(what, probe, { timeoutMs: guardMs });
}

lane("the Windows package under Wine", { ...wineNeeds, programs: [...wineNeeds.programs, "openssl"] }, () => {
  let machine: WineMachine;
  let current: HandlerPackage;
  let handler: WindowsHandler;
  let standIn: StandIn;
  let node: WindowsNode;
  let scratch: string;
  /** The agent never uses a number twice; the tests follow each other on one machine. */
  let sequence = 0;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "capz-windows-"));
    current = await buildPackage("Windows");
    machine = await startWineMachine();
    handler = await unpackHandler(machine, current);
    node = windowsNode(machine, scratch);
    standIn = await installStandIn(machine.drive, join(handler.folder, "runtime", "windows-x64", "node.exe"), scratch);
    // Wine prefers its own programs in system32.
    await node.setValue("HKCU\\Software\\Wine\\DllOverrides", "icacls.exe", "native");
    const uuid = "{6D5F1C0A-9B0E-4E3B-8C55-3D1F6A7B8C9D}";
    await node.setValue("HKLM\\SYSTEM\\HardwareConfig", "LastConfig", uuid);
    await node.setValue("HKLM\\SYSTEM\\CurrentControlSet\\Control\\Windows", "ShutdownTime", "boot-1");
  });

  afterAll(async () => {
    standIn.close();
    await machine.dispose();
    await rm(scratch, { recursive: true, force: true });
  });

  // What one test leaves behind must not be the next one's failure.
  afterEach(async () => {
    await node.remove("stand-in/go", "stand-in/journal", "stand-in/icacls-fails", "run", "etc", cloudbaseInitLog);
  });

  function onDrive(...parts: readonly string[]): string {
    return join(machine.drive, ...parts);
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

  /** Programs whose command line holds the text: a shell that has it to run counts. */
  async function running(text: string): Promise<number> {
    return (await machine.processes()).filter((line) => line.includes(text)).length;
  }

  function isSupervisor(line: string): boolean {
    return line.includes("capz-bootstrap.cjs") && line.includes(" supervise ") && !line.includes("for /L");
  }

  function isGuardian(line: string): boolean {
    return line.includes("for /L") && line.includes(" supervise ");
  }

  const quick = { aftercareSeconds: "0", graceSeconds: "0" };

  test("install closes the private folder by well-known ids, and refuses one that cannot be closed", async () => {
    await node.write("stand-in/icacls-fails", "");
    const refused = await handler.run("install", 0);
    expect(refused.code).toBe(53);
    expect(refused.stderr).toContain("could not be closed to other users by icacls (/setowner: exit code 5");
    await rm(onDrive("stand-in/icacls-fails"));
    await rm(onDrive("stand-in/icacls.log"));
    expect(await handler.run("install", 0)).toMatchObject({ code: 0, stderr: "" });
    const calls = (await readFile(onDrive("stand-in/icacls.log"), "utf8")).trim().split("\n");
    const folder = "C:\\ProgramData\\capz-bootstrap";
    expect(calls.map((line): unknown => JSON.parse(line))).toEqual([
      [folder, "/setowner", "*S-1-5-32-544", "/L", "/Q"],
      [folder, "/reset", "/L", "/Q"],
      [folder, "/inheritance:r", "/grant:r", "*S-1-5-18:(OI)(CI)F", "*S-1-5-32-544:(OI)(CI)F", "/L", "/Q"],
    ]);
  });

  test("enable, progress and success by the package's check; a second enable changes nothing", async () => {
    await node.service("cloudbase-init", "running");
    await node.log(userDataBegins);
    await apply(open({}));
    const waiting = await handler.waitFor("progress", sequence, ({ message }) => message.includes("user data"));
    expect(waiting).toMatchObject({ kind: "transitioning", code: 0 });
    // Neither folder is there yet: they are watched through the root of the drive.
    await node.write("etc/kubernetes/bootstrap-kubelet.conf", "kind: Config\r\n");
    await handler.waitFor("the next stage", sequence, ({ message }) => message.includes("kubelet tls bootstrap"));
    await node.write(sentinel, "success \r\n");
    const status = await handler.waitFor("success", sequence);
    expect(status).toMatchObject({ kind: "success", code: 0 });
    const statusPath = join(handler.folder, "Status", `${String(sequence)}.status`);
    // The proof is added to the status after the verdict.
    await eventually("the proof", async () => (await readFile(statusPath, "utf8")).includes("BootstrapProof"));
    const before = await stat(statusPath);
    await enable();
    expect((await stat(statusPath)).mtimeMs).toBe(before.mtimeMs);
    await eventually("the guardian to end", async () => (await running("supervise")) === 0);
    await node.service("cloudbase-init", "missing");
  });

  test("user data that failed is an error at once, with the cause from inside cloudbase-init's bytes literal", async () => {
    const error =
      'error execution phase preflight: couldn\'t validate the identity of the API Server: Get "https://10.0.0.4:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": dial tcp 10.0.0.4:6443: connectex: No connection could be made because the target machine actively refused it.';
    await apply(open(quick));
    await handler.waitFor("progress", sequence, ({ message }) => message.includes("s left"));
    await node.write("run/kubeadm/kubeadm-join-config.yaml", "kind: JoinConfiguration\r\n");
    await node.log(userDataBegins, userDataPrints(`[preflight]\r\n${error}\r\n`), userDataEnds(1), pluginsDone);
    const status = await handler.waitFor("an error", sequence);
    expect(status.kind).toBe("error");
    expect(status.firstLine).toMatch(/^Bootstrap failed \(\w+\).* Next: /u);
    expect(status.message).toContain("10.0.0.4:6443");
  });

  test("a plugin that failed has its reason, and the log of cloudbase-init names the cause", async () => {
    const log = ruleLog(readRuleLogs(), "cloudbase-init-needed-plugin-failed", "match").toString("utf8");
    await node.write(cloudbaseInitLog, log.replaceAll("\n", "\r\n"));
    await apply(open(quick));
    const status = await handler.waitFor("an error", sequence);
    expect(status.kind).toBe("error");
    expect(status.firstLine).toContain("Bootstrap failed (CloudbaseInitPluginFailed)");
    expect(status.firstLine).toContain("The plugin UserDataPlugin failed");
    expect(status.firstLine).toContain("Next: Correct what the plugin works with.");
    expect(status.firstLine.length).toBeLessThanOrEqual(200);
  });

  test("CAPZ's own command works unchanged, and its exit code -2 gets words", async () => {
    // Its rounds run out by themselves where nothing looks beside it.
    const fewRounds = capzWindowsCommand.replace("-lt 60", "-lt 2").replace("-Seconds 5", "-Seconds 1");
    await apply(open({ ...quick, commandToExecute: fewRounds, lookBeside: "false" }));
    const failed = await handler.waitFor("an error", sequence);
    expect(failed).toMatchObject({ kind: "error", code: errorCodes.commandFailed.number });
    expect(failed.message).toContain("exited with code -2");
    expect(failed.firstLine).toMatch(/^Bootstrap failed \(\w+\).* Next: /u);
    await node.write(sentinel, "success \r\n");
    await apply(open({ ...quick, commandToExecute: capzWindowsCommand }));
    expect(await handler.waitFor("success", sequence)).toMatchObject({ kind: "success", code: 0 });
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
    expect(status).toMatchObject({ kind: "error", code: errorCodes.protectedSettingsUndecryptable.number });
    expect(status.message).toContain("LocalMachine\\My");
  });

  test("a process that keeps the status file to itself, a second at a time, loses no status", async () => {
    const holder = [
      "const fs = require('node:fs');",
      "const [file, log] = process.argv.slice(2);",
      "// UV_FS_O_EXLOCK: shared with nobody, not even for reading, renaming or deleting.",
      "const hold = () => { try { const held = fs.openSync(file, 0x10000000); setTimeout(() => fs.closeSync(held), 1000); note(); } catch {} };",
      "const note = () => { try { fs.readFileSync(file); } catch (error) { fs.appendFileSync(log, error.code + '\\n'); } };",
      "setInterval(hold, 2000);",
    ].join("\n");
    await node.write("stand-in/holder.js", holder);
    const status = `${handler.windowsFolder}\\Status\\${String(sequence + 1)}.status`;
    const holding = machine.run([
      "C:\\stand-in\\node.exe",
      "C:\\stand-in\\holder.js",
      status,
      "C:\\stand-in\\refused.log",
    ]);
    await eventually("the holder", async () => (await running("holder.js")) > 0);
    await apply(open({ ...quick, commandToExecute: "ping -n 4 127.0.0.1 >nul & exit 3" }));
    expect(await handler.waitFor("an error", sequence)).toMatchObject({ kind: "error" });
    await eventually("a refusal", () => exists(onDrive("stand-in/refused.log")));
    await enable();
    expect(await handler.status(sequence)).toMatchObject({ kind: "error" });
    await machine.kill((line) => line.includes("holder.js"));
    await holding;
    expect((await listFolder(join(handler.folder, "Status"))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("settings, status, log, state and output may lie deeper than 260 characters, under names outside ASCII", async () => {
    const deep = await layOutDeep(machine, current);
    await deep.putSettings(1, open({ ...quick, commandToExecute: "echo Größe gemeldet& exit 4" }));
    expect(await deep.run("enable", 1)).toMatchObject({ code: 0, stderr: "" });
    const status = await deep.waitFor("an error", 1);
    expect(status).toMatchObject({ kind: "error" });
    expect(status.message).toContain("gemeldet");
    await eventually("the verdict in the log", async () => (await deep.log()).includes("verdict: error"));
    // What the check remembers lies in the state folder.
    await deep.putSettings(2, open(quick));
    expect(await deep.run("enable", 2)).toMatchObject({ code: 0, stderr: "" });
    await deep.waitFor("progress", 2, ({ message }) => message.includes("s left"));
    const privateFolder = join(deep.programData.folder, "capz-bootstrap", handlerName);
    const remembers = async () =>
      (await readdir(privateFolder, { recursive: true })).some((name) => name.endsWith("memory.json"));
    await eventually("the check's memory", remembers);
    await node.log(userDataBegins, userDataEnds(3), pluginsDone);
    expect((await deep.waitFor("an error", 2)).message).toContain("return code: 3");
    for (const folder of [deep.data, deep.programData]) expect(folder.windowsFolder.length).toBeGreaterThan(260);
    expect(await listFolder(privateFolder)).toContain("2.state.json");
    expect(await deep.run("uninstall", 2)).toMatchObject({ code: 0, stderr: "" });
    await eventually("the guardian to end", async () => (await running("supervise")) === 0);
  });

  test("a command that cmd.exe cannot take is wrong settings, with length, limit and way out", async () => {
    const commandToExecute = `echo ${"x".repeat(8200)}`;
    await apply(open({ ...quick, graceSeconds: "30", commandToExecute }));
    const status = await handler.waitFor("an error", sequence);
    expect(status).toMatchObject({ kind: "error", code: errorCodes.settingsInvalid.number });
    expect(status.firstLine).toContain("Bootstrap not checked (SettingsInvalid)");
    expect(status.message).toContain("commandToExecute has 8205 characters; allowed on Windows: at most 8152");
  });

  test("the longest command that is allowed runs, and a grace is said to have no effect", async () => {
    const commandToExecute = `exit 0 & rem ${"x".repeat(8139)}`;
    await apply(open({ ...quick, graceSeconds: "30", commandToExecute }));
    const status = await handler.waitFor("success", sequence);
    expect(status).toMatchObject({ kind: "success" });
    expect(status.message).toContain("graceSeconds has no effect on Windows");
  });

  test("the deadline ends the whole tree and says what still ran", async () => {
    const commandToExecute = "cmd /c cmd /c ping -n 4444 127.0.0.1 | ping -n 5555 127.0.0.1 >nul";
    const tree = async () => (await running("4444")) > 0 && (await running("5555")) > 0;
    const ended = async () => (await handler.status(sequence))?.kind === "error";
    // A machine too busy to start the tree before the deadline gets a later one.
    for (const timeoutSeconds of ["30", "120", "480"]) {
      await apply(open({ ...quick, commandToExecute, timeoutSeconds }));
      if (
        (await eventually("the tree", async () => ((await tree()) ? "there" : (await ended()) && "late"))) === "there"
      )
        break;
    }
    const status = await handler.waitFor("an error", sequence);
    expect(status).toMatchObject({ kind: "error", code: errorCodes.deadlineExceeded.number });
    // The look beside the command may have told a stage by then.
    expect(status.firstLine).toMatch(/^Bootstrap failed \(DeadlineExceeded\) /u);
    expect(status.firstLine).toMatch(/ after \d+ s: still running: ping\.exe/u);
    expect([await running("4444"), await running("5555")]).toEqual([0, 0]);
  });

  test("a killed supervisor is back at once, ends what its check left, and reaches the verdict", async () => {
    // `journal` counts the starts; the left-over of the first is the ping.
    const commandToExecute =
      "echo start>>C:\\stand-in\\journal & (if exist C:\\stand-in\\go exit 0) & ping -n 6666 127.0.0.1 >nul";
    await apply(open({ ...quick, commandToExecute, restart: "always" }));
    // Not the shell, whose own line names the ping, too: it must have looked for the file before that is there.
    const isLeftOver = (line: string) => line.includes("6666") && !line.includes("echo start");
    await eventually("the left-over", async () => (await machine.processes()).some(isLeftOver));
    await node.write("stand-in/go", "");
    expect(await machine.kill(isSupervisor)).toBe(1);
    expect(await handler.waitFor("success", sequence)).toMatchObject({ kind: "success" });
    expect(await running("6666")).toBe(0);
    expect((await readFile(onDrive("stand-in/journal"), "utf8")).trim().split(/\r?\n/u)).toHaveLength(2);
  });

  test("after a crash of the whole machine, enable goes on with the same deadline", async () => {
    const commandToExecute = "(if exist C:\\stand-in\\go exit 0) & ping -n 7777 127.0.0.1 >nul";
    await apply(open({ ...quick, commandToExecute, restart: "always", timeoutSeconds: "600" }));
    await eventually("the check", async () => (await running("7777")) > 0);
    await handler.waitFor("progress", sequence, ({ message }) => message.includes("s left"));
    await machine.kill((line) => isGuardian(line) || isSupervisor(line) || line.includes("7777"));
    await node.setValue("HKLM\\SYSTEM\\CurrentControlSet\\Control\\Windows", "ShutdownTime", "boot-2");
    await node.write("stand-in/go", "");
    await enable();
    expect(await handler.log()).toContain("the supervisor is gone; it goes on");
    expect(await handler.waitFor("success", sequence)).toMatchObject({ kind: "success" });
  });

  test("newer settings end the older wait and its check", async () => {
    await apply(open({ ...quick, commandToExecute: "ping -n 8888 127.0.0.1 >nul" }));
    await eventually("the check", async () => (await running("8888")) > 0);
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
    await apply(open({ ...quick, commandToExecute, restart: "always", timeoutSeconds: "600" }));
    await eventually("the check", async () => (await running("9999")) > 0);
    const old = handler;
    const next = await unpackHandler(machine, withVersion(current, "1.0.1", scratch));
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
    await eventually("the check again", async () => (await running("9999")) > 0);
    expect(await handler.status(sequence)).toMatchObject({ kind: "transitioning" });
  });

  test("disable leaves the status and no process; uninstall removes the private data", async () => {
    const before = await handler.status(sequence);
    expect(await handler.run("disable", sequence)).toMatchObject({ code: 0 });
    expect([await running("9999"), await running("supervise")]).toEqual([0, 0]);
    expect(await handler.status(sequence)).toMatchObject({ kind: before?.kind });
    expect(await listFolder(onDrive("ProgramData", "capz-bootstrap"))).not.toEqual([]);
    expect(await handler.run("uninstall", sequence)).toMatchObject({ code: 0, stderr: "" });
    expect(await handler.log()).toContain("uninstall: private data is removed");
    expect(await exists(onDrive("ProgramData", "capz-bootstrap"))).toBe(false);
  });
});
