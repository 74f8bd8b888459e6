import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineObject } from "../../../scripts/dev/start/cluster-objects.ts";
import { projectFolder } from "../../support/node-root.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "capz-closed-"));
  const machines = JSON.stringify({ items: [machineObject({ cluster: "c1", name: "md-0-a" })] });
  const kubectl = `#!/bin/sh\ncase $2 in machines.*) echo '${machines}' ;; *) echo '{"items":[]}' ;; esac\n`;
  writeFileSync(join(folder, "kubectl"), kubectl, { mode: 0o755 });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** In a shell, as a person does it; `code` is that of our program, not of the pipe. */
function shell(line: string): string {
  const env = {
    PATH: `${folder}:${process.env["PATH"] ?? ""}`,
    plugin: `${process.execPath} ${join(projectFolder, "cluster/main.ts")}`,
  };
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", line], { env, encoding: "utf8" });
  return `${stdout}${stderr}`;
}

describe("the output of the plugin", () => {
  test("is given up without a word where the reader has gone, and the exit code stays", () => {
    expect(shell('$plugin --help | true; echo "code ${PIPESTATUS[0]}"')).toBe("code 0\n");
    expect(shell('$plugin status | true; echo "code ${PIPESTATUS[0]}"')).toBe("code 0\n");
  }, 60_000);

  test("ends what shows a list again and again, once nobody reads it", () => {
    // Killed, it would end with 137.
    expect(shell('timeout --signal KILL 60 $plugin status --watch | true; echo "code ${PIPESTATUS[0]}"')).toBe(
      "code 0\n",
    );
  }, 90_000);

  test.each(["--help", "status"])(
    "that cannot be written is told and is no verdict (%s)",
    (args) => {
      expect(shell(`$plugin ${args} >/dev/full; echo "code $?"`)).toBe(
        "code 3\ncapz-bootstrap-cluster: the answer could not be written to standard output: ENOSPC: no space left on device, write\n",
      );
    },
    60_000,
  );

  test("holds no control character of a mistyped word", () => {
    expect(shell("$plugin $'\\e[31mstatsu'")).toBe("error: unknown command 'statsu'\n(--help lists the commands)\n");
  }, 60_000);
});
