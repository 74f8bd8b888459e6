import { join, win32 } from "node:path";
import type { Host, RunProcess } from "../host.ts";
import { announceWindows } from "./announce-windows.ts";
import { createCodePage } from "./code-page-windows.ts";
import { decryptWindows } from "./decrypt-windows.ts";
import { startGuardian } from "./guardian-windows.ts";
import { recordedSequence, setUpAt, windowsIdentity } from "./identity-windows.ts";
import { describeTreeWindows, killTreeWindows, type TreeTools } from "./kill-tree-windows.ts";
import { windowsHooks } from "./hooks-windows.ts";
import type { Platform, PlatformPaths } from "./platform.ts";
import { programPath, windowsPrograms, type WindowsPrograms } from "./powershell-windows.ts";
import { askMark, holdMark } from "./process-mark-windows.ts";
import { noteProcess, type OwnRecords } from "./process-record-windows.ts";
import { readProcessTable } from "./process-table-windows.ts";
import { restrictFolder } from "./restrict-folder-windows.ts";

export interface WindowsSystem {
  readonly env: Host["env"];
  readonly pid: number;
  readonly parentPid: number;
  /** Folder that stands for the system drive. */
  readonly root: string;
  /** The running Node with its options and the program: what the supervisor is started with. */
  readonly nodeCommand: readonly string[];
  /** Name that a pipe of ours begins with. */
  readonly pipePrefix: string;
  /** Called when a stop is asked for: Windows has no SIGTERM. */
  onStop(): void;
  endProcess(pid: number): boolean;
  processExists(pid: number): boolean;
}

/** How long a busy supervisor may take to answer, and how long one that was asked to stop may take to end its check. */
const answerMs = 5000;
const stopMs = 30_000;
const stepMs = 50;

export function createWindows(system: WindowsSystem): Platform {
  const programs = windowsPrograms(system.env);
  const defaultRoot = `${system.env["SystemDrive"] ?? "C:"}\\`;
  const paths = (root: string): PlatformPaths =>
    pathsBelow(root, root === defaultRoot ? system.env["ProgramData"] : undefined);
  const own: OwnRecords = new Map();
  const tools: TreeTools = {
    programs,
    stateFolder: paths(system.root).state,
    own,
    self: system.pid,
    end: system.endProcess,
    now: () => Date.now(),
  };
  const interpreter = scriptCommand(programs);
  let held: Promise<string> | undefined;
  const isSameProcess = async (pid: number, mark: string): Promise<boolean> => {
    const answer = await askMark(mark, "alive", answerMs);
    return answer === "answered" || (answer === "silent" && system.processExists(pid));
  };
  return {
    name: "windows",
    defaultRoot,
    paths,
    launcher: (programFolder) => win32.join(programFolder, "bin", "capz-bootstrap.cmd"),
    interpreter,
    toUtf8: createCodePage(programs.reg),
    hooks: windowsHooks(programs, interpreter, hookFolder(defaultRoot, system.env["ProgramFiles"])),
    // /d: an AutoRun value in the registry must not run before the command; /s: the outer quotes and only they are taken off.
    shell: (command) => [programs.cmd, "/d", "/s", "/c", `"${command}"`],
    programPath: (name) => programPath(programs, name),
    decrypt: (request, run) => decryptWindows(programs.powershell, request, run),
    machineIdentity: (_root, run) => windowsIdentity(programs.reg, run),
    setUpAt: (run) => setUpAt(programs.reg, run),
    recordedSequence: (handler, run) => recordedSequence(programs.reg, handler, run),
    restrictFolder: (folder, run) => restrictFolder(programs.icacls, folder, run),
    selfMark: () => (held ??= openPipe(system)),
    isSameProcess,
    noteProcess: (started) => {
      noteProcess(started, own);
    },
    killTree: (tree, run) => killTreeWindows(tree, tools, run),
    describeTree: (tree, run) => describeTreeWindows(tree, tools, run),
    startSupervisor: (request) => {
      const command = [...system.nodeCommand, ...request.command.slice(1)];
      startGuardian(programs, request, { command, env: system.env });
      return Promise.resolve();
    },
    async stopSupervisor({ pid, startTime: mark, marker, keepTree }, run) {
      if (pid === undefined || mark === undefined || !(await isSameProcess(pid, mark))) return;
      await askMark(mark, "stop", answerMs);
      await untilEnded(pid, system);
      if (await isSameProcess(pid, mark)) await endWithGuardian({ pid, mark }, { system, programs, run });
      // The system frees the runtime's file a moment after the process: an uninstall must not find it in use.
      await untilEnded(pid, system);
      if (!keepTree) await killTreeWindows({ marker, graceMs: 0 }, tools, run);
    },
    logFolders: (root) => [win32.join(root, "WindowsAzure", "Logs", "Plugins"), win32.join(paths(root).state, "logs")],
    console: () => undefined,
    announce: (announcement, run) => announceWindows(programs, announcement, run),
  };
}

function scriptCommand({ powershell }: WindowsPrograms): Platform["interpreter"] {
  return (script) => [powershell, ...["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", script]];
}

/** `programFiles`: where the running system keeps it. */
function hookFolder(systemRoot: string, programFiles: string | undefined): (root: string) => string {
  return (root) => {
    const present = root === systemRoot ? programFiles : undefined;
    return join(present ?? join(root, "Program Files"), "capz-bootstrap-hooks", "check.d");
  };
}

/** `programData`: where the running system keeps it, which an administrator may have moved. */
function pathsBelow(root: string, programData = win32.join(root, "ProgramData")): PlatformPaths {
  return {
    state: win32.join(programData, "capz-bootstrap"),
    userFiles: win32.join(programData, "capz-bootstrap", "users"),
    sentinel: win32.join(root, "run", "cluster-api", "bootstrap-success.complete"),
    // Shares, filters and full buffers lose events; one look at a name costs some microseconds, a start of PowerShell seconds.
    sentinelLookMs: 1000,
    watch: [
      win32.join(root, "run", "cluster-api"),
      win32.join(root, "etc", "kubernetes"),
      win32.join(root, "var", "lib", "kubelet", "pki"),
    ],
    // Its service ends after its last line, and nothing else says so: the poll alone would see a failure seconds later.
    logs: [win32.join(root, "Program Files", "Cloudbase Solutions", "Cloudbase-Init", "log", "cloudbase-init.log")],
    checkScript: "check.ps1",
  };
}

async function openPipe(system: WindowsSystem): Promise<string> {
  const { randomBytes } = process.getBuiltinModule("node:crypto");
  const name = `${system.pipePrefix}capz-bootstrap-${String(system.pid)}-${randomBytes(8).toString("hex")}`;
  const { mark } = await holdMark(name, system.onStop);
  return `${mark}|${String(system.parentPid)}`;
}

async function untilEnded(pid: number, system: WindowsSystem): Promise<void> {
  for (let waited = 0; waited < stopMs && system.processExists(pid); waited += stepMs) {
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
}

/**
 * The guardian first, or it would start the supervisor again. It is the parent, and a command processor; on a machine too busy
 * for a process list, the parent that the mark names.
 */
async function endWithGuardian(
  { pid, mark }: { readonly pid: number; readonly mark: string },
  {
    system,
    programs,
    run,
  }: { readonly system: WindowsSystem; readonly programs: WindowsPrograms; readonly run: RunProcess },
): Promise<void> {
  const table = await readProcessTable(programs, run);
  const supervisor = table?.find((entry) => entry.pid === pid);
  const guardian = table?.find((entry) => entry.pid === supervisor?.parent && entry.name.toLowerCase() === "cmd.exe");
  const parent = table === undefined ? Number(mark.split("|")[2]) : guardian?.pid;
  if (parent !== undefined && parent > 0) system.endProcess(parent);
  system.endProcess(pid);
}
