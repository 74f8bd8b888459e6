import { expect, test } from "@jest/globals";
import * as v from "valibot";
import { readShape, someText } from "../../publish/read-shape.ts";

const schema = v.object({ version: someText, rows: v.array(v.object({ name: someText })) });

test("readShape() gives what the schema knows and leaves out the rest", () => {
  const content = { version: "1.2.3", rows: [{ name: "linux", note: "x" }], comment: "y" };
  expect(readShape(schema, content, "pins.json")).toEqual({ version: "1.2.3", rows: [{ name: "linux" }] });
});

test("readShape() names every fault with its place in the file", () => {
  const content = { version: "", rows: [{ name: "linux" }, {}] };
  expect(() => readShape(schema, content, "pins.json")).toThrow(
    /^pins\.json cannot be used: version: .*; rows\.1\.name: .*\.$/u,
  );
  expect(() => readShape(schema, [], "pins.json")).toThrow("pins.json cannot be used: ");
});
