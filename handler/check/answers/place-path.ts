import { join } from "node:path";
import { resolveNames, type ReadLink } from "../../files/resolve-below.ts";
import { isSystemRoot } from "../../files/system-root.ts";

/** The longest path that a check may ask for; the systems' own limits are higher. */
const maxLength = 1024;

export interface PlacedPath {
  /** As this process opens it. */
  readonly path: string;
  /** On the running machine, in /proc, /sys or /run: kernel memory, which answers at once and never hangs. */
  readonly isMemory: boolean;
}

/**
 * Where a path that the check wrote in its system's way (`/run/x`, `C:\run\x`) lies below `root`. Undefined for what is not
 * an absolute path without `..`, and for links in a circle: nothing leads out of the root.
 */
export function placePath(asked: string, root: string, readLink?: ReadLink): PlacedPath | undefined {
  if (asked.length > maxLength || asked.includes("\0")) return undefined;
  const below = /^(?:[A-Z]:)?(?<below>[/\\].*)$/isu.exec(asked)?.groups?.["below"];
  if (below === undefined) return undefined;
  // A backslash is a letter of a Linux name; only a path that begins as Windows writes it is taken apart by it.
  const parts = below.split(asked.startsWith("/") ? "/" : /[/\\]/u);
  if (parts.includes("..")) return undefined;
  if (isSystemRoot(root)) return { path: join(root, ...parts), isMemory: /^\/(?:proc|sys|run)\//u.test(asked) };
  const path = resolveNames(root, parts, readLink);
  return path === undefined ? undefined : { path, isMemory: false };
}
