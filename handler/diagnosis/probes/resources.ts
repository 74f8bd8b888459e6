import { statfs } from "node:fs/promises";
import { freemem, totalmem } from "node:os";
import { join } from "node:path";
import { readEnd } from "../../files/read-end.ts";
import { failed, notRun, passed, type Answer, type Probe } from "./probe.ts";

/** kubelet's default eviction thresholds: nodefs.available < 10 %, nodefs.inodesFree < 5 %. */
const leastDiskPercent = 10;
const leastInodePercent = 5;
const leastMemoryMebibytes = 100;
const mebibyte = 1024 * 1024;

export interface DiskSpace {
  readonly bsize: number;
  readonly blocks: number;
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
}

export function resourceProbes(root: string): readonly Probe[] {
  const disks = ["/", "/var/lib/kubelet", "/var/lib/containerd", "/var/log", "/run"];
  return [
    ...disks.map((path): Probe => ({ name: "disk", target: path, ask: () => askDisk(join(root, path)) })),
    { name: "memory", target: "this machine", ask: () => askMemory(root) },
    { name: "swap", target: "this machine", ask: () => askSwap(root) },
  ];
}

/** The same of a Windows machine, which has no /proc and no swap that the kubelet minds. */
export function windowsResourceProbes(root: string): readonly Probe[] {
  return [
    { name: "disk", target: root, ask: () => askDisk(root) },
    { name: "memory", target: "this machine", ask: () => Promise.resolve(judgeMemory(totalmem(), freemem())) },
  ];
}

export function judgeMemory(total: number, free: number): Answer {
  const [whole, available] = [total, free].map((bytes) => Math.round(bytes / mebibyte));
  const message = `total ${String(whole)} MiB, available ${String(available)} MiB`;
  return free < leastMemoryMebibytes * mebibyte ? failed(`low memory, ${message}`) : passed(message);
}

async function askDisk(path: string): Promise<Answer> {
  try {
    return judgeDisk(await statfs(path));
  } catch {
    return notRun("no such folder");
  }
}

export function judgeDisk({ bsize, blocks, bavail, files, ffree }: DiskSpace): Answer {
  if (blocks === 0) return notRun("the file system tells no size");
  const percent = Math.floor((bavail / blocks) * 100);
  // File systems without fixed inodes (btrfs, NTFS) report none.
  const inodePercent = files === 0 ? undefined : Math.floor((ffree / files) * 100);
  const inodes = inodePercent === undefined ? "" : `, ${inodePercent}% of inodes free`;
  const message = `${percent}% of ${Math.round((blocks * bsize) / mebibyte)} MiB free${inodes}`;
  if (percent < leastDiskPercent) return failed(`nearly full, ${message}`);
  return inodePercent !== undefined && inodePercent < leastInodePercent
    ? failed(`out of inodes, ${message}`)
    : passed(message);
}

async function askMemory(root: string): Promise<Answer> {
  const memory = await readEnd(root, "/proc/meminfo");
  if (memory === "") return notRun("no /proc/meminfo");
  const mebibytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(memory)?.[1] ?? 0) / 1024);
  const kills = Number(/^oom_kill (\d+)/m.exec(await readEnd(root, "/proc/vmstat"))?.[1] ?? 0);
  const available = mebibytes("MemAvailable");
  const message = `total ${mebibytes("MemTotal")} MiB, available ${available} MiB, oom_kill ${kills}`;
  if (kills > 0) return failed(`out of memory, the kernel ended ${kills} processes; ${message}`);
  return available < leastMemoryMebibytes ? failed(`low memory, ${message}`) : passed(message);
}

async function askSwap(root: string): Promise<Answer> {
  const swaps = await readEnd(root, "/proc/swaps");
  if (swaps === "") return notRun("no /proc/swaps");
  const devices = swaps
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(/\s+/)[0] ?? "");
  if (devices.length === 0) return passed("off");
  const allowed = /^\s*failSwapOn:\s*false/m.test(await readEnd(root, "/var/lib/kubelet/config.yaml"));
  return allowed
    ? passed(`on (${devices.join(", ")}), allowed by failSwapOn: false`)
    : failed(`on (${devices.join(", ")}), the kubelet does not allow it`);
}
