import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
  /** Processor time in seconds that each kind of program has used so far, by its name, ended ones and Wine's server included. */
  processorSeconds(): Promise<ReadonlyMap<string, number>>;
  /** SIGKILL to every Windows program whose command line satisfies the condition, as a crash ends it; gives their number. */
  kill(isMeant: (commandLine: string) => boolean): Promise<number>;
  dispose(): Promise<void>;
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
      "mount -t proc proc /proc && exec sleep infinity",
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
  const leader = await waitUntil("the Wine machine to start", () => mountedChild(keeper.pid), { everyMs: 20 }).catch(
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
    processes: async () => (await windowsPrograms(enter)).map(({ line }) => line),
    processorSeconds: async () => {
      // An ended program stays in the list, since process 1 of this machine asks after nobody.
      const list = await runCommand([...enter, "sh", "-c", "cat /proc/[0-9]*/stat 2>/dev/null; true"]);
      return secondsByName(list);
    },
    kill: async (isMeant) => {
      const pids = (await windowsPrograms(enter)).filter(({ line }) => isMeant(line)).map(({ pid }) => pid);
      if (pids.length > 0) await runCommand([...enter, "sh", "-c", `kill -9 ${pids.join(" ")}`]);
      return pids.length;
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
  /** As the machine's own process list knows it. */
  readonly pid: string;
  readonly line: string;
}

/** Programs of Windows carry a Windows path or just a name as their first argument; it may hold blanks. */
async function windowsPrograms(enter: readonly string[]): Promise<readonly RunningProgram[]> {
  const script =
    'for folder in /proc/[0-9]*; do printf "%s " "${folder#/proc/}"; tr "\\0" " " <"$folder/cmdline"; echo; done 2>/dev/null; true';
  const list = await runCommand([...enter, "sh", "-c", script]);
  return list.split("\n").flatMap((entry) => {
    const [, pid, line] = /^(\d+) (.*)$/u.exec(entry) ?? [];
    const isProgram = line !== undefined && /^(?:[A-Z]:\\|[^\s/]+\.exe)/iu.test(line);
    return pid !== undefined && isProgram ? [{ pid, line }] : [];
  });
}

/** proc(5), stat: the name in brackets, and utime and stime (fields 14 and 15) in hundredths of a second. */
function secondsByName(list: string): ReadonlyMap<string, number> {
  const byName = new Map<string, number>();
  for (const line of list.split("\n")) {
    const end = line.lastIndexOf(")");
    const name = line.slice(line.indexOf("(") + 1, end);
    const fields = line.slice(end + 2).split(" ");
    const seconds = (Number(fields[11]) + Number(fields[12])) / 100;
    if (end !== -1) byName.set(name, (byName.get(name) ?? 0) + seconds);
  }
  return byName;
}

async function mountedChild(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const child = Number(children.trim().split(" ")[0]);
  if (child === 0 || Number.isNaN(child)) return undefined;
  const mounted = await stat(`/proc/${child}/root/proc/version`).catch(() => undefined);
  return mounted === undefined ? undefined : child;
}
