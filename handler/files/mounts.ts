import { readFileSync } from "node:fs";
import { join } from "node:path";
import { linkTarget } from "./resolve-below.ts";

/** File systems whose answers come from this machine's own disks and memory. A network, FUSE or autofs mount may never answer. */
const local =
  /^(?:ext[234]|xfs|btrfs|vfat|exfat|ntfs3?|f2fs|zfs|overlay|squashfs|erofs|iso9660|udf|tmpfs|ramfs|devtmpfs|devpts|proc|sysfs|cgroup2?|mqueue|hugetlbfs|pstore|efivarfs|bpf|tracefs|debugfs|securityfs|configfs|fusectl|binfmt_misc|nsfs|selinuxfs)$/u;

/** The kernel's own folders, where systemd keeps an autofs mount for a rarely used feature: no file of a check lies there. */
const kernelOnly = /^\/(?:proc|sys|dev)\//u;

export interface Mount {
  readonly point: string;
  readonly isLocal: boolean;
}

const mountList = "/proc/self/mountinfo";
const mostLinks = 40;

/** What was read last: a wait reads the same list again and again. */
let last: { readonly text: string; readonly mounts: readonly Mount[] } | undefined;

/** proc(5) mountinfo: "… mount point options … - type source …". Undefined where there is none: on Windows, or without /proc. */
export function readMounts(list: string = mountList): readonly Mount[] | undefined {
  try {
    const text = readFileSync(list, "utf8");
    if (text !== last?.text) last = { text, mounts: parseMounts(text) };
    return last.mounts;
  } catch {
    return undefined;
  }
}

function parseMounts(text: string): readonly Mount[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(parseMount);
}

function parseMount(line: string): Mount {
  const point = (line.split(" ", 5)[4] ?? "").replace(/\\(?<code>[0-7]{3})/gu, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 8)),
  );
  const type = / - (?<type>\S+) /u.exec(line)?.groups?.["type"] ?? "";
  return { point, isLocal: local.test(type) || kernelOnly.test(point) };
}

/** May this absolute path be asked for, in the hope of an answer? */
export type AnswersLocally = (path: string) => boolean;

/**
 * Tells paths that lie on this machine's own disks, with every folder and symbolic link on the way to them, from those that a dead share may
 * hold for ever. To find out, only what is known to be local is touched. Without a list of mounts nothing can be told, and all may be asked.
 */
export function localPaths(list: string = mountList): AnswersLocally {
  const mounts = readMounts(list);
  if (mounts === undefined || mounts.every(({ isLocal }) => isLocal)) return () => true;
  // Of several at one place the last one covers the others.
  const byLength = mounts.toReversed().toSorted((one, other) => other.point.length - one.point.length);
  const isOnLocal = (path: string): boolean =>
    byLength.find(({ point }) => path === point || path.startsWith(point === "/" ? point : `${point}/`))?.isLocal ===
    true;
  return (path) => isReachable(path, isOnLocal);
}

function isReachable(path: string, isOnLocal: AnswersLocally): boolean {
  let rest = partsOf(path);
  let at = "/";
  for (let links = 0; links <= mostLinks;) {
    const [part, ...others] = rest;
    if (part === undefined) return true;
    const next = join(at, part);
    if (!isOnLocal(next)) return false;
    const target = linkTarget(next);
    if (target === undefined) {
      at = next;
      rest = others;
    } else {
      links += 1;
      at = target.startsWith("/") ? "/" : at;
      rest = [...partsOf(target), ...others];
    }
  }
  return false;
}

function partsOf(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
