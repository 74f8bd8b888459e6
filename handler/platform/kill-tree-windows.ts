import type { RunProcess } from "../host.ts";
import type { ProcessTree } from "./platform.ts";
import type { WindowsPrograms } from "./powershell-windows.ts";
import { beatMs, findRecords, forgetRecords, type OwnRecords } from "./process-record-windows.ts";
import { readProcessTable, type WindowsProcess } from "./process-table-windows.ts";
import { treeMembers, type TreeRoot } from "./process-tree-windows.ts";

export interface TreeTools {
  readonly programs: WindowsPrograms;
  readonly stateFolder: string;
  /** Of the processes that this program itself has started. */
  readonly own: OwnRecords;
  readonly self: number;
  /** Ends one process at once; false when there is none of that number. */
  end(pid: number): boolean;
  now(): number;
}

/** A process that starts others while it is being ended is caught in the next round. */
const rounds = 5;

/**
 * Ends the check's process and all its descendants. Windows has no signal that asks a program without a window to end, so
 * there is no grace: `graceMs` has no effect. What is not found: a process whose parent was itself started by an ended one.
 */
export async function killTreeWindows(tree: ProcessTree, tools: TreeTools, run: RunProcess): Promise<void> {
  const roots = rootsOf(tree, tools);
  for (const root of roots) {
    for (let round = 0; round < rounds; round++) {
      const table = await readProcessTable(tools.programs, run);
      if (table === undefined) {
        await killByTaskkill({ root, marker: tree.marker }, tools, run);
        break;
      }
      const members = treeMembers(table, root, tools.self);
      for (const member of members) tools.end(member.pid);
      if (members.length === 0) break;
    }
  }
  forgetRecords(tools.stateFolder, tree.marker, tools.own);
}

/** What only carries other programs: a command processor, and the console window that Windows gives each of them. */
const carriers: ReadonlySet<string> = new Set(["cmd.exe", "conhost.exe"]);

/** "ping.exe (pid 404) for 74 s", longest first; names only, since secrets may stand in arguments. */
export async function describeTreeWindows(
  tree: ProcessTree,
  tools: TreeTools,
  run: RunProcess,
): Promise<readonly string[]> {
  const roots = rootsOf(tree, tools);
  const table = roots.length === 0 ? [] : ((await readProcessTable(tools.programs, run)) ?? []);
  const members = roots.flatMap((root) => treeMembers(table, root, tools.self));
  const below = members.filter(({ pid, name }) => pid !== tree.leader && !carriers.has(name.toLowerCase()));
  return (below.length > 0 ? below : members)
    .toSorted((a, b) => (a.startedMs ?? 0) - (b.startedMs ?? 0))
    .slice(0, 10)
    .map((member) => describe(member, tools.now()));
}

function describe({ name, pid, startedMs }: WindowsProcess, now: number): string {
  const age = startedMs === undefined ? "" : ` for ${String(Math.max(0, Math.round((now - startedMs) / 1000)))} s`;
  return `${name} (pid ${String(pid)})${age}`;
}

function rootsOf(tree: ProcessTree, tools: TreeTools): readonly TreeRoot[] {
  return findRecords(tools.stateFolder, tree.marker, tools.own).map((record) => ({
    ...record,
    untilMs: record.ended ? record.untilMs : record.untilMs + beatMs,
  }));
}

/** On a busy machine it may not come to its end in its time. */
const tries = 3;

/** The last resort, for the living root only: taskkill follows the same links, but asks for no times. */
async function killByTaskkill(target: Target, tools: TreeTools, run: RunProcess): Promise<void> {
  for (let attempt = 0; attempt < tries && isAlive(target, tools); attempt++) {
    const pid = String(target.root.pid);
    const { kind } = await run(tools.programs.taskkill, ["/T", "/F", "/PID", pid], { timeoutMs: 20_000 });
    if (kind !== "timed-out") return;
  }
}

interface Target {
  readonly root: TreeRoot;
  readonly marker: string;
}

/**
 * A process that we have started and whose end we have not heard of lives, or its number is still nobody else's: Windows keeps it while we hold
 * the process. How long the list of processes took to give nothing does not matter then. Of another one nothing but its beat tells.
 */
function isAlive({ root, marker }: Target, { own, now }: TreeTools): boolean {
  const ours = own.get(marker);
  if (ours?.pid === root.pid) return !ours.ended;
  return !root.ended && now() <= root.untilMs;
}
