import { expect, test } from "@jest/globals";
import { buildProgram } from "../../publish/build-program.ts";
import { required, whatEnableLoads, type Part } from "../../scripts/dev/figures/loaded-parts.ts";

const { files } = await buildProgram();
const textOf = new Map(files.map(({ name, content }) => [name, content.toString("utf8")]));
const onLinux = whatEnableLoads((name) => textOf.get(name), "linux");
const onWindows = whatEnableLoads((name) => textOf.get(name), "windows");

const namesOf = (parts: readonly Part[]): readonly string[] => parts.map(({ name }) => name);

test("enable loads a small part of the program", () => {
  const bytes = onLinux.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  expect(namesOf(onLinux)).toContain("capz-bootstrap.cjs");
  expect(onLinux.length).toBeLessThanOrEqual(24);
  expect(bytes).toBeLessThanOrEqual(122_500);
});

test("enable loads its own system's code and not the other's", () => {
  const joined = (parts: readonly Part[]): string => parts.map(({ text }) => text).join("\n");
  expect(namesOf(onLinux)).toContain("lib/platform-linux.cjs");
  expect(namesOf(onWindows)).toContain("lib/platform-windows.cjs");
  expect(joined(onWindows)).toContain("Win32_Process");
  expect(joined(onLinux)).not.toContain("Win32_Process");
  expect(joined(onLinux)).toContain("capz-bootstrap-guardian");
  expect(joined(onWindows)).not.toContain("capz-bootstrap-guardian");
  for (const parts of [onLinux, onWindows]) expect(joined(parts)).not.toContain("systemd-run");
});

test("enable loads no rules, no report, no explanation, no download and no package of others", () => {
  const forbidden =
    /diagnosis|report|explain|settings|check-obtain-(?:bundle|command)|check-program|transfer|azure|valibot|winston|yaml|adm-zip|cli\.cjs/u;
  expect(namesOf([...onLinux, ...onWindows]).filter((name) => forbidden.test(name))).toEqual([]);
  expect(onLinux.filter(({ text }) => text.includes("node_modules/"))).toEqual([]);
});

test("enable loads nothing that cleans or redacts text before a text from outside is to be shown", () => {
  const text = onLinux.map((part) => part.text).join("\n");
  for (const late of ["secretPatterns", "machinePatternsFor", "cleanTextWithSeams(text)", "withoutLookAlikes"])
    expect(text).not.toContain(late);
  expect([...textOf.values()].join("\n")).toContain("secretPatterns = ");
});

test("enable loads neither cryptography nor networking nor what starts programs before it needs it", () => {
  const modules = new Set(onLinux.flatMap((part) => required(part, /^node:/u)));
  expect([...modules].sort()).toEqual(["fs", "os", "path"]);
});
