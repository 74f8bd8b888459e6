import { expect, test } from "@jest/globals";
import { isJsonObject, parseJson } from "../../../handler/text/parse-json.ts";

test.each([
  ['{"a":[1]}', { a: [1] }],
  ["\ufeff[1]", [1]],
  ["true", true],
])("JSON is read, with a byte order mark too: %j", (text, value) => {
  expect(parseJson(text)).toEqual({ kind: "value", value });
});

test.each([
  ["", "it is empty"],
  [" \n", "it is empty"],
  ["{", "it ends too early, after 1 characters"],
  ["[1, 2", "it ends too early, after 5 characters"],
  ["[1\n\n", "it ends too early, after 4 characters"],
  ['{"a" 1}', "it is not JSON from character 6 on"],
  ['{"abcdefghijkl" 1}', "it is not JSON from character 17 on"],
  ['{"a":1}  x', "it is not JSON from character 10 on"],
  ["nope", "it is not JSON"],
  ["[1,]", "it is not JSON"],
])("what is wrong is said without the text: %j, %s", (text, reason) => {
  expect(parseJson(text)).toEqual({ kind: "malformed", reason });
});

test("an object is neither null nor a list nor a text", () => {
  expect([{}, { a: 1 }].map(isJsonObject)).toEqual([true, true]);
  expect([null, [], [{}], "{}", 1, undefined, () => 1].map(isJsonObject)).toEqual(Array(7).fill(false));
});
