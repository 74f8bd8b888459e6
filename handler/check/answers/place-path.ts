import { join, sep } from "node:path";
import { rememberLinks, resolveNames, type ReadLink } from "../../files/resolve-below.ts";
import { isSystemRoot } from "../../files/system-root.ts";

/** The longest path that a check may ask for; the systems' own limits are higher. */
const maxLength = 1024;

export interface PlacedPath {
  /** As this process opens it. */
  readonly path: string;
  /** On the running machine, in /proc, /sys or /run: kernel memory, which answers at once and never hangs. */
  readonly isMemory: boolean;
}

/** What one look has found out of the folders below a root that is not the system's: its paths lie in few of them. */
export interface KnownPlaces {
  readonly readLink: ReadLink;
  /** By the folder as the check wrote it. */
  readonly folders: Map<string, string>;
}

export function rememberPlaces(): KnownPlaces {
  return { readLink: rememberLinks(), folders: new Map() };
}

/** Nothing in it that stands for another name. */
const isPlain = (asked: string): boolean => asked.startsWith("/") && !/\/\.{0,2}(?:\/|$)/u.test(asked);
const isMemory = (asked: string): boolean => /^\/(?:proc|sys|run)\//u.test(asked);

/**
 * Where a path that the check wrote in its system's way (`/run/x`, `C:\run\x`) lies below `root`. Undefined for what is not
 * an absolute path without `..`, and for links in a circle: nothing leads out of the root.
 */
export function placePath(asked: string, root: string, known?: KnownPlaces): PlacedPath | undefined {
  if (asked.length > maxLength || asked.includes("\0")) return undefined;
  return isPlain(asked) ? placePlain(asked, root, known) : placeOdd(asked, root, known);
}

function placePlain(asked: string, root: string, known: KnownPlaces | undefined): PlacedPath | undefined {
  if (root === "/") return { path: asked, isMemory: isMemory(asked) };
  return known === undefined || isSystemRoot(root) ? placeOdd(asked, root, known) : placeInFolder(asked, root, known);
}

function placeOdd(asked: string, root: string, known: KnownPlaces | undefined): PlacedPath | undefined {
  const below = /^(?:[A-Z]:)?(?<below>[/\\].*)$/isu.exec(asked)?.groups?.["below"];
  if (below === undefined) return undefined;
  // A backslash is a letter of a Linux name; only a path that begins as Windows writes it is taken apart by it.
  const parts = below.split(asked.startsWith("/") ? "/" : /[/\\]/u);
  if (parts.includes("..")) return undefined;
  if (isSystemRoot(root)) return { path: join(root, ...parts), isMemory: isMemory(asked) };
  return placed(resolveNames(root, parts, known?.readLink));
}

function placeInFolder(asked: string, root: string, { readLink, folders }: KnownPlaces): PlacedPath | undefined {
  const at = asked.lastIndexOf("/");
  const named = asked.slice(0, at);
  const folder = folders.get(named) ?? resolveNames(root, named.split("/"), readLink);
  if (folder === undefined) return undefined;
  folders.set(named, folder);
  const path = `${folder}${sep}${asked.slice(at + 1)}`;
  return readLink(path) === undefined ? placed(path) : placed(resolveNames(root, asked.split("/"), readLink));
}

function placed(path: string | undefined): PlacedPath | undefined {
  return path === undefined ? undefined : { path, isMemory: false };
}
