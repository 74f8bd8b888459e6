import { expect, test } from "@jest/globals";
import { uniqueHex } from "../../../handler/files/unique-hex.ts";

test("uniqueHex() gives sixteen hexadecimal digits and never the same ones again", () => {
  const seen = new Set(Array.from({ length: 10_000 }, uniqueHex));
  expect(seen.size).toBe(10_000);
  expect([...seen].every((hex) => /^[0-9a-f]{16}$/u.test(hex))).toBe(true);
});
