import { expect, test } from "@jest/globals";
import { shorten } from "../../../handler/diagnosis/line-text.ts";
import { show } from "../../../handler/text/shown-text.ts";

const filler = (count: number): string => "made up ".repeat(count);

test("a line that is long keeps its beginning and its end, where the innermost error stands", () => {
  const text = shorten(show(`begin ${filler(200)}connection refused`));
  expect(text.startsWith("begin ")).toBe(true);
  expect(text.endsWith("connection refused")).toBe(true);
  expect(text.length).toBeLessThan(620);
});

test.each([10, 100, 190])("what matters is in what is left of it, %i words from its beginning", (words) => {
  const text = show(`begin ${filler(words)}exit status=31 ${filler(200 - words)}end`);
  const short = shorten(text, ["exit status=31"]);
  expect(short).toContain("exit status=31");
  expect(short).toMatch(/^begin /u);
  expect(short.length).toBeLessThan(620);
});

test("a line that is short enough stays as it is", () => {
  expect(shorten(show("made up"), ["up"])).toBe("made up");
});
