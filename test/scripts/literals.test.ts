import { expect, test } from "@jest/globals";
import { requiredLiterals } from "../../scripts/dev/literals.ts";

test.each([
  ["plain text, in lower case", String.raw`Failed To`, ["failed to"]],
  ["the longer of two texts around something unknown", String.raw`ab.*connection`, ["connection"]],
  ["one text per branch of an alternation", String.raw`(?:refused|timed out)`, ["refused", "timed out"]],
  ["the text outside a group when a branch has none", String.raw`socket (?:\d+|refused)`, ["socket "]],
  ["not what is optional", String.raw`abcdef(?:xyzxyzxyz)?`, ["abcdef"]],
  ["not the character before a star", String.raw`abcdex*yz`, ["abcde"]],
  ["both cases of a letter written as a class", String.raw`[Ff]ailed`, ["failed"]],
  ["escaped punctuation", String.raw`\[ERROR CRI\]`, ["[error cri]"]],
  ["nothing from a lookahead", String.raw`(?!warning)failed`, ["failed"]],
  ["the text in a named group", String.raw`(?<answer>no such host)`, ["no such host"]],
])("finds %s", (_, pattern, texts) => {
  expect(requiredLiterals(pattern)).toEqual(texts);
});

test("finds nothing where any character may stand", () => {
  expect(requiredLiterals(".*|abc")).toEqual([]);
});

test("takes at most fourteen characters of a long text, the rare ones", () => {
  const [text = ""] = requiredLiterals("the certificate of xyzzy quux is not valid");
  expect(text).toHaveLength(14);
  expect(text).toContain("xyzzy");
});
