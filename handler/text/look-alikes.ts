/** Letters of other alphabets that nobody tells from a Latin one, in the words in which a secret's name could be written. */
const latin: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // Cyrillic
    ...pairs("авеёзіїјкмһорсѕтухԁԛԝѵьАВЕЗІЈКМНОРСЅТУХԌԚԜѴ", "abeeziijkmhopcstyxdqwvbABEZIJKMHOPCSTYXGQWV"),
    // Greek
    ...pairs("αβγεικνορτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abyeiknoptuxwABEZHIKMNOPTYX"),
    // Latin letters without a dot or with a bar
    ...pairs("ıȷɑɡʀʏŀ", "ijagrYl"),
  }),
);

const mayLookAlike =
  /[\u0130-\u024f\u0250-\u02af\u0370-\u052f\u1d00-\u1dbf\u2100-\u214f\u2460-\u24ff\uff00-\uffef\u{1d400}-\u{1d7ff}]/u;

/**
 * The text with every letter that looks like a Latin one as that letter: full width, mathematical and circled forms, Cyrillic
 * and Greek twins. To a reader it is the same text. The text itself where it holds none. Linear in the length.
 */
export function withoutLookAlikes(text: string): string {
  if (!mayLookAlike.test(text)) return text;
  return Array.from(text.normalize("NFKC"), (letter) => latin.get(letter) ?? letter).join("");
}

/** Quotes as they are typed, in the place of those that editors and pages make of them. As long as before. */
export function withPlainQuotes(text: string): string {
  return text.replace(doubleQuotes, '"').replace(singleQuotes, "'");
}

const doubleQuotes = /[\u201c-\u201f\u2033]/gu;
const singleQuotes = /[\u2018-\u201b\u2032]/gu;

function pairs(from: string, to: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from(from, (letter, index) => [letter, to[index] ?? letter]));
}
