import { expect, test } from "@jest/globals";
import { buildProgram, type ProgramFile } from "../../publish/build-program.ts";

/**
 * What `enable` reads: the entry and every part that is required at the top of a file, and of those in turn. A part behind
 * `import()` is required inside a function, and only by who calls it.
 */
async function whatEnableLoads(): Promise<readonly ProgramFile[]> {
  const { files } = await buildProgram();
  const byName = new Map(files.map((file) => [file.name, file]));
  const loaded = new Map<string, ProgramFile>();
  const open = ["capz-bootstrap.cjs"];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const file = byName.get(name);
    if (file === undefined) throw new Error(`${name} is no part of the program`);
    if (loaded.has(name)) continue;
    loaded.set(name, file);
    open.push(...required(file, /^\.\/(?:lib\/)?/u).map((target) => `lib/${target}`));
  }
  return [...loaded.values()];
}

/** Modules that a file requires when it is loaded, by their names behind `prefix`. */
function required({ content }: ProgramFile, prefix: RegExp): readonly string[] {
  return [...content.toString("utf8").matchAll(/^(?:var \w+ = .{0,20})?require\("(?<target>[^"]+)"\)/gmu)]
    .map((match) => match.groups?.["target"] ?? "")
    .filter((target) => prefix.test(target))
    .map((target) => target.replace(prefix, ""));
}

const files = await whatEnableLoads();

test("enable loads a small part of the program", () => {
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  expect(files.map(({ name }) => name)).toContain("capz-bootstrap.cjs");
  expect(files.length).toBeLessThanOrEqual(17);
  expect(bytes).toBeLessThanOrEqual(192 * 1024);
});

test("enable loads no rules, no report, no explanation, no download and no package of others", () => {
  const names = files.map(({ name }) => name);
  const forbidden =
    /diagnosis|report|explain|settings|check-obtain-(?:bundle|command)|check-program|transfer|azure|valibot|winston|yaml|adm-zip|cli\.cjs/u;
  expect(names.filter((name) => forbidden.test(name))).toEqual([]);
  expect(files.filter(({ content }) => content.toString("utf8").includes("node_modules/"))).toEqual([]);
});

test("enable loads neither cryptography nor networking nor what starts programs before it needs it", () => {
  const modules = new Set(files.flatMap((file) => required(file, /^node:/u)));
  expect([...modules].sort()).toEqual(["fs", "fs/promises", "os", "path"]);
});
