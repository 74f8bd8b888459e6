import { expect, test } from "@jest/globals";
import { cutShown, ours, show, showAgain, showAll, showLine, shownHtml } from "../../../handler/text/shown-text.ts";

const token = "abcdef.0123456789abcdef";

test("showAll() shows every text and every key of a value, and leaves all else as it is", () => {
  expect(showAll({ list: [token, 1, null, true], [token]: { deep: `x ${token}` }, none: undefined })).toEqual({
    list: ["<redacted:join-token>", 1, null, true],
    "<redacted:join-token>": { deep: "x <redacted:join-token>" },
    none: undefined,
  });
});

test("shownHtml() leaves nothing that a browser takes for markup", () => {
  expect(shownHtml(show(`<a b="c" d='e'>&x</a>`))).toBe("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;x&lt;/a&gt;");
});

test("showAgain() takes a text that is no JSON object for a text", () => {
  expect(showAgain(`{ ${token}`)).toBe("{ <redacted:join-token>");
  expect(showAgain(`["${token}"]`)).toBe('["<redacted:join-token>"]');
  expect(showAgain("[ 1 ]")).toBe("[ 1 ]");
  expect(showAgain('{"a":1}', 1)).toBe('{\n "a": 1\n}');
});

test("a single line has no blanks around it, and single ones within", () => {
  expect(showLine(" a\r\n b\t c ")).toBe("a b c");
});

test("joined lines keep the blanks within a line, as a table aligns its columns with them", () => {
  expect(cutShown.joinLines(show("  a   b \n\n   c  d\n e \n"))).toBe("  a   b c  d e");
});

test.each([
  ["half word\nwhole line", { start: true }, "whole line"],
  ["half word rest", { start: true }, "… word rest"],
  ["half", { start: true }, "…"],
  [" half", { start: true }, "… half"],
  ["whole half", { end: true }, "whole …"],
  ["half", { end: true }, "…"],
  ["whole\nhalf", { end: true }, "whole\n…"],
  ["a b c", { start: true, end: true }, "… b …"],
  ["a b c", {}, "a b c"],
])("the half word at a cut of %j %j is not shown", (text, edges, shown) => {
  expect(show(text, edges)).toBe(shown);
});

test("our own words hold numbers and shown values", () => {
  expect(ours`${show("a")} took ${3} s`).toBe("a took 3 s");
});
