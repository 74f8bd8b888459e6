import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectFolder } from "./support/node-root.ts";

/** The page's command that sets a variable, with a kubectl that gives `topology` and keeps the patch; the variables that come out of it. */
function variablesAfter(topology: object): unknown {
  const page = readFileSync(join(projectFolder, "docs/attach.md"), "utf8");
  const command = [...page.matchAll(/^```sh\n(?<text>[\s\S]*?)^```/gmu)].find(([text]) =>
    text.includes("patch cluster"),
  );
  const folder = mkdtempSync(join(tmpdir(), "capz-attach-"));
  try {
    writeFileSync(join(folder, "cluster.json"), JSON.stringify({ spec: { topology } }));
    const kubectl = `#!/bin/sh\ncase $1 in get) cat "${folder}/cluster.json" ;; *) eval "printf %s \\"\\\${$#}\\"" >"${folder}/patch.json" ;; esac\n`;
    writeFileSync(join(folder, "kubectl"), kubectl, { mode: 0o755 });
    const path = `${folder}:${process.env["PATH"] ?? ""}`;
    spawnSync("bash", ["--norc", "-ec", command?.groups?.["text"] ?? "false"], {
      env: { PATH: path },
      stdio: "inherit",
    });
    // RFC 7386: a list of a merge patch stands in the place of the whole list.
    const patch = JSON.parse(readFileSync(join(folder, "patch.json"), "utf8")) as {
      readonly spec: { readonly topology: { readonly variables: unknown } };
    };
    return patch.spec.topology.variables;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("attach.md sets a variable of a Cluster that has it already, has others, or has none", () => {
  const enforce = { name: "bootstrapMode", value: "enforce" };
  const other = { name: "location", value: { zones: ["1"] } };
  expect(variablesAfter({ class: "c", variables: [{ name: "bootstrapMode", value: "observe" }, other] })).toEqual([
    other,
    enforce,
  ]);
  expect(variablesAfter({ class: "c", variables: [other] })).toEqual([other, enforce]);
  expect(variablesAfter({ class: "c" })).toEqual([enforce]);
});
