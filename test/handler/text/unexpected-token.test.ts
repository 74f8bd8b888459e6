import { expect, test } from "@jest/globals";
import { placeOfUnexpectedToken } from "../../../handler/text/unexpected-token.ts";

test.each([
  ["nope", 1],
  ["[1,]", 3],
  ['{"a":}', 5],
  ['{"a": {"b": [1, 2, x, 3], "c": "a text that makes it longer"}}', 19],
  // What fails by its end, or with a place of Node's own, and what is JSON.
  ['{"a": ', undefined],
  ['{"a" 1}', undefined],
  ["[1]", undefined],
])("the place of the token in %s is %s", (text, place) => {
  expect(placeOfUnexpectedToken(text)).toBe(place);
});
