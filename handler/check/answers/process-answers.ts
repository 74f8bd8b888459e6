import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Answer, ProcessSeen } from "../../../scripts/check/questions.ts";
import { isSystemRoot } from "../../files/system-root.ts";
import { cannotTell, cannotTellBecause, known } from "./answer.ts";
import { readUptimeMs } from "./boot-answer.ts";
import { tellKubeadm } from "./kubeadm-process.ts";
import { textIfThere } from "../../files/text-if-there.ts";

const mostProcesses = 2000;
/** Of proc(5) stat, field 22: clock ticks after boot, a hundred in each second on every Linux that Azure runs. */
const ticksPerSecond = 100;
/** cgroup v2, and v1 with systemd's own hierarchy. */
const hierarchies = ["sys/fs/cgroup", "sys/fs/cgroup/systemd", "sys/fs/cgroup/unified"] as const;

/** From /proc and the control groups: kernel memory, read without a program and without a file thread. */
export function answerProcesses(root: string, unit: string | undefined): Answer<"processes"> {
  const uptimeMs = readUptimeMs(root);
  if (uptimeMs === undefined) return cannotTell("/proc/uptime cannot be read");
  try {
    const pids = unit === undefined ? allPids(root) : pidsOfUnit(root, unit);
    if (typeof pids === "string") return cannotTell(pids);
    const seen = pids.slice(0, mostProcesses).map((pid) => readProcess(root, pid, uptimeMs));
    return known<"processes">(seen.filter((process) => process !== undefined));
  } catch (error) {
    return cannotTellBecause(error);
  }
}

function allPids(root: string): readonly string[] {
  return readdirSync(join(root, "proc")).filter((name) => /^\d+$/u.test(name));
}

/** A unit without a control group has no process; where there are no groups of system services, nothing can be told. */
export function pidsOfUnit(root: string, unit: string): readonly string[] | string {
  if (!/^[\w@][\w@.:\\-]{0,200}$/u.test(unit)) return "it is not the name of a unit";
  let seen = false;
  for (const hierarchy of hierarchies) {
    const slice = join(root, hierarchy, "system.slice");
    if (!isFolder(slice)) continue;
    seen = true;
    const group = join(slice, unit);
    const pids = isFolder(group) ? pidsBelow(group, 2) : [];
    if (pids.length > 0) return pids;
  }
  // A copied or scratch machine shows the groups of its busy units only.
  return seen || !isSystemRoot(root) ? [] : "there are no control groups of system services";
}

/** Asked for before it is read: most units have no group while they rest, and an error costs more than the question. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** A service may have parted its processes into groups below its own. */
function pidsBelow(group: string, levels: number): readonly string[] {
  const own = textIfThere(join(group, "cgroup.procs"))?.split("\n") ?? [];
  const below = levels === 0 ? [] : (namesIn(group) ?? []);
  const deeper = below.flatMap((name) => pidsBelow(join(group, name), levels - 1));
  return [...own.filter((line) => /^\d+$/u.test(line)), ...deeper].slice(0, mostProcesses);
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return undefined;
  }
}

/** Name and start of "74 (kube adm) S 1 …": the name in parentheses may hold blanks and parentheses itself. */
export function readProcess(root: string, pid: string, uptimeMs: number): ProcessSeen | undefined {
  const text = textIfThere(join(root, "proc", pid, "stat"));
  if (text === undefined) return undefined;
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).split(" ");
  // A zombie has ended; only its parent has not looked yet.
  if (open < 0 || close < open || fields[0] === "Z" || fields[0] === "X") return undefined;
  const startedMs = (Number(fields[19] ?? 0) * 1000) / ticksPerSecond;
  const name = text.slice(open + 1, close);
  const told = name === "kubeadm" ? tellKubeadm(root, pid) : {};
  return { name, ageMs: Math.max(0, Math.round(uptimeMs - startedMs)), ...told };
}
