import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { projectFolder } from "../support/node-root.ts";

function helpOf(program: string): string {
  const { stdout } = spawnSync(process.execPath, [join(projectFolder, program), "diagnose", "--help"], {
    encoding: "utf8",
  });
  return stdout.replace(/\s+/gu, " ");
}

test("the help of diagnose speaks of this machine where it is a node, and never in the client", () => {
  expect(helpOf("handler/main.ts")).toContain("default: this machine");
  expect(helpOf("handler/client.ts")).toContain("default: the current folder");
  expect(helpOf("handler/client.ts")).not.toContain("this machine");
});
