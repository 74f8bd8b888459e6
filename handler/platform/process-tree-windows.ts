import type { WindowsProcess } from "./process-table-windows.ts";

/** The first process of a check and the time in which its pid was its own. */
export interface TreeRoot {
  readonly pid: number;
  readonly startedMs: number;
  readonly untilMs: number;
  readonly ended: boolean;
}

/** Between our note of a start and the system's: the clock's own steps and a slow machine. */
const toleranceMs = 5000;

/**
 * The root and its descendants, parents first. A parent that has ended leaves its number to its children, and the number may
 * soon be another process's: so a child counts only if it began while that number was the parent's. Never we or our parents.
 */
export function treeMembers(table: readonly WindowsProcess[], root: TreeRoot, self: number): readonly WindowsProcess[] {
  const excluded = ownLine(table, self);
  const holder = table.find((entry) => entry.pid === root.pid);
  const living = holder !== undefined && !root.ended && isRoot(holder, root) ? holder : undefined;
  const other = living === undefined ? holder : undefined;
  const members = table.filter((entry) => entry === living || isChildOfRoot(entry, root, other));
  const found = new Set([root.pid, ...members.map((member) => member.pid)]);
  // Members are appended while the list is walked: each one's children follow it.
  for (const parent of members) {
    for (const entry of table) {
      if (found.has(entry.pid) || entry.parent !== parent.pid || !beganAfter(entry, parent)) continue;
      found.add(entry.pid);
      members.push(entry);
    }
  }
  return members.filter((member) => !excluded.has(member.pid));
}

function isRoot(entry: WindowsProcess, root: TreeRoot): boolean {
  return entry.startedMs === undefined || Math.abs(entry.startedMs - root.startedMs) <= toleranceMs;
}

/** `other`: another process that has the root's number now. */
function isChildOfRoot(entry: WindowsProcess, root: TreeRoot, other: WindowsProcess | undefined): boolean {
  if (entry.parent !== root.pid || entry.pid === root.pid) return false;
  // Without times, a child of a number that another process has now may be that one's.
  if (entry.startedMs === undefined) return other === undefined;
  if (other?.startedMs !== undefined && entry.startedMs >= other.startedMs) return false;
  return entry.startedMs >= root.startedMs - toleranceMs && entry.startedMs <= root.untilMs + toleranceMs;
}

function beganAfter(entry: WindowsProcess, parent: WindowsProcess): boolean {
  return entry.startedMs === undefined || parent.startedMs === undefined || entry.startedMs >= parent.startedMs;
}

/** This process and its ancestors, as far as they live. */
function ownLine(table: readonly WindowsProcess[], self: number): ReadonlySet<number> {
  const parents = new Map(table.map((entry) => [entry.pid, entry.parent]));
  const line = new Set<number>([0, 4]);
  for (let pid: number | undefined = self; pid !== undefined && !line.has(pid); pid = parents.get(pid)) line.add(pid);
  return line;
}
