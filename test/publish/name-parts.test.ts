import { expect, test } from "@jest/globals";
import { compileFunction } from "node:vm";
import { buildProgram } from "../../publish/build-program.ts";
import { requireLate } from "../../publish/late-parts.ts";

test("every part of the program is named for where its code comes from, and no name is a digest", async () => {
  const { files } = await buildProgram();
  const names = files.map(({ name }) => name).filter((name) => name.startsWith("lib/"));
  expect(names).toContain("lib/operations-supervise-command.cjs");
  expect(names.some((name) => /^lib\/shared-text(?:-\d+)?\.cjs$/.test(name))).toBe(true);
  expect(names.filter((name) => /chunk|-[0-9A-Z]{8}\.cjs$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  // Whatever a part asks for is there by that name.
  for (const { name, content } of files) {
    const asked = [...content.toString("utf8").matchAll(/require\("\.\/(?:lib\/)?([^"]+)"\)/g)].map(
      (found) => `lib/${found[1] ?? ""}`,
    );
    expect({ name, missing: asked.filter((part) => !names.includes(part)) }).toEqual({ name, missing: [] });
  }
});

test("a late part is required by the first use of it, and its classes are still made by new", () => {
  class Walk {
    readonly steps = 0;
  }
  const part = { Walk, twice: (value: number) => 2 * value };
  let required = 0;
  const code = `
var import_walk = require("./shared-walk.cjs");
exports.make = () => [new import_walk.Walk(), new import_walk.Walk, import_walk.twice(21)];
exports.Longer = () => class extends import_walk.Walk {};`;
  const exported: { make?: () => readonly unknown[]; Longer?: () => new () => unknown } = {};
  const run = compileFunction(requireLate(code, new Set(["shared-walk.cjs"])), ["require", "exports"]) as (
    require: () => typeof part,
    exports: typeof exported,
  ) => void;
  run(() => {
    required += 1;
    return part;
  }, exported);
  expect(required).toBe(0);
  const [first, second, number] = exported.make?.() ?? [];
  expect([first, second].every((one) => one instanceof Walk)).toBe(true);
  expect(number).toBe(42);
  expect(exported.Longer?.().prototype).toBeInstanceOf(Walk);
});
