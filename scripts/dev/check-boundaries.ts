import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mayImport, portFiles } from "./boundaries/may-import.ts";
import { shownTextRules, worldRules } from "./boundaries/text-rules.ts";
import { findCircles } from "./import-circles.ts";
import { importGraph, sourcesOf, targetsOf } from "./imports.ts";

/** What breaks the direction of imports or the one-writer rules, and what imports itself in a circle, a sentence each. */
export function findViolations(project: string): readonly string[] {
  const ruled = sourcesOf(project, ["cluster", "handler", "publish", "scripts/check", "scripts/dev", "scripts/rules"]);
  return [
    ...ruled.flatMap((file) => [...importViolations(project, file), ...worldViolations(project, file)]),
    ...circleViolations(project),
    ...roomViolations(project, ruled),
  ];
}

/** Types count too: who must read b to understand a, and a to understand b, can read neither first. */
function circleViolations(project: string): readonly string[] {
  const graph = importGraph(project, ["cluster", "handler", "publish", "scripts"]);
  return findCircles(graph).map(
    (circle) => `${circle.join(" → ")} is a circle of imports: put what they share into a file of its own`,
  );
}

/** A room that imports another stands above it, so that whoever reads the lower one need not know the upper. */
function roomViolations(project: string, files: readonly string[]): readonly string[] {
  const rooms = new Map<string, string[]>();
  for (const file of files) {
    const from = folderOf(file);
    const others = targetsOf(project, file).map(folderOf);
    rooms.set(from, [...(rooms.get(from) ?? []), ...others.filter((room) => room !== from && !room.endsWith(".ts"))]);
  }
  return findCircles(rooms).map(
    (circle) =>
      `${circle.join(" → ")} is a circle of rooms: put what they share into one that both may import (docs/architecture.md)`,
  );
}

function importViolations(project: string, file: string): readonly string[] {
  const from = folderOf(file);
  const allowed = mayImport[from];
  if (allowed === undefined) return [];
  return targetsOf(project, file)
    .filter((target) => !portFiles.includes(target) && folderOf(target) !== from && !allowed.includes(folderOf(target)))
    .map((target) => `${file} imports ${target}: "${from}" may import only ${allowed.join(", ") || "nothing of ours"}`);
}

function worldViolations(project: string, file: string): readonly string[] {
  if (!["handler/", "cluster/", "scripts/check/"].some((room) => file.startsWith(room))) return [];
  const text = readFileSync(join(project, file), "utf8");
  return [...worldRules, ...shownTextRules]
    .filter(({ pattern, allowed }) => pattern.test(text) && !allowed.some((prefix) => file.startsWith(prefix)))
    .map(({ what }) => `${file} ${what}`);
}

/** The innermost folder that has a row of its own. */
function folderOf(file: string): string {
  const parts = file.split("/");
  if (parts[0] === "publish") return "publish";
  const inner = parts.slice(0, 3).join("/");
  return inner in mayImport ? inner : parts.slice(0, 2).join("/");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const violations = findViolations(join(import.meta.dirname, "../.."));
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
