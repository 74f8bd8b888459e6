import { lstatSync, readlinkSync } from "node:fs";
import { dirname, parse, relative, resolve, sep } from "node:path";

/** As Linux: a path with more links leads in a circle. */
const mostLinks = 40;

/**
 * Where `path`, which lies below `root`, really is, with every link read as the machine below `root` reads it: an absolute one
 * begins at `root` again, and nothing leads out of it. cloud-init's instance and the kubelet's certificate are absolute links;
 * by the system's own rules they would lead from a copy or an attached disk to this machine's files. What is not there stays as
 * it is named. Undefined when the links lead in a circle. Below the running system's own root the system reads them itself.
 */
export function resolveBelow(root: string, path: string, readLink: ReadLink = linkTarget): string | undefined {
  if (parse(root).root === root) return path;
  return resolveNames(root, namesOf(relative(root, path), sep), readLink);
}

/** The same of the names on the way from `root`, which is not the system's own. */
export function resolveNames(
  root: string,
  names: readonly string[],
  readLink: ReadLink = linkTarget,
): string | undefined {
  const pending = names.filter((name) => name !== "" && name !== ".");
  const top = resolve(root);
  let place = top;
  let links = 0;
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === "..") {
      if (place !== top) place = dirname(place);
      continue;
    }
    // By hand: `join` takes apart again what is known to be in order, for each of the hundred paths of a look.
    const next = `${place}${sep}${name}`;
    const target = readLink(next);
    if (target === undefined) {
      place = next;
      continue;
    }
    links += 1;
    if (links > mostLinks) return undefined;
    const { isAbsolute, parts } = takeApart(target);
    if (isAbsolute) place = top;
    pending.unshift(...parts);
  }
  return place;
}

function namesOf(path: string, separator: string | RegExp): readonly string[] {
  return path.split(separator).filter((name) => name !== "" && name !== ".");
}

/** Undefined for what is no link, or not there. */
export type ReadLink = (path: string) => string | undefined;

/** Reads each link once, for paths that are asked for in the same moment and lie in the same folders. */
export function rememberLinks(): ReadLink {
  const known = new Map<string, string | null>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before ?? undefined;
    const target = linkTarget(path);
    known.set(path, target ?? null);
    return target;
  };
}

/** Undefined for what is no link, or not there. Hardly any is one, and the error by which `readlink` says so costs more than this question. */
export function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** A link of Windows names a drive (`\\?\C:\x`), which stands for the root; a backslash is a letter of a Linux name. */
function takeApart(target: string): { readonly isAbsolute: boolean; readonly parts: readonly string[] } {
  const drive = /^(?:\\\\\?\\|\\\?\?\\)?[A-Z]:[\\/]/iu.exec(target)?.[0];
  if (drive !== undefined) return { isAbsolute: true, parts: namesOf(target.slice(drive.length), /[\\/]/u) };
  return { isAbsolute: target.startsWith("/"), parts: namesOf(target, sep === "\\" ? /[\\/]/u : "/") };
}
