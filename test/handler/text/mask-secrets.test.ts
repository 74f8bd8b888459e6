import { describe, expect, test } from "@jest/globals";
import { seam } from "../../../handler/text/clean-text.ts";
import { mask, mostSecrets, seesNothingOf } from "../../../handler/text/mask-secrets.ts";

const line = "<redacted:line>";
const secret = "<redacted:secret>";

describe("a line's secrets are masked", () => {
  // What is tried, the line, its secrets, what is shown.
  test.each([
    ["nothing where there is none", "user root", [], "user root"],
    ["a word wherever it stands", "a Kx7Qm2 b", ["Kx7Qm2"], `a ${secret} b`],
    ["a word every time", "Kx7Qm2,Kx7Qm2", ["Kx7Qm2"], `${secret},${secret}`],
    ["a word within another one", "pre-Kx7Qm2post", ["Kx7Qm2"], `pre-${secret}post`],
    ["no text that is shorter than four", "a b7c d", ["b7c"], "a b7c d"],
    ["a text of four", "a b7cX d", ["b7cX"], `a ${secret} d`],
    ["a plain word alone, not as a part of another", "sunday sundays", ["sunday"], `${secret} sundays`],
    ["a plain word between signs", "(sunday)", ["sunday"], `(${secret})`],
    ["no plain word behind a digit", "1sunday", ["sunday"], "1sunday"],
    ["the longer of two first", "Kx7Qm2Zz Kx7Qm2", ["Kx7Qm2", "Kx7Qm2Zz"], `${secret} ${secret}`],
    ["what stands around it trimmed", "a Kx7Qm2 b", ["  Kx7Qm2 "], `a ${secret} b`],
    ["the lines of one apart", "Kx7Qm2 then Wv9Rt4", ["Kx7Qm2\nWv9Rt4"], `${secret} then ${secret}`],
    [
      "what a mark in it leaves, apart",
      "Kx7Qm2 then Wv9Rt4",
      ["Kx7Qm2<redacted:key>Wv9Rt4"],
      `${secret} then ${secret}`,
    ],
    ["what a seam in it parts", "Kx7Qm2 then Wv9Rt4", [`Kx7Qm2${seam}Wv9Rt4`], `${secret} then ${secret}`],
    ["a seam in it left out", "Kx7QmWv9Rt4", [`Kx7Qm${seam}Wv9Rt4`], secret],
    ["what its escapes mean", 'a Kx"7Qm2 b', [String.raw`Kx\"7Qm2`], `a ${secret} b`],
    ["with its escapes", String.raw`a Kx\"7Qm2 b`, [String.raw`Kx\"7Qm2`], `a ${secret} b`],
    ["the line, where a rest of it would be shown", "Kx7Qm2Wv9Rt4Zb1 x", ["Kx7Qm2Wv9Rt4Zb1Ps6Lc3 y"], line],
    ["no rest of it that is shorter than a chunk", "Kx7Qm2W x", ["Kx7Qm2Wv9Rt4Zb1Ps6Lc3"], "Kx7Qm2W x"],
    ["the line, where one word of several is shown", "say Wv9Rt4", ["Kx7Qm2 Wv9Rt4"], line],
    ["no plain word of several", "say sunday", ["sunday Kx7Qm2"], "say sunday"],
    ["the line, where two plain words of a phrase are shown", "say calm river", ["green calm river boat"], line],
    ["the phrase, where it stands", "say green calm river", ["green calm river"], `say ${secret}`],
    ["no two words of a phrase that are shorter than nine", "to be or", ["so to be it"], "to be or"],
    ["two words of nine", "to becomes", ["so to becomes it"], line],
  ])("%s", (...[, text, secrets, shown]) => {
    expect(mask(text, secrets)).toBe(shown);
  });

  test("as many as are told apart, and the whole line of more", () => {
    const many = Array.from({ length: mostSecrets + 1 }, (_, at) => `Kx${String(at + 1000)}q`);
    expect(mask(`a ${many[0] ?? ""}`, many.slice(1))).toBe(`a ${many[0] ?? ""}`);
    expect(mask("nothing of them", many)).toBe(line);
  });
});

describe("what is seen of a secret in a text", () => {
  // A secret of 24 chunks and more is looked for in chunks that are spread over it.
  const long = Array.from({ length: 40 }, (_, at) => `${String(at).padStart(2, "0")}Qm`).join("");
  test.each([
    ["nothing in another text", "user root", "Kx7Qm2", true],
    ["itself", "is Kx7Qm2.", "Kx7Qm2", false],
    ["a word of six with a digit", "is Kx7Qm2.", "a Kx7Qm2 b", false],
    ["no word of five", "is Kx7Qm.", "ab Kx7Qm b", true],
    ["no word of letters alone", "is sundays.", "ab sundays b7", true],
    ["a word behind quotes", "is Kx7Qm2.", "'Kx7Qm2'", false],
    ["a word behind backslashes", "is Kx7Qm2.", String.raw`z\\Kx7Qm2`, false],
    ["the begin of a long one", `is ${long.slice(0, 8)}.`, long, false],
    ["the end of a long one", `is ${long.slice(-8)}.`, long, false],
    ["a long part of the middle", `is ${long.slice(70, 90)}.`, long, false],
    ["less than a chunk of it", `is ${long.slice(0, 7)}.`, long, true],
    ["a plain word alone", "the sunday is", "sunday", false],
    ["a plain word trimmed", "the sunday is", " sunday ", false],
    ["no plain word within another", "the sundays are", "sunday", true],
    ["no plain word of three", "the sun is", "sun", true],
    ["a plain word of four", "the moon is", "moon", false],
    ["a plain word of forty", `the ${"moon".repeat(10)} is`, "moon".repeat(10), false],
  ])("%s", (...[, text, hidden, nothing]) => {
    expect(seesNothingOf(text, [hidden])).toBe(nothing);
  });

  test("of the words of a phrase the first 24, by twos", () => {
    const words = Array.from(
      { length: 30 },
      (_, at) => `${"abcdefghijklmnopqrstuvwxyz"[at % 26] ?? ""}${"xyz"[at % 3] ?? ""}moon`,
    );
    const phrase = words.join(" ");
    const pair = (at: number): string => `| ${words.slice(at, at + 2).join(" ")} |`;
    expect(seesNothingOf(pair(0), [phrase])).toBe(false);
    expect(seesNothingOf(pair(22), [phrase])).toBe(false);
    expect(seesNothingOf(pair(23), [phrase])).toBe(true);
  });
});
