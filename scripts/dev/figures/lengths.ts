import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

export interface Lengths {
  readonly median: number;
  /** Nine of ten are no longer. */
  readonly p90: number;
  readonly longest: number;
  readonly where: string;
}

/** Lines of each file. */
export function fileLengths(project: string, files: readonly string[]): Lengths {
  return summaryOf(files.map((file) => ({ lines: textOf(project, file).trimEnd().split("\n").length, where: file })));
}

/** Lines of each function and method that has a name, from its first line to its last. */
export function functionLengths(project: string, files: readonly string[]): Lengths {
  return summaryOf(
    files.flatMap((file) => {
      const source = ts.createSourceFile(file, textOf(project, file), ts.ScriptTarget.Latest);
      return namedFunctions(source).map((node) => {
        const line = (position: number) => source.getLineAndCharacterOfPosition(position).line;
        return { lines: line(node.end) - line(node.getStart(source)) + 1, where: `${file} ${nameOf(node, source)}` };
      });
    }),
  );
}

type NamedFunction = ts.FunctionDeclaration | ts.MethodDeclaration;

function namedFunctions(source: ts.SourceFile): readonly NamedFunction[] {
  const found: NamedFunction[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.body !== undefined) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function nameOf(node: NamedFunction, source: ts.SourceFile): string {
  return node.name?.getText(source) ?? "";
}

function summaryOf(all: readonly { readonly lines: number; readonly where: string }[]): Lengths {
  const sorted = all.toSorted((a, b) => a.lines - b.lines);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.lines ?? 0;
  const longest = sorted.at(-1);
  return { median: at(0.5), p90: at(0.9), longest: longest?.lines ?? 0, where: longest?.where ?? "" };
}

function textOf(project: string, file: string): string {
  return readFileSync(join(project, file), "utf8");
}
