import { beforeAll, expect, test } from "@jest/globals";
import { posix } from "node:path";
import { compileFunction } from "node:vm";
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

test.each(["lib/operations-supervise-command.cjs", "lib/operations-run-in-foreground.cjs"])(
  "%s has read whatever a verdict is put together and told with before it waits: an update may remove its package",
  (name) => {
    const read = readAtStart(name);
    const late = [...read].flatMap((part) =>
      [...(files.get(part) ?? "").matchAll(/\{ return require\("(\.[^"]+)"\); \}/gu)].map(([, asked = ""]) =>
        posix.join(posix.dirname(part), asked),
      ),
    );
    expect(late.length).toBeGreaterThan(5);
    expect(late.filter((part) => !read.has(part))).toEqual([]);
    const text = [...read].map((part) => files.get(part) ?? "").join("\n");
    for (const needed of ["function notCheckedStatus", "function readableText", "describeTree(tree", "systemd-run"])
      expect(text).toContain(needed);
  },
);

test("enable reads neither the table of reasons nor the code that diagnoses, downloads and renders", () => {
  const text = [...readAtStart()].map((name) => files.get(name) ?? "").join("\n");
  expect(text).toContain("decideEnable");
  for (const late of ["ForeignNodeIdentity", "parseAllDocuments", "AdmZip", "handler/diagnosis/diagnose.ts"])
    expect(text).not.toContain(late);
});

function compiles(text: string): boolean {
  try {
    compileFunction(text, ["exports", "require", "module"]);
    return true;
  } catch {
    return false;
  }
}

test("no file of the program is one when a full disk has cut it off: it would do nothing and end with 0", () => {
  expect([...files.keys()].filter((name) => !compiles(files.get(name) ?? ""))).toEqual([]);
  expect([...files.keys()].filter((name) => compiles((files.get(name) ?? "").trimEnd().slice(0, -1)))).toEqual([]);
  const entry = files.get("capz-bootstrap.cjs") ?? "";
  const pieces = Array.from({ length: Math.floor(entry.length / 512) }, (_, at) => entry.slice(0, (at + 1) * 512));
  expect(pieces.length).toBeGreaterThan(40);
  expect(pieces.filter(compiles)).toEqual([]);
});
