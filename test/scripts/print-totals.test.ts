import { describe, expect, test } from "@jest/globals";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryCommand } from "../support/run-command.ts";

const project = join(import.meta.dirname, "../..");
const script = join(project, "scripts/dev/print-totals.ts");
const jest = join(project, "node_modules/jest/bin/jest.js");

/** Lets Jest run a file of its own in a folder of its own, with one more try as in continuous integration; gives its result. */
async function resultOf(tests: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "capz-totals-"));
  writeFileSync(join(folder, "one.test.js"), tests);
  writeFileSync(join(folder, "retry.js"), "jest.retryTimes(1);");
  const config = { rootDir: folder, transform: {}, setupFilesAfterEnv: ["<rootDir>/retry.js"], reporters: [] };
  const file = join(folder, "result.json");
  const args = ["--config", JSON.stringify(config), "--json", `--outputFile=${file}`];
  await tryCommand([process.execPath, jest, ...args], { cwd: folder });
  return file;
}

const flaky = (name: string) => `let tries = 0; test(${JSON.stringify(name)}, () => { expect(++tries).toBe(2); });`;
const listed = readFileSync(join(project, "test/second-tries.txt"), "utf8").split("\n")[2]?.split(" -- ")[0] ?? "";

async function totals(...results: readonly string[]) {
  return tryCommand([process.execPath, "--no-warnings", script, ...results]);
}

test("the files that may be skipped exist", () => {
  const lines = readFileSync(join(project, "test/known-skips.txt"), "utf8").trim().split("\n");
  const files = lines.filter((line) => !line.startsWith("#")).map((line) => line.split(" -- ")[0] ?? "");
  expect(files.filter((file) => !existsSync(join(project, file)))).toEqual([]);
});

describe("the totals of a run", () => {
  test("count, and end with one line", async () => {
    const { code, stdout } = await totals(await resultOf('test("a", () => {}); test("b", () => {});'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "\n2 passed, 0 failed, 0 skipped\n" });
  });

  test("name a test that needed a second try, once", async () => {
    const { code, stdout } = await totals(await resultOf(flaky("it wobbles")));
    expect(code).toBe(0);
    expect(stdout).toContain("second try: it wobbles\n1 needed a second try\n\n1 passed");
  });

  test("fail when the same test needs one again in the run", async () => {
    const result = await resultOf(flaky("it wobbles"));
    const { code, stdout } = await totals(result, result);
    expect(code).toBe(1);
    expect(stdout).toContain('FAILED: "it wobbles" needed a second try twice in this run');
  });

  test("fail when a test needs one that needed one in an earlier run", async () => {
    const { code, stdout } = await totals(await resultOf(flaky(listed)));
    expect(code).toBe(1);
    expect(stdout).toContain(`FAILED: "${listed}" needed a second try before`);
  });

  test("fail with a skip that nobody has explained", async () => {
    const { code, stdout } = await totals(await resultOf('test("a", () => {}); test.skip("b", () => {});'));
    expect(code).toBe(1);
    expect(stdout).toMatch(/skipped: 1 of \S+one\.test\.js\nFAILED: tests of \S+one\.test\.js were skipped/);
  });

  test("name what failed and why, of a test and of a file that could not start", async () => {
    const long = await resultOf(
      'test("it breaks", () => { throw new Error("first\\n" + "more\\n".repeat(50) + "last"); });',
    );
    const broken = await resultOf('throw new Error("no start");');
    const { stdout } = await totals(long, broken);
    expect(stdout).toMatch(/failed: it breaks \(\S+one\.test\.js\)\n {4}Error: first\n {4}more\n/);
    expect(stdout).toMatch(/failed: \S+one\.test\.js\n[\s\S]*no start/);
    expect(stdout).not.toContain("last");
    expect(stdout).not.toContain("node_modules");
  });

  test("name the first failures where there are many", async () => {
    const many = 'for (let i = 0; i < 20; i++) test("it breaks " + i, () => { throw new Error("no"); });';
    const { stdout } = await totals(await resultOf(many));
    expect(stdout).toContain("failed: it breaks 11 ");
    expect(stdout).not.toContain("failed: it breaks 12 ");
    expect(stdout).toContain("failed: 8 more\n");
  });

  test("fail with a failed test, with a file that could not start and with a result that is not there", async () => {
    const broken = await resultOf('throw new Error("no start");');
    expect((await totals(await resultOf('test("a", () => { throw 1; });'))).code).toBe(1);
    expect((await totals(await resultOf('test("a", () => {});'), broken)).code).toBe(1);
    expect((await totals("/nowhere/result.json")).code).toBe(1);
  });
});
