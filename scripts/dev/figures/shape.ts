import { dirname } from "node:path";
import { findCircles, type ImportGraph } from "../import-circles.ts";

export interface Shape {
  readonly files: number;
  readonly folders: number;
  /** Pairs of folders of which one imports the other. */
  readonly arrows: number;
  /** Pairs of files of which one imports the other. */
  readonly imports: number;
  readonly fileCircles: number;
  /** Groups of folders that import each other. What stands in a folder may be used below it, and use what is below. */
  readonly folderCircles: number;
  /** Files on the longest way from a file to one that imports nothing. */
  readonly longestChain: number;
}

export function shapeOf(graph: ImportGraph): Shape {
  const folders = foldersOf(graph);
  return {
    files: graph.size,
    folders: folders.size,
    arrows: countArrows(folders),
    imports: countArrows(graph),
    fileCircles: findCircles(graph).length,
    folderCircles: findCircles(withoutFamily(folders)).length,
    longestChain: longestChain(graph),
  };
}

function foldersOf(graph: ImportGraph): ImportGraph {
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    const from = dirname(file);
    const known = folders.get(from) ?? new Set();
    for (const target of targets) if (dirname(target) !== from) known.add(dirname(target));
    folders.set(from, known);
  }
  return new Map([...folders].map(([folder, targets]) => [folder, [...targets]]));
}

function withoutFamily(folders: ImportGraph): ImportGraph {
  const isAbove = (upper: string, lower: string) => lower.startsWith(`${upper}/`);
  return new Map(
    [...folders].map(([folder, targets]) => [
      folder,
      targets.filter((target) => !isAbove(folder, target) && !isAbove(target, folder)),
    ]),
  );
}

function countArrows(graph: ImportGraph): number {
  return [...graph.values()].reduce((sum, targets) => sum + targets.length, 0);
}

/** Within a circle no way is counted twice. */
function longestChain(graph: ImportGraph): number {
  const known = new Map<string, number>();
  const chainFrom = (file: string, above: ReadonlySet<string>): number => {
    const found = known.get(file);
    if (found !== undefined) return found;
    const here = new Set([...above, file]);
    const below = (graph.get(file) ?? []).filter((target) => !here.has(target));
    const length = 1 + Math.max(0, ...below.map((target) => chainFrom(target, here)));
    known.set(file, length);
    return length;
  };
  return Math.max(0, ...[...graph.keys()].map((file) => chainFrom(file, new Set())));
}
