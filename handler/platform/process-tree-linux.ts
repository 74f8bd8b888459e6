import { readdirSync, readFileSync } from "node:fs";
import type { ProcessTree } from "./platform.ts";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly state: string;
  readonly startTime: string;
  readonly name: string;
  readonly runningSeconds: number;
  isStillTheSame(): boolean;
}

/** Clock ticks per second of /proc/<pid>/stat: USER_HZ, 100 on every Linux architecture that Node runs on. */
const ticksPerSecond = 100;

/** PF_KTHREAD of the kernel's include/linux/sched.h: its threads run no program, and are half of what a machine shows. */
const kernelFlag = 0x200000;

/** All live processes; zombies have ended and are left out. */
export function readProcessTable(): readonly ProcessEntry[] {
  const uptime = Number(readText("/proc/uptime")?.split(" ")[0] ?? 0);
  return readdirSync("/proc").flatMap((name) => {
    const entry = /^\d+$/.test(name) ? readEntry(Number(name), uptime) : undefined;
    return entry === undefined ? [] : [entry];
  });
}

/**
 * What belongs to the tree: processes with our marker in their environment, the leader's session, those in the control group of
 * the marker's service (systemd puts nothing else there, and no process leaves it by accident), and every descendant of those (a
 * child that emptied its environment and called setsid still has its parent). Never we ourselves.
 */
export function treeMembers(
  table: readonly ProcessEntry[],
  tree: ProcessTree,
  self: number = process.pid,
): readonly ProcessEntry[] {
  const excluded = ownLine(table, self);
  const sessionIsOurs = tree.leader !== undefined && leaderIsOurs(table, tree.leader, tree.marker);
  const members = new Set<number>(unbornCommands(table, excluded, self));
  const others = table.filter(({ pid }) => !excluded.has(pid));
  for (const { pid, session } of others) {
    const inSession = sessionIsOurs && session === tree.leader;
    if (inSession || carriesMarker(pid, tree.marker) || inService(pid, tree.marker)) members.add(pid);
  }
  for (let grown = -1; grown !== members.size;) {
    grown = members.size;
    for (const { pid, parent } of others) if (members.has(parent)) members.add(pid);
  }
  return table.filter((entry) => members.has(entry.pid));
}

/**
 * What a supervisor that was killed had forked to become its command, and what has not become it yet: a process with our command line and our
 * root, older than we are, that is an orphan and leads no session, as a service does. It carries no marker, and would start beside our own command.
 */
function unbornCommands(
  table: readonly ProcessEntry[],
  excluded: ReadonlySet<number>,
  self: number,
): readonly number[] {
  const own = table.find(({ pid }) => pid === self);
  const line = commandLine(self);
  if (own === undefined || !line.includes("\0supervise\0")) return [];
  return table
    .filter(
      ({ pid, name, startTime }) =>
        !excluded.has(pid) && name === own.name && Number(startTime) <= Number(own.startTime),
    )
    .filter(({ pid }) => commandLine(pid) === line && variable(pid, rootVariable) === variable(self, rootVariable))
    .filter(({ pid, parent, session }) => parent === 1 && session !== pid)
    .map(({ pid }) => pid);
}

const rootVariable = "CAPZ_BOOTSTRAP_ROOT";

function commandLine(pid: number): string {
  return readText(`/proc/${String(pid)}/cmdline`) ?? "";
}

function variable(pid: number, name: string): string | undefined {
  return readText(`/proc/${String(pid)}/environ`)
    ?.split("\0")
    .find((one) => one.startsWith(`${name}=`));
}

/** This process and its ancestors. */
function ownLine(table: readonly ProcessEntry[], self: number): ReadonlySet<number> {
  const parents = new Map(table.map((entry) => [entry.pid, entry.parent]));
  const line = new Set<number>([0, 1]);
  for (let pid: number | undefined = self; pid !== undefined && !line.has(pid); pid = parents.get(pid)) line.add(pid);
  return line;
}

/**
 * The leader's pid is also its session's number. While members of the session live, the kernel gives that number to no
 * new process; so either the leader is gone, or a process with this pid must carry our marker.
 */
function leaderIsOurs(table: readonly ProcessEntry[], leader: number, marker: string): boolean {
  return !table.some((entry) => entry.pid === leader) || carriesMarker(leader, marker);
}

function carriesMarker(pid: number, marker: string): boolean {
  const environment = readText(`/proc/${String(pid)}/environ`);
  return environment !== undefined && `\0${environment}`.includes(`\0CAPZ_BOOTSTRAP_RUN=${marker}\0`);
}

/** The service's name ends in the marker (operations/supervisor.ts); versions 1 and 2 of control groups. */
function inService(pid: number, marker: string): boolean {
  const groups = readText(`/proc/${String(pid)}/cgroup`)?.split("\n") ?? [];
  return groups.some((group) =>
    group.split("/").some((part) => part.startsWith("capz-bootstrap-") && part.endsWith(`-${marker}.service`)),
  );
}

function readEntry(pid: number, uptime: number): ProcessEntry | undefined {
  const stat = readText(`/proc/${String(pid)}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may itself hold blanks and parentheses (proc_pid_stat(5)).
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const [state = "", parent, , session] = fields;
  const startTime = fields[19] ?? "";
  if (state === "Z" || state === "X" || (Number(fields[6]) & kernelFlag) !== 0) return undefined;
  return {
    pid,
    parent: Number(parent),
    session: Number(session),
    state,
    startTime,
    name: stat.slice(stat.indexOf("(") + 1, end),
    runningSeconds: Math.max(0, uptime - Number(startTime) / ticksPerSecond),
    isStillTheSame: () => readEntry(pid, uptime)?.startTime === startTime,
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
