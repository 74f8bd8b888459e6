/** Files and what they import, both as paths from the project's folder. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** A shortest way round for each group of files that import each other; its first file stands at its end again. */
export function findCircles(graph: ImportGraph): readonly (readonly string[])[] {
  const circles: (readonly string[])[] = [];
  const told = new Set<string>();
  for (const file of [...graph.keys()].toSorted()) {
    if (told.has(file)) continue;
    const circle = wayBack(graph, file);
    if (circle === undefined) continue;
    circles.push(circle);
    // Whoever this file reaches and is reached by belongs to the same knot, which is told once.
    for (const other of reachedFrom(graph, file)) if (reachedFrom(graph, other).has(file)) told.add(other);
  }
  return circles;
}

function wayBack(graph: ImportGraph, start: string): readonly string[] | undefined {
  const cameFrom = new Map<string, string>();
  const waiting = [start];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    for (const next of graph.get(file) ?? []) {
      if (next === start) return [...pathTo(file, cameFrom), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      waiting.push(next);
    }
  }
  return undefined;
}

function pathTo(file: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const before = cameFrom.get(file);
  return before === undefined ? [file] : [...pathTo(before, cameFrom), file];
}

function reachedFrom(graph: ImportGraph, start: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const next of graph.get(file) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      waiting.push(next);
    }
  }
  return reached;
}
