import { expect, test } from "@jest/globals";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { outputs } from "../../scripts/dev/generate-truth-table.ts";

test("docs/truth-table.md says what the scenarios say", async () => {
  for (const { path, content } of await outputs()) {
    expect(await readFile(join(import.meta.dirname, "../..", path), "utf8")).toBe(content);
  }
});
