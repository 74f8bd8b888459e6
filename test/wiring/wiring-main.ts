import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { removals, type Removal } from "./removals.ts";

/*
 * `npm run wiring [WORD …]`: takes each call of removals.ts out of a copy of the sources and runs the test that must fail without
 * it; a WORD chooses the rows that hold it. Exit code 1 where one of them passes. Before that every one of these tests is run on the
 * untouched copy, where it must pass.
 */

const project = join(import.meta.dirname, "../..");
const copy = mkdtempSync(join(tmpdir(), "capz-wiring-"));

function main(words: readonly string[]): number {
  const chosen = removals.filter(
    ({ what, file }) => words.length === 0 || words.some((word) => `${what} ${file}`.includes(word)),
  );
  copySources();
  try {
    const files = [...new Set(chosen.map(({ test: [file] }) => file))];
    const before = runTests(files);
    const unfit = chosen.filter(({ test: [, name] }) => before.get(name) !== "passed");
    for (const {
      test: [file, name],
    } of unfit)
      say(`${file}: "${name}" does not pass before anything is taken out`);
    const unseen = chosen.filter((row) => !unfit.includes(row)).filter((row) => !isSeen(row));
    say(
      `${String(chosen.length - unfit.length - unseen.length)} of ${String(chosen.length)} losses are seen by their tests`,
    );
    return unfit.length + unseen.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** What git knows or would take, and links to what it does not. */
function copySources(): void {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: project,
    encoding: "utf8",
  });
  for (const file of listed.split("\n").filter((name) => name !== "" && existsSync(join(project, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(project, file), join(copy, file));
  }
  mkdirSync(join(project, ".cache"), { recursive: true });
  for (const folder of ["node_modules", ".cache"]) symlinkSync(join(project, folder), join(copy, folder));
}

function isSeen({ what, file, code, instead = "", test: [testFile, name] }: Removal): boolean {
  const path = join(copy, file);
  const whole = readFileSync(path, "utf8");
  writeFileSync(
    path,
    whole.replace(code, () => instead),
  );
  const started = performance.now();
  try {
    const results = runTests([testFile]);
    const result = results.get(name) ?? "not run";
    // Where every test fails, the reason may be another one, such as a machine too busy for the file's beginning.
    const allFailed = results.size > 1 && ![...results.values()].includes("passed");
    const seconds = Math.round((performance.now() - started) / 1000);
    const isTold = result === "failed" && !allFailed;
    say(`${isTold ? "seen  " : allFailed ? "UNSURE" : "MISSED"} without ${what}: ${testFile}, ${String(seconds)} s`);
    return isTold;
  } finally {
    writeFileSync(path, whole);
  }
}

const resultsSchema = v.object({
  testResults: v.array(v.object({ assertionResults: v.array(v.object({ fullName: v.string(), status: v.string() })) })),
});

/** By full name, what became of each test; one that failed and then passed on its second try counts as failed. */
function runTests(files: readonly string[]): ReadonlyMap<string, string> {
  const report = join(copy, "wiring-results.json");
  rmSync(report, { force: true });
  const jest = join(copy, "node_modules/jest/bin/jest.js");
  const flags = ["--experimental-vm-modules", "--no-warnings"];
  const env = { ...process.env, CI: "" };
  spawnSync(process.execPath, [...flags, jest, ...files, "--json", "--outputFile", report, "--silent", "--forceExit"], {
    cwd: copy,
    env,
    stdio: "ignore",
  });
  if (!existsSync(report)) return new Map();
  const { testResults } = v.parse(resultsSchema, JSON.parse(readFileSync(report, "utf8")));
  return new Map(
    testResults.flatMap(({ assertionResults }) => assertionResults.map(({ fullName, status }) => [fullName, status])),
  );
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.exitCode = main(process.argv.slice(2));
