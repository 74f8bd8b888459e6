import { existsSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as v from "valibot";

const project = join(import.meta.dirname, "../..");

/** Where only the end of a run is kept, it must hold what failed; the first failures tell most. */
const mostFailures = 12;
const mostLines = 12;
const longestLine = 240;

/**
 * Adds up the results that Jest wrote. Names every test that failed, with the beginning of its message, every one that needed a
 * second try and every one that was skipped, and ends with one line that continuous integration reads. The run fails with a failed test, with a test that needed a second try before
 * (test/second-tries.txt) or twice in this run, and with a skip that nobody has explained (test/known-skips.txt).
 */
function main(files: readonly string[]): number {
  const results = files.map(readResult);
  const tests = results.flatMap((result) => result.tests);
  const repeated = tests.filter(({ tries }) => tries > 1).map(({ name }) => name);
  const skipped = Map.groupBy(
    tests.filter(({ status }) => status === "pending"),
    ({ file }) => file,
  );
  const problems = [
    ...results.flatMap(({ brokenOff }) => brokenOff),
    ...repeatedProblems(repeated),
    ...skipProblems([...skipped.keys()]),
  ];
  const failures = results.flatMap((result) => result.failures);
  for (const failure of failures.slice(0, mostFailures)) say(failure);
  if (failures.length > mostFailures) say(`failed: ${String(failures.length - mostFailures)} more`);
  for (const name of repeated) say(`second try: ${name}`);
  for (const [file, { length }] of skipped) say(`skipped: ${String(length)} of ${file}`);
  for (const problem of problems) say(problem);
  const sum = (key: keyof Totals) => results.reduce((total, { totals }) => total + totals[key], 0);
  if (repeated.length > 0) say(`${String(repeated.length)} needed a second try`);
  say(`\n${String(sum("passed"))} passed, ${String(sum("failed"))} failed, ${String(sum("skipped"))} skipped`);
  return sum("failed") === 0 && sum("passed") > 0 && problems.length === 0 ? 0 : 1;
}

function repeatedProblems(repeated: readonly string[]): readonly string[] {
  const before = listedNames("second-tries.txt");
  return repeated.flatMap((name, index) => {
    if (before.has(name)) return [`FAILED: "${name}" needed a second try before. It has a cause: find it`];
    return repeated.indexOf(name) === index ? [] : [`FAILED: "${name}" needed a second try twice in this run`];
  });
}

function skipProblems(files: readonly string[]): readonly string[] {
  const known = listedNames("known-skips.txt");
  return files
    .filter((file) => !known.has(file))
    .map((file) => `FAILED: tests of ${file} were skipped, and test/known-skips.txt does not say why`);
}

/** One name a line; what stands behind ` -- ` is for people. */
function listedNames(file: string): ReadonlySet<string> {
  const text = readFileSync(join(project, "test", file), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Set(lines.map((line) => line.split(" -- ")[0] ?? line));
}

interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface RunTest {
  /** Relative to the project. */
  readonly file: string;
  readonly name: string;
  readonly status: string;
  readonly tries: number;
}

interface Result {
  readonly totals: Totals;
  /** What a run that was ended from outside did not get to. */
  readonly brokenOff: readonly string[];
  readonly tests: readonly RunTest[];
  /** What failed, in words. */
  readonly failures: readonly string[];
}

/** As test/support/kept-results.ts writes it while Jest runs, and as Jest itself writes it at its end. */
const jestResult = v.object({
  isWhole: v.optional(v.boolean(), true),
  running: v.optional(v.array(v.string()), []),
  numTotalTestSuites: v.number(),
  numPassedTests: v.number(),
  numFailedTests: v.number(),
  numPendingTests: v.number(),
  numRuntimeErrorTestSuites: v.number(),
  testResults: v.array(
    v.object({
      name: v.string(),
      message: v.optional(v.string(), ""),
      assertionResults: v.array(
        v.object({
          fullName: v.string(),
          status: v.string(),
          invocations: v.optional(v.number(), 1),
          failureMessages: v.optional(v.array(v.string()), []),
        }),
      ),
    }),
  ),
});

type JestFile = v.InferOutput<typeof jestResult>["testResults"][number];

/** A run that left no result broke off: that counts as a failure. */
function readResult(file: string): Result {
  if (!existsSync(file)) {
    const brokenOff = [`FAILED: ${basename(file, ".json")} left no result`];
    return { totals: { passed: 0, failed: 1, skipped: 0 }, brokenOff, tests: [], failures: [] };
  }
  const result = v.parse(jestResult, JSON.parse(readFileSync(file, "utf8")));
  return {
    totals: {
      passed: result.numPassedTests,
      // A suite that could not even start has no tests of its own to count.
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests,
    },
    brokenOff: result.isWhole ? [] : [wordsOfBrokenOff(basename(file, ".json"), result)],
    tests: result.testResults.flatMap(({ name, assertionResults }) => {
      const file = relative(project, name);
      return assertionResults.map((one) => ({ file, name: one.fullName, status: one.status, tries: one.invocations }));
    }),
    failures: result.testResults.flatMap(failuresOf),
  };
}

function failuresOf({ name, message, assertionResults }: JestFile): readonly string[] {
  const file = relative(project, name);
  const failed = assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0) return message === "" ? [] : [`failed: ${file}\n${beginningOf(message)}`];
  return failed.map((one) => `failed: ${one.fullName} (${file})\n${beginningOf(one.failureMessages.join("\n"))}`);
}

/** Without colours and the places in the code of others. */
function beginningOf(message: string): string {
  const lines = stripVTControlCharacters(message)
    .split("\n")
    .filter((line) => line.trim() !== "" && !/node_modules|node:internal/.test(line));
  return lines
    .slice(0, mostLines)
    .map((line) => `    ${line.trim().slice(0, longestLine)}`)
    .join("\n");
}

function wordsOfBrokenOff(name: string, result: v.InferOutput<typeof jestResult>): string {
  const { numTotalTestSuites: all, testResults, running } = result;
  const during = running.map((file) => relative(project, file)).join(", ") || "no file";
  return `FAILED: ${name} was ended from outside after ${String(testResults.length)} of ${String(all)} files, during ${during}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = main(process.argv.slice(2));
