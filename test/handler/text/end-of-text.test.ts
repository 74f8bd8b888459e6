import { expect, test } from "@jest/globals";
import { endOfText } from "../../../handler/text/end-of-text.ts";
import { show } from "../../../handler/text/shown-text.ts";

test("a text that fits stays whole, without the line break at its end", () => {
  expect(endOfText(show("one\ntwo\n"), 10)).toBe("one\ntwo");
});

test("output without line breaks is shown, up to the limit, and does not vanish", () => {
  const end = endOfText(show(`${"x ".repeat(2500)}end`), 100);
  expect(end).toMatch(/^\[… cut\]\n[ x]{97}end$/u);
});

test("one line break near the end of a long output costs nothing of what stands before it", () => {
  const text = `${"x ".repeat(1500)}\nlast`;
  expect(endOfText(show(text), 2000)).toHaveLength("[… cut]\n".length + 2000);
});

test("a line break near the front is where the end begins", () => {
  expect(endOfText(show(`${"a".repeat(100)}\nwhole line\nlast`), 18)).toBe("[… cut]\nwhole line\nlast");
  expect(endOfText(show("aaaa\nwhole\nlast"), 10)).toBe("[… cut]\nwhole\nlast");
});

test("a character of two units is never cut in half", () => {
  const end = endOfText(show("😀".repeat(50)), 11);
  expect(end).toBe(`[… cut]\n${"😀".repeat(5)}`);
});
