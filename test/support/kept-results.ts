import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

interface TestFile {
  readonly path: string;
}

interface FileResult {
  readonly perfStats: { readonly runtime: number };
  readonly failureMessage?: string | null;
  readonly testResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly invocations?: number;
    readonly failureMessages?: readonly string[];
  }[];
}

interface Totals {
  readonly numTotalTestSuites: number;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/**
 * A reporter of Jest that keeps the results in the file that CAPZ_TEST_RESULTS names, anew after each test file: a run that is ended from
 * outside still tells what ran, and what was running. scripts/dev/print-totals.ts reads it.
 */
export default class KeptResults {
  readonly #file = process.env["CAPZ_TEST_RESULTS"];
  readonly #running = new Set<string>();
  readonly #done: unknown[] = [];
  #totals: Totals | undefined;

  onRunStart(totals: Totals): void {
    this.#totals = totals;
    this.#keep(false);
  }

  onTestFileStart({ path }: TestFile): void {
    this.#running.add(path);
    this.#keep(false);
  }

  onTestFileResult({ path }: TestFile, { perfStats, failureMessage, testResults }: FileResult, totals: Totals): void {
    this.#running.delete(path);
    this.#totals = totals;
    this.#done.push({
      name: path,
      milliseconds: perfStats.runtime,
      message: failureMessage ?? "",
      assertionResults: testResults.map(({ fullName, status, invocations, failureMessages }) => ({
        fullName,
        status,
        invocations,
        failureMessages,
      })),
    });
    this.#keep(false);
  }

  onRunComplete(_contexts: unknown, totals: Totals): void {
    this.#totals = totals;
    this.#keep(true);
  }

  #keep(isWhole: boolean): void {
    if (this.#file === undefined || this.#totals === undefined) return;
    const { numTotalTestSuites, numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } =
      this.#totals;
    const result = {
      isWhole,
      numTotalTestSuites,
      numPassedTests,
      numFailedTests,
      numPendingTests,
      numRuntimeErrorTestSuites,
      running: [...this.#running],
      testResults: this.#done,
    };
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(`${this.#file}.part`, JSON.stringify(result));
    renameSync(`${this.#file}.part`, this.#file);
  }
}
