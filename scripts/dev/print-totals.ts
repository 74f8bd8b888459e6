import { existsSync, readFileSync } from "node:fs";

/** Adds up the results that Jest wrote and prints one line that continuous integration reads. */
function main(files: readonly string[]): number {
  const results = files.map(readResult);
  const sum = (key: keyof Totals) => results.reduce((total, result) => total + result[key], 0);
  process.stdout.write(
    `\n${String(sum("passed"))} passed, ${String(sum("failed"))} failed, ${String(sum("skipped"))} skipped\n`,
  );
  return sum("failed") === 0 && sum("passed") > 0 ? 0 : 1;
}

interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A run that left no result broke off: that counts as a failure. */
function readResult(file: string): Totals {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  const result: unknown = JSON.parse(readFileSync(file, "utf8"));
  // A suite that could not even start has no tests of its own to count.
  const failed = numberAt(result, "numFailedTests") + numberAt(result, "numRuntimeErrorTestSuites");
  return { passed: numberAt(result, "numPassedTests"), failed, skipped: numberAt(result, "numPendingTests") };
}

function numberAt(value: unknown, key: string): number {
  const found = Object.entries(typeof value === "object" && value !== null ? value : {}).find(([name]) => name === key);
  return typeof found?.[1] === "number" ? found[1] : 0;
}

process.exitCode = main(process.argv.slice(2));
