import { beforeAll, expect, test } from "@jest/globals";
import { posix } from "node:path";
import { buildProgram } from "../../publish/build-program.ts";

let files: ReadonlyMap<string, string>;
beforeAll(async () => {
  const program = await buildProgram();
  files = new Map(program.files.map(({ name, content }) => [name, content.toString("utf8")]));
}, 120_000);

/** The program's file and every part that Node reads before the first line of `enable` runs. */
function readAtStart(name = "capz-bootstrap.cjs", seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, part = ""] of (files.get(name) ?? "").matchAll(/^(?:var \w+ = )?require\("(\.[^"]+)"\)/gmu))
    readAtStart(posix.join(posix.dirname(name), part), seen);
  return seen;
}

test("enable reads neither the table of reasons nor the code that diagnoses, downloads and renders", () => {
  const text = [...readAtStart()].map((name) => files.get(name) ?? "").join("\n");
  expect(text).toContain("decideEnable");
  for (const late of ["ForeignNodeIdentity", "parseAllDocuments", "AdmZip", "handler/diagnosis/diagnose.ts"])
    expect(text).not.toContain(late);
});
