import { expect, test } from "@jest/globals";
import { endOfText } from "../../../handler/text/end-of-text.ts";

test("a text that fits stays whole, without the line break at its end", () => {
  expect(endOfText("one\ntwo\n", 10)).toBe("one\ntwo");
});

test("output without line breaks is shown, up to the limit, and does not vanish", () => {
  expect(endOfText(`${"x".repeat(5000)}end`, 100)).toBe(`[… cut]\n${"x".repeat(97)}end`);
});

test("one line break near the end of a long output costs nothing of what stands before it", () => {
  const text = `${"x".repeat(3000)}\nlast`;
  expect(endOfText(text, 2000)).toHaveLength("[… cut]\n".length + 2000);
});

test("a line break near the front is where the end begins", () => {
  expect(endOfText(`${"a".repeat(100)}\nwhole line\nlast`, 18)).toBe("[… cut]\nwhole line\nlast");
  expect(endOfText("aaaa\nwhole\nlast", 10)).toBe("[… cut]\nwhole\nlast");
});

test("a character of two units is never cut in half", () => {
  const end = endOfText("😀".repeat(50), 11);
  expect(end).toBe(`[… cut]\n${"😀".repeat(5)}`);
});
