import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { snippetsOf } from "./support/markdown.ts";

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

/** The page as its reader runs it, from its first command to its last; only `npm` has been run by another test. */
describe("the commands of the page about setting up the publication, with az and gh played", () => {
  const page = snippetsOf(readFileSync(join(project, "docs/publishing-setup.md"), "utf8"));
  const script = page
    .filter(({ language }) => language === "sh")
    .map(({ text }) => text.replaceAll(/^npm run .*$/gmu, ": >key.pem"))
    .join("\n");

  test("run to their end, and give every duty its identity, its credential and its environment", () => {
    const folder = mkdtempSync(join(tmpdir(), "capz-setup-"));
    const play = (name: string) => {
      const body = `#!/bin/sh\necho "${name} $*" >>'${folder}/asked'\ncase "$*" in *"--input -"*) cat >/dev/null ;; *--query*) echo id ;; esac\n`;
      writeFileSync(join(folder, name), body, { mode: 0o755 });
    };
    play("az");
    play("gh");
    const env = { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
    const { status, stderr } = spawnSync("/bin/sh", ["-eu", "-c", script], { cwd: folder, encoding: "utf8", env });
    const asked = readFileSync(join(folder, "asked"), "utf8");
    rmSync(folder, { recursive: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const duty of ["publish", "promote", "withdraw", "status", "sign"]) {
      expect(asked).toContain(`identity create --resource-group capz-bootstrap-publishing --name capz-${duty}\n`);
      expect(asked).toContain(`--identity-name capz-${duty} --name `);
    }
    expect(asked.match(/gh api --method PUT /gu)).toHaveLength(9);
    expect(asked).not.toMatch(/gh variable set \S+ --env github-release/u);
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
