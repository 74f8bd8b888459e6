import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { findViolations } from "../../scripts/dev/check-boundaries.ts";

let project = "";
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "capz-boundaries-"));
});
afterEach(() => {
  rmSync(project, { recursive: true, force: true });
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
}

describe("findViolations", () => {
  test("finds nothing in this repository", () => {
    expect(findViolations(join(import.meta.dirname, "..", ".."))).toEqual([]);
  });

  test("names the files of a circle in the order in which they import each other", () => {
    write({
      "handler/text/c.ts": 'import { a } from "./a.ts";\n',
      "handler/text/a.ts": 'import { b } from "./b.ts";\n',
      "handler/text/b.ts": 'export { c } from "./c.ts";\n',
      "handler/text/outside.ts": 'import { a } from "./a.ts";\n',
    });
    expect(findViolations(project)).toEqual([
      "handler/text/a.ts → handler/text/b.ts → handler/text/c.ts → handler/text/a.ts is a circle of imports: put what they share into a file of its own",
    ]);
  });

  test.each([
    ["types alone", 'import type { B } from "./b.ts";\n', 'import type { A } from "./a.ts";\n'],
    [
      "a type within an import of values",
      'import { type B, b } from "./b.ts";\n',
      'import type { A } from "./a.ts";\n',
    ],
    ["a dynamic import", 'await import("./b.ts");\n', 'import { a } from "./a.ts";\n'],
    ["an import over several lines", 'import {\n  b,\n  c,\n} from "./b.ts";\n', 'import { a } from "./a.ts";\n'],
    ["an import for its effect", 'import "./b.ts";\n', 'import { a } from "./a.ts";\n'],
    ["a type named in place", 'let b: import("./b.ts").B;\n', 'import { a } from "./a.ts";\n'],
  ])("refuses a circle of %s", (_, a, b) => {
    write({ "scripts/dev/a.ts": a, "scripts/dev/b.ts": b });
    expect(findViolations(project)).toEqual([expect.stringContaining("scripts/dev/a.ts → scripts/dev/b.ts")]);
  });

  test.each(["handler/x.ts", "publish/x.ts", "scripts/dev/x.ts", "cluster/kube/x.ts"])(
    "sees a circle through %s",
    (path) => {
      write({
        [path]: 'import { y } from "./y.ts";\n',
        [join(dirname(path), "y.ts")]: 'import { x } from "./x.ts";\n',
      });
      expect(findViolations(project)).toEqual([expect.stringContaining("is a circle of imports")]);
    },
  );

  test("takes two circles that share a file for one, and two that do not for two", () => {
    write({
      "publish/a.ts": 'import { b } from "./b.ts";\nimport { c } from "./c.ts";\n',
      "publish/b.ts": 'import { a } from "./a.ts";\n',
      "publish/c.ts": 'import { a } from "./a.ts";\n',
      "publish/e.ts": 'import { f } from "./f.ts";\n',
      "publish/f.ts": 'import { e } from "./e.ts";\n',
    });
    expect(findViolations(project)).toHaveLength(2);
  });

  test("has nothing against two ways to one file", () => {
    write({
      "publish/a.ts": 'import { b } from "./b.ts";\nimport { c } from "./c.ts";\n',
      "publish/b.ts": 'import { d } from "./d.ts";\n',
      "publish/c.ts": 'import { d } from "./d.ts";\n',
      "publish/d.ts": 'import { join } from "node:path";\n',
    });
    expect(findViolations(project)).toEqual([]);
  });

  test("refuses rooms that import each other through different files", () => {
    write({
      "handler/check/looking/a.ts": 'import { b } from "../running/b.ts";\n',
      "handler/check/running/c.ts": 'import type { A } from "../looking/a.ts";\n',
    });
    expect(findViolations(project)).toContain(
      "handler/check/looking → handler/check/running → handler/check/looking is a circle of rooms: put what they share into one that both may import (docs/architecture.md)",
    );
  });

  test.each([
    ["handler/operations/agent/a.ts", 'import { diagnose } from "../../diagnosis/diagnose.ts";\n', "may import only"],
    ["handler/cli.ts", 'import { enable } from "./operations/agent/enable.ts";\n', "may import only"],
    ["scripts/dev/a.ts", 'import { main } from "../../handler/main.ts";\n', "may import only"],
    ["handler/check/a.ts", "const timer = setTimeout(look, 5);\n", "waits or measures time by itself"],
    ["cluster/arm/a.ts", 'import { setTimeout } from "node:timers/promises";\n', "waits or measures time by itself"],
    ["scripts/check/a.ts", "const began = performance.now();\n", "waits or measures time by itself"],
    ["scripts/check/a.ts", "const now = new Date();\n", "reads the clock"],
    ["handler/operations/agent/a.ts", "await writeStatus(request);\n", "writes a status by itself"],
    ["handler/operations/a.ts", "const path = `${number}.state.json`;\n", "names the state's file"],
    ["handler/check/program/a.ts", 'import { redact } from "../../text/redact.ts";\n', "redacts by itself"],
  ])("refuses that %s says %j", (path, text, what) => {
    write({ [path]: text });
    expect(findViolations(project)).toEqual([expect.stringContaining(what)]);
  });
});
