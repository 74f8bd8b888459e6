import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";

const project = join(import.meta.dirname, "../..");
const cache = join(project, ".cache/mutants");
/** Where a mutant can change what a user, an attacker or the guest agent sees. */
const folders = [
  "contract",
  "state",
  "settings",
  "text",
  "logging",
  "files",
  "transfer",
  "check",
  "verdict",
  "operations",
];
/** Tests that wait, race or measure growth, and the one that needs Jest's mocked modules. */
const leftOut = [
  "fuzz-settings",
  "peers.test",
  "exclusive-lock-race",
  "hung-file-threads",
  "redact-growth",
  "hostile-text",
  "durability",
];

/** Names of test files against which the survivors of the last run are tried again; empty: a run as usual. */
const again = (process.env["MUTANTS_AGAIN"] ?? "").split(",").filter((name) => name !== "");

/**
 * `npm run mutants [FOLDER …]`: changes the code of handler/FOLDER in small ways and runs the in-process tests that cover each
 * change. A folder within one, such as check/obtain, will do, and so will a file or 'operations/*.ts'. Prints the score of each folder without changed texts, and the
 * survivors. See docs/mutants.md.
 */
function main(named: readonly string[]): number {
  const wrong = named.filter((folder) => globSync(filesOf(folder), { cwd: project }).length === 0);
  if (wrong.length > 0) {
    process.stderr.write(
      `There is no folder handler/${wrong.join(", handler/")}. Usual ones: ${folders.join(", ")}.\n`,
    );
    return 64;
  }
  mkdirSync(cache, { recursive: true });
  return Math.max(...(named.length === 0 ? folders : named).map(runFolder));
}

/** A mutant may take a limit away: what a test's program writes then ends at 1 GiB, and not with the disk. */
const bounded = 'ulimit -f 2097152 && exec "$0" "$@"';

function filesOf(folder: string): string {
  return folder.endsWith(".ts") ? `handler/${folder}` : `handler/${folder}/**/*.ts`;
}

function nameOf(folder: string): string {
  return folder.replaceAll("/", "-").replaceAll("*", "own");
}

function runFolder(folder: string): number {
  const name = nameOf(folder);
  const configuration = join(cache, `${name}.config.json`);
  const report = join(cache, `${name}.json`);
  if (again.length > 0) forgetSurvivors(incrementalOf(folder));
  writeFileSync(configuration, JSON.stringify(configurationOf(folder, report)));
  const stryker = join(project, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const started = performance.now();
  const command = [process.execPath, stryker, "run", configuration];
  // Mutants leave thousands of folders behind, and some of them a GiB.
  const scratch = mkdtempSync(join(tmpdir(), "capz-mutants-"));
  chmodSync(scratch, 0o711);
  const env = { ...process.env, TMPDIR: scratch };
  const { status } = spawnSync("/bin/sh", ["-c", bounded, ...command], { cwd: project, stdio: "inherit", env });
  rmSync(scratch, { recursive: true, force: true });
  if (status !== 0 || !existsSync(report)) return 1;
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`${summaryOf(folder, readFileSync(report, "utf8"))}, ${String(seconds)} s\n`);
  return 0;
}

function incrementalOf(folder: string): string {
  return join(cache, `${nameOf(folder)}.incremental.json`);
}

const lastRunSchema = v.looseObject({
  files: v.record(v.string(), v.looseObject({ mutants: v.array(v.looseObject({ status: v.string() })) })),
});

/** What was killed stays so. */
function forgetSurvivors(file: string): void {
  if (!existsSync(file)) return;
  const last = v.parse(lastRunSchema, JSON.parse(readFileSync(file, "utf8")));
  for (const one of Object.values(last.files))
    one.mutants = one.mutants.filter(({ status }) => status === "Killed" || status === "Timeout");
  writeFileSync(file, JSON.stringify(last));
}

function configurationOf(folder: string, report: string): object {
  return {
    mutate: [filesOf(folder)],
    ...(process.env["MUTANTS_RUNNER"] === "jest" ? underJest : loadedOnce()),
    warnings: { unknownOptions: false },
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    // A message may say the same in other words; what it must say is tested where it is shown.
    mutator: { excludedMutations: ["StringLiteral"] },
    concurrency: Number(process.env["MUTANTS_CONCURRENCY"] ?? "1"),
    timeoutFactor: 2,
    reporters: ["clear-text", "progress-append-only", "json"],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: false },
    jsonReporter: { fileName: report },
    incremental: true,
    incrementalFile: incrementalOf(folder),
    ignorePatterns: ["/dist", "/.cache"],
    tempDirName: join(cache, "sandbox"),
    allowConsoleColors: false,
  };
}

/** Every test file anew for every mutant: hours instead of minutes, but with the mocked modules that only Jest has. */
const underJest = {
  testRunner: "jest",
  testRunnerNodeArgs: ["--experimental-vm-modules", "--no-warnings"],
  jest: { projectType: "custom", configFile: "jest.mutants.config.js", enableFindRelatedTests: false },
  timeoutMS: 15_000,
};

/** Every test file once (scripts/dev/mutants/runner.ts). */
function loadedOnce(): object {
  return {
    testRunner: "loaded-tests",
    plugins: [join(project, "scripts/dev/mutants/runner.ts")],
    testRunnerNodeArgs: ["--no-warnings"],
    timeoutMS: Number(process.env["MUTANTS_PATIENCE"] ?? "8000"),
    tests: {
      pattern: testsOf(process.env["MUTANTS_TESTS"] ?? "test/handler"),
      without: leftOut,
      again,
      slowest: Number(process.env["MUTANTS_SLOWEST"] ?? "250"),
    },
  };
}

/** Of a folder all its tests; files may be named too, as `test/handler/transfer/{download,remote}.test.ts`. */
function testsOf(named: string): string {
  return named.endsWith(".ts") ? named : `${named}/**/*.test.ts`;
}

const reportSchema = v.object({
  files: v.record(v.string(), v.object({ mutants: v.array(v.object({ status: v.string() })) })),
});

function summaryOf(folder: string, text: string): string {
  const { files } = v.parse(reportSchema, JSON.parse(text));
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const count = (...names: readonly string[]) => statuses.filter((status) => names.includes(status)).length;
  const killed = count("Killed", "Timeout");
  const all = killed + count("Survived", "NoCoverage");
  const score = all === 0 ? 100 : Math.round((killed / all) * 100);
  return `handler/${folder}: ${String(killed)} of ${String(all)} killed, ${String(score)} %, ${String(count("NoCoverage"))} not covered`;
}

process.exitCode = main(process.argv.slice(2));
