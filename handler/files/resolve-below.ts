import { readlinkSync } from "node:fs";
import { join, parse, relative, sep } from "node:path";

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
  const pending = [...namesOf(relative(root, path), sep)];
  let place: string[] = [];
  let links = 0;
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === "..") {
      place.pop();
      continue;
    }
    const target = readLink(join(root, ...place, name));
    if (target === undefined) {
      place.push(name);
      continue;
    }
    links += 1;
    if (links > mostLinks) return undefined;
    const { isAbsolute, parts } = takeApart(target);
    if (isAbsolute) place = [];
    pending.unshift(...parts);
  }
  return join(root, ...place);
}

function namesOf(path: string, separator: string | RegExp): readonly string[] {
  return path.split(separator).filter((name) => name !== "" && name !== ".");
}

/** Undefined for what is no link, or not there. */
export type ReadLink = (path: string) => string | undefined;

/** Reads each link once, for paths that are asked for in the same moment and lie in the same folders. */
export function rememberLinks(): ReadLink {
  const known = new Map<string, string | undefined>();
  return (path) => {
    if (known.has(path)) return known.get(path);
    const target = linkTarget(path);
    known.set(path, target);
    return target;
  };
}

export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
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
