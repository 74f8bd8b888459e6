import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { AutomatonWalk, buildAutomaton } from "../../../handler/text/automaton.ts";

/** Few letters, so that texts are ends, beginnings and parts of each other. */
const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "é"), minLength: 1, maxLength: 6 });
const scanned = fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "A", "x", "\n"), maxLength: 60 });

/** Of every place at which texts or a line end: the numbers of the texts, or the line's end. */
function walked(texts: readonly string[], bytes: Buffer): ReadonlyMap<number, readonly number[] | "line end"> {
  const walk = new AutomatonWalk(buildAutomaton(texts));
  const found = new Map<number, readonly number[] | "line end">();
  for (let at = walk.next(bytes, 0); at < bytes.length; at = walk.next(bytes, at + 1)) {
    found.set(at, walk.isLineEnd ? "line end" : walk.texts.toSorted((a, b) => a - b));
  }
  return found;
}

function searched(texts: readonly string[], bytes: Buffer): ReadonlyMap<number, readonly number[] | "line end"> {
  const small = Buffer.from(bytes.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)));
  const endsAt = (at: number, text: string): boolean => {
    const wanted = Buffer.from(text);
    return at + 1 >= wanted.length && small.subarray(at + 1 - wanted.length, at + 1).equals(wanted);
  };
  const all = [...small.keys()].map((at): readonly [number, readonly number[] | "line end"] => {
    if (small[at] === 0x0a) return [at, "line end"];
    return [at, texts.flatMap((text, index) => (!text.includes("\n") && endsAt(at, text) ? [index] : []))];
  });
  return new Map(all.filter(([, found]) => found.length > 0));
}

test("every text is found where a search for each alone finds it, and every line's end", () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), scanned, (texts, text) => {
      const bytes = Buffer.from(text);
      expect(walked(texts, bytes)).toEqual(searched(texts, bytes));
    }),
    { numRuns: 2000 },
  );
});

test("a text with a line end in it is never found, and hides no line's end", () => {
  const texts = ["a\nb", "\n", "b"];
  const bytes = Buffer.from("a\nb");
  expect(walked(texts, bytes)).toEqual(searched(texts, bytes));
});
