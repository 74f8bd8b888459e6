import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";
import type { ImportGraph } from "./import-circles.ts";

/** Paths of all TypeScript files below `folders`, from the project's folder, with `/`. */
export function sourcesOf(project: string, folders: readonly string[]): readonly string[] {
  return folders
    .filter((folder) => existsSync(join(project, folder)))
    .flatMap((folder) => readdirSync(join(project, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(project, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

/** What a file imports of ours, in whatever form, as paths from the project's folder. Types count too. */
export function targetsOf(project: string, file: string): readonly string[] {
  const text = readFileSync(join(project, file), "utf8");
  return [...text.matchAll(/(?:\bfrom|\bimport\(?)\s*"(?<target>\.{1,2}\/[^"]+)"/gu)].map((match) =>
    normalize(join(dirname(file), match.groups?.["target"] ?? ""))
      .split(sep)
      .join("/"),
  );
}

export function importGraph(project: string, folders: readonly string[]): ImportGraph {
  const files = sourcesOf(project, folders);
  const known = new Set(files);
  return new Map(
    files.map((file) => [file, [...new Set(targetsOf(project, file).filter((target) => known.has(target)))]]),
  );
}
