import { expect, test } from "@jest/globals";
import { buildProgram } from "../../publish/build-program.ts";

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
