import { expect, test } from "@jest/globals";
import { linesInLiteral, unescapeText } from "../../../handler/text/unescape-text.ts";

test.each([
  ["bytes of Python", String.raw`\xc3\xbc`, "ü"],
  ["a URL", "%C3%BC", "ü"],
  ["Rust and JavaScript", String.raw`\u{1F600}`, "😀"],
  ["JSON", String.raw`\u00fc`, "ü"],
  ["Python's long form", String.raw`\U0001F600`, "😀"],
  ["the last character there is", String.raw`\u{10ffff}`, "\u{10ffff}"],
  ["no character", String.raw`\U00110000`, String.raw`\U00110000`],
  ["shells, octal", String.raw`\033[1m`, "\u001b[1m"],
  ["C", String.raw`\n\t\r\v\f\e`, "\n\t\r\n\n\u001b"],
  ["quotes", String.raw`\"\'\/`, `"'/`],
  ["PowerShell", "`n`t`r`e", "\n\t\r\u001b"],
  ["rsyslog", "#012#033", "\n\u001b"],
  ["XML, decimal", "&#252;", "ü"],
  ["XML, hexadecimal", "&#xFC;", "ü"],
  ["XML by name", "&quot;&apos;&lt;&gt;&amp;", `"'<>&`],
  ["four layers", String.raw`\\\\\\\\n`, "\n"],
  ["what is no escape", String.raw`\z &nbsp; %zz #999`, String.raw`\z &nbsp; %zz #999`],
])("unescapeText() reads %s", (_name, literal, meant) => {
  expect(unescapeText(literal)).toBe(meant);
});

test("unescapeText() takes off four layers and no more, so that no text costs more than four readings", () => {
  expect(unescapeText(`${"\\".repeat(16)}n`)).toBe(String.raw`\n`);
});

test.each([
  [String.raw`out: b'first\r\n  second  \n\nlast'`, ["first", "  second", "last'"]],
  [String.raw`out: b"one\ntwo`, ["one", "two"]],
  [String.raw`msg="a\rb"`, ['msg="a', 'b"']],
  ["b'only one'", []],
  ["no literal", []],
])("the lines that a program wrote are read out of one logged literal: %s", (line, lines) => {
  expect(linesInLiteral(line)).toEqual(lines);
});
