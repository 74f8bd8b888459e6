import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { InstrumenterContext, StrykerOptions } from "@stryker-mutator/api/core";
import { commonTokens, declareClassPlugin, PluginKind, tokens } from "@stryker-mutator/api/plugin";
import {
  determineHitLimitReached,
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestRunner,
} from "@stryker-mutator/api/test-runner";
import { collectSuite } from "./globals.ts";
import { runSuite, testsOf, type RunPlan, type Suite, type TestEnd } from "./suite.ts";

/** Set by scripts/dev/mutants.ts in the options of the run. */
interface OwnOptions {
  readonly tests: {
    readonly pattern: string;
    readonly without: readonly string[];
    readonly slowest: number;
    /** Only these test files, where there are any, are tried against a mutant. */
    readonly again: readonly string[];
  };
}

const timesFile = ".test-times.json";
const clockTimesFile = ".test-clock-times.json";
const killersFile = ".test-killers.json";
/** So many of the tests that killed last are tried first: a mutant's neighbours mostly die of the same ones. */
const mostKillers = 12;
/** Milliseconds of a processor: what takes more is tried after all that is quicker. */
const quickTest = 20;
/** A test that takes so much longer with a mutant than without waits for what never comes. */
const patienceMs = 3000;
const patienceFactor = 5;

/** Tests of one file that are run together. */
interface Part {
  readonly file: string;
  readonly ids: ReadonlySet<string>;
}

/**
 * Runs the in-process tests without Jest: every test file is loaded once, and a mutant costs no more than the tests that cover
 * it, until the first that fails: those that killed its neighbours first, then the quick ones. What one mutant left behind in the process must not kill the next: a test that has killed one must
 * pass again without it, else the process is spoiled and begins anew.
 */
class LoadedTests implements TestRunner {
  static inject = tokens(commonTokens.options);
  readonly #options: StrykerOptions & OwnOptions;
  readonly #suites = new Map<string, Promise<Suite>>();
  #times: Readonly<Record<string, number>> | undefined;
  #clockTimes: Readonly<Record<string, number>> | undefined;
  #killers: readonly string[] | undefined;
  #tried = 0;
  #spoiled = false;

  constructor(options: StrykerOptions) {
    this.#options = options as StrykerOptions & OwnOptions;
    const globals = new URL("./globals.ts", import.meta.url).href;
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === "@jest/globals" ? { url: globals, shortCircuit: true } : next(specifier, context),
    });
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun(): Promise<DryRunResult> {
    const { pattern, without, slowest } = this.#options.tests;
    const files = globSync(pattern).filter(
      (file) => file.endsWith(".test.ts") && !without.some((part) => file.includes(part)),
    );
    // What a command loads lazily would make its constants in the first test that asks for it.
    for (const file of globSync(this.#options.mutate)) await import(pathToFileURL(file).href);
    const ends: TestEnd[] = [];
    for (const file of files.toSorted()) {
      const suite = await this.#load(file);
      const found = await runSuite(suite, { selects: () => true, stopsAtFailure: false, onStart: startIn(file) });
      shareCoverage(file, suite);
      ends.push(...found);
    }
    tryWhereItStands();
    for (const { id, cpuMilliseconds } of ends) if (cpuMilliseconds > slowest) forget(id);
    const times = (of: (end: TestEnd) => number) =>
      JSON.stringify(Object.fromEntries(ends.map((end) => [end.id, of(end)])));
    writeFileSync(
      timesFile,
      times(({ cpuMilliseconds }) => cpuMilliseconds),
    );
    writeFileSync(
      clockTimesFile,
      times(({ milliseconds }) => milliseconds),
    );
    return {
      status: DryRunStatus.Complete,
      mutantCoverage: context().mutantCoverage ?? { static: {}, perTest: {} },
      tests: ends.map(({ id, milliseconds, failure }) => {
        const told = { id, name: id, timeSpentMs: milliseconds, fileName: join(process.cwd(), fileOf(id)) };
        return failure === undefined
          ? { ...told, status: TestStatus.Success as const }
          : { ...told, status: TestStatus.Failed as const, failureMessage: failure };
      }),
    };
  }

  async mutantRun({ activeMutant, testFilter = [], ...options }: MutantRunOptions): Promise<MutantRunResult> {
    if (this.#spoiled) throw new Error("the mutant before this one left something behind");
    const isFirst = this.#tried++ === 0;
    const own = context();
    const hitLimit = options.hitLimit === undefined ? undefined : endlessFrom(options.hitLimit);
    let nrOfTests = 0;
    for (const { file, ids } of this.#partsOf(testFilter)) {
      const suite = await this.#load(file);
      Object.assign(own, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit === undefined ? undefined : 0 });
      const ends = await runSuite(suite, { ...planOf((id) => ids.has(id)), limitMs: (id) => this.#limitOf(id) });
      const endless = determineHitLimitReached(own.hitCount, hitLimit);
      Object.assign(own, { activeMutant: undefined, hitLimit: undefined, hitCount: undefined });
      if (endless !== undefined) return { status: MutantRunStatus.Timeout, reason: endless.reason ?? "" };
      nrOfTests += ends.length;
      const killer = ends.find(({ failure }) => failure !== undefined);
      if (killer === undefined) continue;
      const again = await runSuite(suite, {
        ...planOf((id) => id === killer.id),
        limitMs: (id) => this.#limitOf(id),
      });
      const lasting = again.find(({ failure }) => failure !== undefined);
      this.#spoiled = lasting !== undefined;
      if (lasting !== undefined && !isFirst) throw new Error(`${killer.id} fails without a mutant too`);
      this.#remember(killer.id);
      return { status: MutantRunStatus.Killed, killedBy: [killer.id], failureMessage: killer.failure ?? "", nrOfTests };
    }
    return { status: MutantRunStatus.Survived, nrOfTests };
  }

  #limitOf(id: string): number {
    this.#clockTimes ??= JSON.parse(readFileSync(clockTimesFile, "utf8")) as Record<string, number>;
    return patienceMs + patienceFactor * (this.#clockTimes[id] ?? 0);
  }

  /** The killers of the mutants before this one, each by itself; of every other file the quick tests, cheap files first; then the slow ones. */
  #partsOf(ids: readonly string[]): readonly Part[] {
    const { again } = this.#options.tests;
    const covering = new Set(ids.filter((id) => again.length === 0 || again.some((name) => fileOf(id).includes(name))));
    const killers = this.#lastKillers().filter((id) => covering.has(id));
    for (const id of killers) covering.delete(id);
    const quick = [...covering].filter((id) => this.#costOf(id) <= quickTest);
    const slow = [...covering].filter((id) => this.#costOf(id) > quickTest);
    return [
      ...killers.map((id) => ({ file: fileOf(id), ids: new Set([id]) })),
      ...this.#byFile(quick),
      ...this.#byFile(slow),
    ];
  }

  #byFile(ids: readonly string[]): readonly Part[] {
    const files = [...Map.groupBy(ids, fileOf)].map(([file, own]) => ({
      file,
      ids: new Set(own),
      cost: own.reduce((sum, id) => sum + this.#costOf(id), 0),
    }));
    return files.toSorted((a, b) => a.cost - b.cost);
  }

  #costOf(id: string): number {
    this.#times ??= JSON.parse(readFileSync(timesFile, "utf8")) as Record<string, number>;
    return this.#times[id] ?? 0;
  }

  /** In a file, since a process may begin anew. */
  #lastKillers(): readonly string[] {
    this.#killers ??= existsSync(killersFile) ? (JSON.parse(readFileSync(killersFile, "utf8")) as string[]) : [];
    return this.#killers;
  }

  #remember(killer: string): void {
    const last = this.#lastKillers();
    if (last[0] === killer) return;
    this.#killers = [killer, ...last.filter((id) => id !== killer)].slice(0, mostKillers);
    writeFileSync(killersFile, JSON.stringify(this.#killers));
  }

  async #load(file: string): Promise<Suite> {
    const known = this.#suites.get(file) ?? collectSuite(file, () => import(pathToFileURL(file).href));
    this.#suites.set(file, known);
    return await known;
  }
}

/**
 * Stryker takes a mutant for endless that is reached a hundred times as often as in all tests together. Each part counts anew
 * here, so that ten times will do where that is often.
 */
function endlessFrom(hitLimit: number): number {
  return Math.max(Math.ceil(hitLimit / 10), Math.min(hitLimit, 100_000));
}

function planOf(selects: RunPlan["selects"]): RunPlan {
  return { selects, stopsAtFailure: true, onStart: () => undefined };
}

/** The instrumented code's own global object. */
function context(): InstrumenterContext {
  const world = globalThis as { __stryker__?: InstrumenterContext };
  world.__stryker__ ??= {};
  return world.__stryker__;
}

function fileOf(id: string): string {
  return id.slice(0, id.indexOf(" > "));
}

/** What a hook for all of a file covers is kept under the file's own name first. */
function startIn(file: string): RunPlan["onStart"] {
  return (id) => {
    context().currentTestId = id ?? file;
  };
}

function shareCoverage(file: string, suite: Suite): void {
  delete context().currentTestId;
  const perTest = context().mutantCoverage?.perTest;
  const shared = perTest?.[file];
  if (perTest === undefined || shared === undefined) return;
  forget(file);
  for (const { id } of testsOf(suite)) {
    const own = (perTest[id] ??= {});
    for (const [mutant, hits] of Object.entries(shared)) own[mutant] = (own[mutant] ?? 0) + hits;
  }
}

/**
 * What runs while files are loaded and in tests, too, is tried in the tests alone: they were loaded without the mutant. Stryker
 * would begin a process anew for each such mutant.
 */
function tryWhereItStands(): void {
  const coverage = context().mutantCoverage;
  for (const mutants of Object.values(coverage?.perTest ?? {}))
    for (const mutant of Object.keys(mutants)) Reflect.deleteProperty(coverage?.static ?? {}, mutant);
}

function forget(id: string): void {
  const perTest = context().mutantCoverage?.perTest;
  if (perTest !== undefined) Reflect.deleteProperty(perTest, id);
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "loaded-tests", LoadedTests)];
