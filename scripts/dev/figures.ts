import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { countDuplicates } from "./figures/duplicates.ts";
import { fileLengths, functionLengths, type Lengths } from "./figures/lengths.ts";
import { whatEnableLoads } from "./figures/loaded-parts.ts";
import { shapeOf } from "./figures/shape.ts";
import { importGraph } from "./imports.ts";

const rooms = ["handler", "cluster", "publish", "scripts"] as const;

/**
 * `npm run figures [-- FOLDER]`: the figures of docs/architecture.md, of this project or of a checkout of another version.
 * What `enable` loads is told of the program that `npm run build` left in FOLDER.
 */
function main(project: string): void {
  const graph = importGraph(project, rooms);
  // The catalogue is data: one file, one rule.
  const files = [...graph.keys()].filter((file) => !file.startsWith("scripts/rules/"));
  const shape = shapeOf(new Map([...graph].filter(([file]) => !file.startsWith("scripts/rules/"))));
  const program = shapeOf(importGraph(project, ["handler"]));
  const tracked = execFileSync("git", ["-C", project, "ls-files"], { encoding: "utf8" }).trim().split("\n").length;
  const parts = whatEnableLoads((name) => textIfThere(join(project, "dist/build", name)), "linux");
  const rows: readonly (readonly [string, string])[] = [
    ["Files in the repository", String(tracked)],
    ["Source files, without rules", String(shape.files)],
    ["Folders of sources", String(shape.folders)],
    ["Arrows between folders", String(shape.arrows)],
    ["The same within handler/", `${String(program.arrows)} between ${String(program.folders)} folders`],
    ["Arrows between files", String(shape.imports)],
    ["Circles of files", String(shape.fileCircles)],
    ["Knots of folders", String(shape.folderCircles)],
    ["Longest import chain", `${String(shape.longestChain)} files`],
    ["Lines of a file", lengthText(fileLengths(project, files))],
    ["Lines of a function", lengthText(functionLengths(project, files))],
    ["Lines written twice", String(countDuplicates(project, files))],
    [
      "Loaded by enable",
      `${String(parts.length)} files, ${String(parts.reduce((sum, { text }) => sum + text.length, 0))} bytes`,
    ],
  ];
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(30)}${value}\n`);
}

function textIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function lengthText({ median, p90, longest, where }: Lengths): string {
  return `median ${String(median)}, p90 ${String(p90)}, longest ${String(longest)} (${where})`;
}

main(resolve(process.argv[2] ?? join(import.meta.dirname, "../..")));
