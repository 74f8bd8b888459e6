import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "@jest/globals";
import { markdownFiles } from "./support/markdown.ts";

const repository = join(import.meta.dirname, "..");
const folders = ["handler", "cluster", "publish", "scripts", "test", "manifests", "docs", "bin"];
const hidden = [".github", ".azure-pipelines", ".ci"];

const files = [...folders, ...hidden].flatMap((folder) =>
  readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)).replaceAll("\\", "/")),
);

/** A path from the repository's root, as a sentence or a command names it; behind `commit:` it is one of that commit. */
const pathPattern = new RegExp(
  String.raw`(?<![\w./@$~{}:-])(?:\./)?(?<path>(?:${[...folders, ...hidden].map((name) => name.replace(".", "\\.")).join("|")})/[\w@./*{}<>$-]+)`,
  "gu",
);

function namedIn(text: string): readonly string[] {
  return [...text.matchAll(pathPattern)].map((found) => (found.groups?.["path"] ?? "").replace(/[./-]+$/u, ""));
}

/** A word in capitals stands for a name that the reader puts there, as do signs that no name of a file has. */
function isPattern(path: string): boolean {
  return /[*{}<>$]/u.test(path) || path.includes("my-rule-id") || /(?:^|\/)[A-Z]+(?:\.\w+)?$/u.test(path);
}

/** Jest takes the beginning of a path too: `test/lanes/guest-agent` are all lanes of that name. */
function isThere(path: string): boolean {
  return (
    existsSync(join(repository, path)) || (path.startsWith("test/") && files.some((file) => file.startsWith(path)))
  );
}

const deadIn = (text: string): readonly string[] => namedIn(text).filter((path) => !isPattern(path) && !isThere(path));

/** The comments of a TypeScript file; its strings name files of made machines. */
function commentsOf(source: string): string {
  return source
    .split("\n")
    .flatMap((line) => /^\s*(?:\/\*\*?|\*|\/\/)(?<words>.*)$/u.exec(line)?.groups?.["words"] ?? [])
    .join("\n");
}

const read = (path: string): string => readFileSync(join(repository, path), "utf8");

test.each(markdownFiles(repository))("%s names no file or folder of the repository that is not there", (page) => {
  expect(deadIn(read(page))).toEqual([]);
});

test("no comment and no workflow names a file or folder of the repository that is not there", () => {
  const commented = files.filter((file) => file.endsWith(".ts")).map((file) => [file, commentsOf(read(file))] as const);
  const whole = files.filter((file) => hidden.some((folder) => file.startsWith(`${folder}/`)));
  const texts = [...commented, ...whole.map((file) => [file, read(file).replaceAll(/^.*\bdist\/.*$/gmu, "")] as const)];
  expect(texts.flatMap(([file, text]) => deadIn(text).map((path) => `${file}: ${path}`))).toEqual([]);
});

test("a path of the old structure is found, a pattern and a folder are not", () => {
  expect(deadIn("see `handler/operations/no-such-file.ts`, handler/operations/supervise/run.ts.")).toEqual([
    "handler/operations/no-such-file.ts",
  ]);
  expect(deadIn("handler/check/, scripts/rules/ID.ts, test/lanes/secrets and docs/README.md")).toEqual([]);
  expect(namedIn("/opt/handler/x and dist/cluster/a.cjs and https://host/docs/x")).toEqual([]);
  expect(commentsOf("const a = 'test/x';\n// test/y\n/** test/z */")).toBe(" test/y\n test/z */");
});
