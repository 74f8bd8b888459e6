import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { markdownFiles } from "./support/markdown.ts";

/** docs/words.md: what each thing is called, and under which other names it must not go. */
const otherNames: readonly (readonly [string, RegExp])[] = [
  ["client", /\bstandalone (?:tool|program|file)\b/iu],
  ["check bundle", /\b(?:check (?:package|archive)|bundle of checks)\b/iu],
  ["catalogue of rules", /\b(?:rule ?set|rules? database|signature (?:catalogue|database))\b/iu],
  ["first line", /\b(?:headline|summary line)\b/iu],
  ["next step", /\b(?:remedy|recommended action|next action)\b/iu],
  ["sentinel", /\b(?:success|marker|flag) file\b/iu],
  ["guest agent", /\b(?:Azure|VM|host) agent\b/u],
  ["scale set", /\bVMSS\b/u],
  ["Custom Script extension", /\b(?:Custom ?Script [Hh]andler|CustomScript extension)\b/u],
  ["CAPZ's first extension", /\b(?:old|legacy|former) (?:CAPZ )?(?:bootstrapping )?extension\b/iu],
];

const project = join(import.meta.dirname, "..");
/** Made of the words of others, or about the history of this project. */
const quoting = new Set([
  "docs/rules.md",
  "docs/coverage.md",
  "docs/words.md",
  "docs/peers-expectations.md",
  "CHANGELOG.md",
]);
const pages = markdownFiles(project).filter((page) => !quoting.has(page));
const sources = ["handler", "cluster", "publish"].flatMap((folder) =>
  readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`),
);

describe("one concept has one name", () => {
  test.each(otherNames)("%s has no other name in the pages", (_, other) => {
    const found = pages.flatMap((page) => linesWith(other, readFileSync(join(project, page), "utf8"), page));
    expect(found).toEqual([]);
  });

  test.each(otherNames)("%s has no other name in what the programs print", (_, other) => {
    const found = sources.flatMap((file) =>
      linesWith(other, printedBy(readFileSync(join(project, file), "utf8")), file),
    );
    expect(found).toEqual([]);
  });

  test("another name is found, in a page and in a text of a program, and not in code", () => {
    expect(linesWith(/\bheadline\b/iu, "a\nthe Headline\n", "page")).toEqual(["page:2: the Headline"]);
    expect(printedBy('const ruleSet = "a rule set here";')).toContain("a rule set here");
    expect(printedBy("const ruleSet = load(rules); // the rule set")).not.toContain("rule");
  });
});

function linesWith(pattern: RegExp, text: string, file: string): readonly string[] {
  return text
    .split("\n")
    .flatMap((line, index) => (pattern.test(line) ? [`${file}:${String(index + 1)}: ${line.trim()}`] : []));
}

/** The sentences among the literals of a source: with a blank in them; patterns and comments are no text of ours. */
function printedBy(source: string): string {
  return source
    .split("\n")
    .map((line) => (/^\s*(?:\/\/|\*|\/\*)/u.test(line) ? "" : line.replace(/\s\/\/ .*$/u, "")))
    .map((line) =>
      [...line.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|`[^`]*`/gu)]
        .filter(([literal]) => literal.includes(" "))
        .map(([literal]) => literal.replaceAll(/\$\{[^}]*\}/gu, ""))
        .join(" "),
    )
    .join("\n");
}
