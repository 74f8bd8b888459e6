import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { cacheFolder, debianRoot, type RootRecipe } from "./node-root.ts";
import { runCommand, tryCommand, type CommandResult } from "./run-command.ts";
import { waitUntil } from "./wait-until.ts";

const prefix = "/root/.wine";
const runFolder = join(cacheFolder, "nodes", "wine");

/**
 * Debian 13's Wine 10 runs Node 24; Debian 12's Wine 8 does not (V8 cannot reserve its memory).
 * `wineboot` is run once, when the root is built, because it takes about ten seconds.
 */
export const wineRoot: RootRecipe = {
  suite: "trixie",
  // busybox-static and musl are for the lane of musl, which then needs no root of its own.
  packages: ["busybox-static", "musl", "wine", "wine64"],
  needsMb: 4000,
  finish: `export WINEPREFIX=${prefix} WINEDEBUG=-all; wineboot --init >/dev/null 2>&1; wineserver --wait`,
};

/** A machine on which Windows programs run under Wine: own files, own processes; the network is the host's. */
export interface WineMachine {
  /** Host folder that stands for `C:\`. */
  readonly drive: string;
  /** Runs a Windows program and gives its output; further `env` is seen by it. */
  run(command: readonly string[], options?: WineRunOptions): Promise<CommandResult>;
  /** Command lines of the Windows programs that run now. */
  processes(): Promise<readonly string[]>;
  /** What each kind of program has used so far, by its name, ended ones and Wine's server included. */
  programUse(): Promise<ReadonlyMap<string, ProgramUse>>;
  /** SIGKILL to every Windows program whose command line satisfies the condition, as a crash ends it; gives their number. */
  kill(isMeant: (commandLine: string) => boolean): Promise<number>;
  dispose(): Promise<void>;
}

/** Written by the machine's first process when it is where it belongs. */
const upFile = "/machine-is-up";

export interface ProgramUse {
  /** How many of them have run or run. */
  readonly started: number;
  /** Processor time. */
  readonly seconds: number;
}

interface WineRunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Working folder as Windows sees it. */
  readonly cwd?: string;
}

/** Starts a fresh Wine machine from the cached root; every process on it ends with `dispose`. */
export async function startWineMachine(): Promise<WineMachine> {
  const lower = await debianRoot(wineRoot);
  await sweepAbandonedMachines();
  const folder = join(runFolder, `wine-${randomUUID().slice(0, 8)}`);
  const root = join(folder, "root");
  for (const part of ["upper", "work", "root"]) await mkdir(join(folder, part), { recursive: true });
  const layers = `lowerdir=${lower},upperdir=${join(folder, "upper")},workdir=${join(folder, "work")}`;
  await runCommand(["mount", "-t", "overlay", "overlay", "-o", layers, root]);
  // The death of process 1 of the pid namespace ends all that the test started, detached or not.
  const keeper = spawn(
    "unshare",
    [
      "--mount",
      "--pid",
      "--fork",
      "--kill-child=SIGKILL",
      "chroot",
      root,
      "sh",
      "-c",
      `mount -t proc proc /proc && : >${upFile} && exec sleep infinity`,
    ],
    { stdio: "ignore" },
  );
  await writeFile(join(folder, "keeper"), String(keeper.pid));
  await writeFile(join(folder, "owner"), String(process.pid));
  const exited = new Promise<void>((resolve) =>
    keeper.once("exit", () => {
      resolve();
    }),
  );
  const leader = await waitUntil("the Wine machine to start", () => leaderOf(keeper.pid, root), { everyMs: 20 }).catch(
    (error: unknown) => {
      keeper.kill("SIGKILL");
      throw error;
    },
  );
  const enter = ["nsenter", "-t", String(leader), "-m", "-p", "-r", "-w", "--"];
  return {
    drive: join(root, prefix, "drive_c"),
    run: async (command, options = {}) => {
      const output = `/tmp/${randomUUID()}`;
      const variables = {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        WINEPREFIX: prefix,
        WINEDEBUG: "-all",
        // Without it file names outside ASCII cannot be written.
        LANG: "C.UTF-8",
        XDG_RUNTIME_DIR: "/tmp",
        HOME: "/root",
        ...options.env,
      };
      const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
      const unixFolder = (options.cwd ?? "C:\\").replace(/^C:/iu, join(prefix, "drive_c")).replaceAll("\\", "/");
      // A pipe as standard output gives EBADF in Node under Wine, so both streams go to files.
      const script = 'cd "$1" && out=$2 && shift 2 && exec wine "$@" >"$out.out" 2>"$out.err"';
      const result = await tryCommand([
        ...enter,
        // Nothing of the host's: a proxy or a certificate file of its own would be seen by every program.
        "env",
        "-i",
        ...assignments,
        "sh",
        "-c",
        script,
        "sh",
        unixFolder,
        output,
        ...command,
      ]);
      const read = (name: string): Promise<string> => readFile(join(root, `${output}.${name}`), "utf8").catch(() => "");
      return { code: result.code, stdout: await read("out"), stderr: result.stderr + (await read("err")) };
    },
    processes: () => Promise.resolve(windowsPrograms(leader).map(({ line }) => line)),
    programUse: async () => {
      // An ended program stays in the list, since process 1 of this machine asks after nobody.
      const list = await runCommand([...enter, "sh", "-c", "cat /proc/[0-9]*/stat 2>/dev/null; true"]);
      return useByName(list);
    },
    kill: (isMeant) => {
      const meant = windowsPrograms(leader).filter(({ line }) => isMeant(line));
      for (const { pid } of meant) process.kill(pid, "SIGKILL");
      return Promise.resolve(meant.length);
    },
    dispose: async () => {
      process.kill(leader, "SIGKILL");
      await exited;
      // The kernel lets go of the last process's files a moment after it.
      await waitUntil("the Wine machine's files to be free", async () => {
        return (await tryCommand(["umount", "-R", root])).code === 0;
      });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Removes machines whose test run was itself killed. Their processes ended with it only where it could still end them. */
export async function sweepAbandonedMachines(): Promise<void> {
  for (const name of await readdir(runFolder).catch(() => [])) {
    const keeper = Number(await readFile(join(runFolder, name, "keeper"), "utf8").catch(() => "0"));
    const owner = Number(await readFile(join(runFolder, name, "owner"), "utf8").catch(() => "0"));
    if (owner === 0 || (await stat(`/proc/${owner}`).catch(() => undefined)) !== undefined) continue;
    const commandLine = await readFile(`/proc/${keeper}/cmdline`, "utf8").catch(() => "");
    // A pid may have been given away since; only the process that names this machine is ours.
    if (commandLine.includes(name)) process.kill(keeper, "SIGKILL");
    await tryCommand(["umount", "-R", "-l", join(runFolder, name, "root")]);
    await rm(join(runFolder, name), { recursive: true, force: true });
  }
}

interface RunningProgram {
  /** As the host's own process list knows it. */
  readonly pid: number;
  readonly line: string;
}

/**
 * Read from the host, where no program is started for it: the ended ones stay in the machine's list by the hundred, and whoever asks each for its
 * line takes the processors from what the test waits for. For the same reason without a promise for each.
 */
function windowsPrograms(leader: number): readonly RunningProgram[] {
  const machine = readlinkSync(`/proc/${String(leader)}/ns/pid`);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && isWindowsProgram(`/proc/${name}`, machine))
    .map((name) => ({ pid: Number(name), line: lineOf(`/proc/${name}`) }))
    .filter(({ line }) => line !== "");
}

/** Wine's own loader runs it. False for what has ended, which belongs to no machine any more. */
function isWindowsProgram(folder: string, machine: string): boolean {
  try {
    return basename(readlinkSync(`${folder}/exe`)) === "wine64" && readlinkSync(`${folder}/ns/pid`) === machine;
  } catch {
    return false;
  }
}

function lineOf(folder: string): string {
  try {
    return readFileSync(`${folder}/cmdline`, "utf8").replaceAll("\0", " ").trimEnd();
  } catch {
    return "";
  }
}

/** proc(5), stat: the name in brackets, and utime and stime (fields 14 and 15) in hundredths of a second. */
function useByName(list: string): ReadonlyMap<string, ProgramUse> {
  const byName = new Map<string, ProgramUse>();
  for (const line of list.split("\n")) {
    const end = line.lastIndexOf(")");
    const name = line.slice(line.indexOf("(") + 1, end);
    const fields = line.slice(end + 2).split(" ");
    const seconds = (Number(fields[11]) + Number(fields[12])) / 100;
    const before = byName.get(name) ?? { started: 0, seconds: 0 };
    if (end !== -1) byName.set(name, { started: before.started + 1, seconds: before.seconds + seconds });
  }
  return byName;
}

/** Process 1 of the machine, once it is in the machine's root: a moment before it is still in the host's, which has a /proc, too. */
async function leaderOf(pid: number | undefined, root: string): Promise<number | undefined> {
  if (pid === undefined || (await stat(join(root, upFile)).catch(() => undefined)) === undefined) return undefined;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const child = Number(children.trim().split(" ")[0]);
  return child === 0 || Number.isNaN(child) ? undefined : child;
}
