import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { BytesLiterals } from "../../../handler/diagnosis/bytes-literals.ts";
import { pythonLiteral } from "../../support/python-literal.ts";

interface Read {
  readonly text: string;
  fileLine(line: number): number;
}

function read(...chunks: readonly (string | Buffer)[]): Read {
  let text = "";
  const parts: Buffer[] = [];
  const literals = new BytesLiterals(
    (bytes) => {
      parts.push(Buffer.from(bytes));
      text += bytes.toString("latin1");
    },
    () => text.split("\n").length,
  );
  for (const chunk of chunks) literals.feed(Buffer.from(chunk));
  literals.end();
  return { text: Buffer.concat(parts).toString("utf8"), fileLine: (line) => literals.fileLine(line) };
}

/** As a program of Windows prints it that was not told of a code page. */
const wide = (text: string): string =>
  `b'${Array.from(Buffer.from(text, "utf16le"), (byte) => {
    if (byte === 0x0a) return "\\n";
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`;
  }).join("")}'`;

const everyCut = (log: string): readonly string[] => {
  const bytes = Buffer.from(log);
  return Array.from({ length: bytes.length + 1 }, (_, at) => read(bytes.subarray(0, at), bytes.subarray(at)).text);
};

describe("a literal of Python's bytes", () => {
  test.each([
    ["lines", String.raw`out: b'one\r\ntwo\nthree'`, "out: \none\r\ntwo\nthree"],
    ["double quotes", String.raw`b"it's\nhere"`, "\nit's\nhere"],
    ["escaped quotes, backslashes, tabs and bytes", String.raw`b'\'\\n\t\xc3\xbc\n'`, "\n'\\n\tü\n"],
    ["cut by the end of its line", "b'one\\ntwo\nthree\n", "\none\ntwo\nthree\n"],
    ["two on one line, and text behind them", String.raw`b'a\nb' and b'c\nd' end`, "\na\nb and \nc\nd end"],
    ["an escape that Python never writes", String.raw`b'C:\Users\n'`, "\nC:\\Users\n"],
    [
      "UTF-16",
      wide("the first line of many\r\nhasło: ＰＷ\nand more\n"),
      "\nthe first line of many\r\nhasło: ＰＷ\nand more\n",
    ],
    ["half a byte at the very end", String.raw`b'a\n\x4`, "\na\n\\x4"],
  ])("becomes the lines that it stands for, wherever a chunk ends: %s", (_, log, expected) => {
    expect(new Set(everyCut(log))).toEqual(new Set([expected]));
  });

  test.each([
    ["without a line end", "stdout: b'short' and b''\n"],
    ["within a word", String.raw`Bob's club'x\ny'` + "\n"],
    ["no quote behind the letter", "a b c\n"],
    ["a line end only behind its end", String.raw`b'x' \n` + "\n"],
  ])("stays as it is written: %s", (_, log) => {
    expect(new Set(everyCut(log))).toEqual(new Set([log]));
  });

  test("any text comes back from its literal, in whatever chunks", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 60 }),
        fc.constantFrom("'", '"'),
        fc.integer({ min: 1, max: 9 }),
        (text, quote, size) => {
          const withLine = `${text.replaceAll(/[\uD800-\uDFFF]/gu, "")}\n.`;
          const log = Buffer.from(`[-] ${pythonLiteral(withLine, quote)}\n`);
          const chunks = Array.from({ length: Math.ceil(log.length / size) }, (_, at) =>
            log.subarray(at * size, (at + 1) * size),
          );
          expect(read(...chunks).text).toBe(`[-] \n${withLine.replaceAll(/\r?\n/gu, "\r\n")}\n`);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("its lines are found in the line of the file in which it stands, and so is what follows", () => {
    const { fileLine } = read("first\n", String.raw`second b'a\nb\nc'`, "\nthird\n", String.raw`b'd\ne'`, "\nfifth");
    // first | second | a | b | c | third | (begin) | d | e | fifth
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(fileLine)).toEqual([1, 2, 2, 2, 2, 3, 4, 4, 4, 5]);
  });
});
