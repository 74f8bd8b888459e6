import { beforeEach, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryCommand } from "../support/run-command.ts";
import { waitUntil } from "../support/wait-until.ts";

const project = join(import.meta.dirname, "../..");
const jest = join(project, "node_modules/jest/bin/jest.js");
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "capz-run-")));
  mkdirSync(join(folder, "tmp"));
});

/** A run of Jest of its own, with the project's own configuration of what surrounds the tests. */
function runOf(tests: string): { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  writeFileSync(join(folder, "one.test.js"), tests);
  const config = {
    rootDir: folder,
    transform: { "\\.ts$": join(project, "jest.transform.js") },
    extensionsToTreatAsEsm: [".ts"],
    globalSetup: join(project, "test/support/own-temporary-folder.ts"),
    globalTeardown: join(project, "test/support/leave-temporary-folder.ts"),
    reporters: [join(project, "test/support/kept-results.ts")],
  };
  const flags = ["--experimental-vm-modules", "--no-warnings"];
  return {
    command: [process.execPath, ...flags, jest, "--config", JSON.stringify(config)],
    env: { TMPDIR: join(folder, "tmp"), CAPZ_TEST_RESULTS: join(folder, "unit.json") },
  };
}

const totals = () =>
  tryCommand([
    process.execPath,
    "--no-warnings",
    join(project, "scripts/dev/print-totals.ts"),
    join(folder, "unit.json"),
  ]);
const note = `const { writeFileSync } = require("fs"); const os = require("os");`;
const ownFolders = () => readdirSync(join(folder, "tmp")).filter((name) => name.startsWith("capz-tests-"));

test("a run and its programs have a folder for temporary files of their own, and leave nothing in it", async () => {
  const mktemp = `require("child_process").execFileSync("mktemp", { encoding: "utf8" })`;
  const { command, env } = runOf(
    `${note} test("a", () => { writeFileSync("${folder}/seen", os.tmpdir() + "\\n" + ${mktemp}); });`,
  );
  const { code, stderr } = await tryCommand(command, { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const seen = readFileSync(join(folder, "seen"), "utf8").trim().split("\n");
  expect(seen.map((path) => path.startsWith(join(folder, "tmp/capz-tests-")))).toEqual([true, true]);
  expect(ownFolders()).toEqual([]);
  expect(await totals()).toMatchObject({ code: 0, stdout: "\n1 passed, 0 failed, 0 skipped\n" });
});

test("what failed in a run stands with its message in the totals", async () => {
  const { command, env } = runOf('test("it breaks", () => { throw new Error("no disk"); });');
  await tryCommand(command, { env });
  const { code, stdout } = await totals();
  expect(code).toBe(1);
  expect(stdout).toMatch(/^failed: it breaks \(\S+one\.test\.js\)\n {4}Error: no disk\n/u);
});

test("a run whose file could not start tells why in the totals", async () => {
  const { command, env } = runOf('throw new Error("no start");');
  await tryCommand(command, { env });
  expect((await totals()).stdout).toMatch(/^failed: \S+one\.test\.js\n[\s\S]*no start/u);
});

test("a run that is ended from outside tells what ran and what was running, and the next one removes its files", async () => {
  const hangs = runOf(
    `${note} test("a", async () => { writeFileSync("${folder}/seen", ""); await new Promise(() => {}); }, 100_000);`,
  );
  const [file = "", ...args] = hangs.command;
  const child = spawn(file, args, { env: { ...process.env, ...hangs.env }, stdio: "ignore" });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  await waitUntil("the test", () => existsSync(join(folder, "seen")));
  child.kill("SIGKILL");
  await exited;
  expect(ownFolders()).toHaveLength(1);
  const { code, stdout } = await totals();
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAILED: unit was ended from outside after 0 of 1 files, during \S+one\.test\.js\n/u);
  const next = runOf('test("a", () => {});');
  expect((await tryCommand(next.command, { env: next.env })).code).toBe(0);
  expect(ownFolders()).toEqual([]);
});
