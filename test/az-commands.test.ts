import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";

/** Every command of the Azure CLI in pages and manifests that writes an extension: one PUT, which drops what it does not name. */
const project = join(import.meta.dirname, "..");
const files = ["README.md", ...["docs", "manifests"].flatMap((folder) => below(folder))];
const writes = files.flatMap((file) =>
  writesIn(readFileSync(join(project, file), "utf8")).map((command) => ({ file, command })),
);

describe("az commands that write an extension", () => {
  test("are found", () => {
    expect(writes.map(({ file }) => file)).toContain("docs/operations.md");
  });

  test.each(writes.map(({ file, command }) => [file, command] as const))("%s: %s keeps the settings", (_, command) => {
    expect(command).toContain("--settings ");
  });

  test.each(writes.filter(({ file }) => file.endsWith(".md")).map(({ file, command }) => [file, command] as const))(
    "%s: %s takes no other major version by itself",
    (_, command) => {
      expect(command).toMatch(/--version \d+\.\d+/u);
    },
  );

  test("one that would drop the settings is seen, however it is broken into lines", () => {
    expect(writesIn("az vm extension set --ids X \\\n  --force-update\n")).toEqual([
      "az vm extension set --ids X --force-update",
    ]);
  });
});

function writesIn(text: string): readonly string[] {
  const joined = text.replaceAll(/ *\\\n\s*/gu, " ");
  // The page names the command in prose too: there nothing follows it.
  return [...joined.matchAll(/az vm(?:ss)? extension set (?=-)[^\n`|;]*/gu)].map(([command]) => command.trim());
}

function below(folder: string): readonly string[] {
  return readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:md|ya?ml|sh)$/u.test(name))
    .map((name) => `${folder}/${name}`);
}
