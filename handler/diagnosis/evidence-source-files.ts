import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { resolveBelow } from "../files/resolve-below.ts";

export interface FoundFile {
  /** Where it lies now. */
  readonly path: string;
  /** Where a person on the node finds it: without the root. */
  readonly shown: string;
  readonly size: number;
  readonly modifiedMs: number;
}

/** Folders of one level that a pattern may match, so that a folder with a million entries costs a bounded time. */
const mostEntries = 500;
/** Logs of this extension quote the failures that it reported earlier: they are no evidence. */
const ourOwn = /capz|bootstrap-?failure/i;

/** The first of the paths that is there; a pattern gives its newest few files, oldest of them first. */
export async function findFiles(
  root: string,
  { paths, newest = 1 }: { readonly paths: readonly string[]; readonly newest?: number },
): Promise<readonly FoundFile[]> {
  for (const path of paths) {
    const found = await findPattern(root, path);
    if (found.length > 0) return found.toSorted((a, b) => a.modifiedMs - b.modifiedMs).slice(-newest);
  }
  return [];
}

/** A copy of /var/log alone counts as a root too: its files lie directly in it. */
async function findPattern(root: string, path: string): Promise<readonly FoundFile[]> {
  const found = await expand(root, path.split("/").filter(Boolean));
  if (found.length > 0 || !path.startsWith("/var/log/")) return found;
  const copied = await expand(root, path.slice("/var/log/".length).split("/"));
  return copied.map((file) => ({ ...file, shown: `/var/log${file.shown}` }));
}

async function expand(root: string, segments: readonly string[]): Promise<readonly FoundFile[]> {
  let places: readonly string[] = [""];
  for (const segment of segments) {
    const next = await Promise.all(places.map((place) => namesOf(root, place, segment)));
    places = next.flat().slice(0, mostEntries);
  }
  const files = await Promise.all(places.map((place) => describe(root, place)));
  return files.filter((file) => file !== undefined);
}

async function namesOf(root: string, place: string, segment: string): Promise<readonly string[]> {
  if (!segment.includes("*")) return [`${place}/${segment}`];
  const folder = resolveBelow(root, join(root, place));
  const entries = folder === undefined ? [] : await readdir(folder).catch(() => []);
  const [head = "", ...tails] = segment.split("*");
  return entries
    .filter((name) => name.startsWith(head) && matchesTails(name.slice(head.length), tails) && !ourOwn.test(name))
    .map((name) => `${place}/${name}`);
}

function matchesTails(name: string, tails: readonly string[]): boolean {
  let rest = name;
  for (const tail of tails.slice(0, -1)) {
    const at = rest.indexOf(tail);
    if (at === -1) return false;
    rest = rest.slice(at + tail.length);
  }
  return rest.endsWith(tails.at(-1) ?? "");
}

async function describe(root: string, shown: string): Promise<FoundFile | undefined> {
  const path = resolveBelow(root, join(root, shown));
  if (path === undefined) return undefined;
  try {
    const found = await stat(path);
    // Opening a pipe or a device could block for ever.
    return found.isFile() ? { path, shown, size: found.size, modifiedMs: found.mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}
