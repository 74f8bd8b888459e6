import { expect, test } from "@jest/globals";
import {
  cutAtWord,
  cutMiddle,
  cutText,
  cutToJsonBytes,
  headOf,
  jsonBytes,
  oneLine,
  tailOf,
  tailOfBytes,
} from "../../../handler/text/cut-text.ts";

const face = "\u{1f600}";

test.each([
  ["error: one two three: the reason is here", 30, "error: one … is here"],
  [`error: ${"x".repeat(30)} reason`, 20, "error: … reason"],
  [`${"a".repeat(34)} bb cc dd ee`, 24, "aaaaaaaaaa … cc dd ee"],
  ["alpha beta gamma delta epsilon", 20, "alpha … epsilon"],
  ["alpha beta gamma", 16, "alpha beta gamma"],
  [`a ${"b".repeat(60)} c`, 50, `a ${"b".repeat(21)} … ${"b".repeat(22)} c`],
])("a line that is cut in its middle keeps whole words at both ends, where words are short: %s", (line, limit, cut) => {
  expect(cutMiddle(line, limit)).toBe(cut);
});

test.each([
  ["one two three four", 13, "one two…"],
  ["one two, three", 10, "one two…"],
  ["unbroken", 5, "unbr…"],
  ["x abcdefgh", 8, "x abcde…"],
  ["ab cdefgh", 8, "ab cdef…"],
  ["ab cdefgh", 7, "ab…"],
  ["one two", 7, "one two"],
  ["one two.", 7, "one…"],
])("a sentence is cut at a word, without what stood between the words: %s", (text, limit, cut) => {
  expect(cutAtWord(text, limit)).toBe(cut);
});

test.each([
  ["aüb", 3, "üb"],
  ["aüb", 2, "b"],
  ["aü", 2, "ü"],
  ["ü", 1, ""],
  [`a${face}`, 3, ""],
  ["abc", 9, "abc"],
  ["abc", 0, ""],
  ["ü", 2, "ü"],
])("the last bytes of %j, at most %i, begin at a whole character", (text, maximum, tail) => {
  expect(tailOfBytes(text, maximum)).toBe(tail);
});

test.each(["\u{10000}", "\u{10ffff}", face])("no cut leaves half of a character of two units: %j", (pair) => {
  expect(headOf(`a${pair}`, 2)).toBe("a");
  expect(tailOf(`${pair}b`, 2)).toBe("b");
  expect(headOf(`a${pair}`, 3)).toBe(`a${pair}`);
  expect(tailOf(`${pair}b`, 3)).toBe(`${pair}b`);
});

test("a cut beside a character of two units takes nothing of it away", () => {
  expect(headOf(`${face}b`, 2)).toBe(face);
  expect(tailOf(`a${face}`, 2)).toBe(face);
  expect(tailOf("\udc00a", 2)).toBe("\udc00a");
  expect(headOf("a\ud83d", 2)).toBe("a\ud83d");
});

test("a text that just fits into its bytes stays whole, and one byte less cuts it", () => {
  expect(jsonBytes("")).toBe(0);
  expect(jsonBytes('ü"')).toBe(4);
  expect(cutToJsonBytes('abcdefghijklmnopqrst""', 24)).toBe('abcdefghijklmnopqrst""');
  const cut = cutToJsonBytes('abcdefghijklmnopqrst""', 23);
  expect(cut).toBe(cutText('abcdefghijklmnopqrst""', 21));
});

test("oneLine() leaves single blanks within the text and none around it", () => {
  expect(oneLine(" a\r\n\tb  c ")).toBe("a b c");
});
