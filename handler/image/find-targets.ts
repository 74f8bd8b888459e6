import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join, posix, relative, sep } from "node:path";
import { resolveBelow } from "../files/resolve-below.ts";
import { isSystemRoot } from "../files/system-root.ts";
import { textIfThere } from "../files/text-if-there.ts";
import type { ImageTarget } from "./image-part.ts";

/** Something that is really there and goes: a path, a registry key or an event log. */
export type RemovableTarget =
  | { readonly kind: "remove" | "empty"; readonly path: string; readonly shown: string }
  | { readonly kind: "registry" | "event-log"; readonly name: string; readonly shown: string };

/** `left`: a folder that is a link to what may be somebody else's. */
export type FoundTarget =
  RemovableTarget | { readonly kind: "left"; readonly path: string; readonly shown: string; readonly leadsTo: string };

/** Every file and folder below `root` that a target names, sorted. What a pattern matches is looked up name by name, never by a shell. */
export function findTarget(root: string, target: ImageTarget): readonly FoundTarget[] {
  switch (target.kind) {
    case "remove":
      return matching(root, target.path).map(({ path, shown }) => ({ kind: "remove", path, shown }));
    case "clear":
      return matching(root, target.folder).flatMap((place) => clearable(root, place));
    case "named-by":
      return matching(root, target.kubeconfig).flatMap(({ path }) => namedBy(root, resolveBelow(root, path)));
    case "empty":
      return matching(root, target.path)
        .map(({ path, shown }) => ({ kind: "empty" as const, path: resolveBelow(root, path) ?? "", shown }))
        .filter(({ path }) => isFullFile(path));
    case "registry":
      return [{ kind: "registry", name: target.key, shown: target.key }];
    case "event-log":
      return [{ kind: "event-log", name: target.log, shown: `event log ${target.log}` }];
  }
}

interface Place {
  readonly path: string;
  /** As the machine itself names it, without the folder that stands for it. */
  readonly shown: string;
}

const certificateName = /^kubelet[\w.-]*\.(?:pem|crt|key)$/u;

const ownCertificates = ["kubelet-client-*.pem", "kubelet-server-*.pem", "kubelet.crt", "kubelet.key"];

/** The kubelet renews its certificate beside the link that its kubeconfig names. */
function namedBy(root: string, kubeconfig: string | undefined): readonly FoundTarget[] {
  const text = kubeconfig === undefined ? "" : (textIfThere(kubeconfig) ?? "");
  const named = Array.from(
    text.matchAll(/^\s*client-(?:certificate|key): *["']?(\/[^\s"'*]+)/gmu),
    ([, name = ""]) => name,
  );
  return named.flatMap((name) => {
    const [folder, file] = [posix.dirname(name), posix.basename(name)];
    if (!certificateName.test(file)) return [];
    const names = file.startsWith("kubelet-client-") ? ownCertificates : [file];
    const places = names.flatMap((own) => matching(root, `${folder}/${own}`));
    return places.map(({ path, shown }) => ({ kind: "remove" as const, path, shown }));
  });
}

/**
 * A folder that is a link to another disk is still the one that its program uses. One that leads to a folder of another name, or to one around
 * itself, may lead to what is somebody else's: it is left alone.
 */
function clearable(root: string, { path, shown }: Place): readonly FoundTarget[] {
  const resolved = resolveBelow(root, path);
  if (resolved === undefined || !existsSync(resolved) || !lstatSync(path).isSymbolicLink())
    return contentsOf(resolved, shown);
  const place = resolved === path ? realpathSync(path) : resolved;
  if (basename(place) === basename(path) && !path.startsWith(place + sep)) return contentsOf(place, shown);
  if (namesIn(place).length === 0) return [];
  return [{ kind: "left", path, shown, leadsTo: asTheMachineNames(root, { path: place, shown }) }];
}

/** A place below `root` as the machine itself names it. */
function asTheMachineNames(root: string, { path, shown }: Place): string {
  // On Windows a link may lead to another drive, to which no way leads from the root.
  if (isSystemRoot(root)) return path;
  const below = relative(root, path);
  return shown.includes("\\") ? `${shown.slice(0, 2)}\\${below.replaceAll(sep, "\\")}` : `/${below}`;
}

function contentsOf(path: string | undefined, shown: string): readonly FoundTarget[] {
  if (path === undefined) return [];
  const separator = shown.includes("\\") ? "\\" : "/";
  return namesIn(path).map((name) => ({
    kind: "remove",
    path: join(path, name),
    shown: `${shown}${separator}${name}`,
  }));
}

function matching(root: string, pattern: string): readonly Place[] {
  const isWindows = /^[A-Z]:\\/u.test(pattern);
  const [, ...parts] = pattern.split(isWindows ? "\\" : "/");
  const separator = isWindows ? "\\" : "/";
  let places: readonly Place[] = [{ path: root, shown: isWindows ? pattern.slice(0, 2) : "" }];
  for (const part of parts) {
    places = places.flatMap(({ path, shown }) => {
      const folder = resolveBelow(root, path);
      if (folder === undefined) return [];
      return namesLike(folder, part).map((name) => ({
        path: join(folder, name),
        shown: `${shown}${separator}${name}`,
      }));
    });
  }
  return places;
}

function namesLike(folder: string, part: string): readonly string[] {
  if (!part.includes("*")) return isThere(join(folder, part)) ? [part] : [];
  return namesIn(folder).filter((name) => isLike(name, part));
}

/** `*` stands for any characters; upper and lower case count as the same, as they do on Windows. */
function isLike(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const last = rest.pop() ?? "";
  const text = name.toLowerCase();
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** A link counts as what it is: its target may be gone. A file in the place of a folder above is no folder with something in it. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isFullFile(path: string): boolean {
  if (!existsSync(path)) return false;
  const found = statSync(path);
  return found.isFile() && found.size > 0;
}

function namesIn(folder: string): readonly string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  return readdirSync(folder).sort();
}
