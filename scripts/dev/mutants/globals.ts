import { createRequire } from "node:module";
import { format } from "node:util";
import { emptySuite, testsOf, type Hook, type Suite } from "./suite.ts";

/**
 * What the tests import from @jest/globals while mutants are tried: the same `expect` and `spyOn`, and tests that are kept, so
 * that a process that has loaded them once can run them as often as there are mutants.
 */
const fromJest = createRequire(createRequire(import.meta.url).resolve("@jest/globals"));

type Body = (...values: readonly unknown[]) => unknown;
type Named<Declared> = (name: string, body: Declared) => void;
type WithEach<Declared> = Named<Declared> & {
  readonly each: (rows: readonly unknown[]) => Named<Body>;
  readonly skip: Named<unknown>;
};

let open: Suite[] = [];

/** Loads a test file; its suite. */
export async function collectSuite(file: string, load: () => Promise<unknown>): Promise<Suite> {
  const whole = emptySuite(file);
  open = [whole];
  await load();
  open = [];
  return whole;
}

function current(): Suite {
  const suite = open.at(-1);
  if (suite === undefined) throw new Error("A test was declared while no test file is loaded");
  return suite;
}

function declareTest(name: string, body: Hook): void {
  const path = [...open.map((suite) => suite.name), name].join(" > ");
  const taken =
    open[0] === undefined ? [] : testsOf(open[0]).filter(({ id }) => id === path || id.startsWith(`${path} #`));
  current().children.push({ id: taken.length === 0 ? path : `${path} #${String(taken.length + 1)}`, body });
}

function declareSuite(name: string, body: () => unknown): void {
  const suite = emptySuite(name);
  current().children.push(suite);
  open.push(suite);
  body();
  open.pop();
}

function withEach(declare: Named<Hook>): WithEach<Hook> {
  const each = (rows: readonly unknown[]) => (name: string, body: Body) => {
    for (const row of rows) {
      const values: readonly unknown[] = Array.isArray(row) ? row : [row];
      declare(nameOf(name, values), () => body(...values));
    }
  };
  return Object.assign(
    (name: string, body: Hook) => {
      declare(name, body);
    },
    { each, skip: () => undefined },
  );
}

/**
 * No more of a row than its name asks for: a folder of this process, or a function, would make another name in the next process,
 * which then would not find the test.
 */
function nameOf(name: string, values: readonly unknown[]): string {
  const asked = name.replaceAll("%%", "").match(/%[a-z]/giu) ?? [];
  return format(name, ...values.slice(0, asked.length));
}

export const test = withEach(declareTest);
export const it = withEach(declareTest);
export const describe = withEach(declareSuite);
export const beforeAll = (hook: Hook): unknown => current().beforeAll.push(hook);
export const beforeEach = (hook: Hook): unknown => current().beforeEach.push(hook);
export const afterEach = (hook: Hook): unknown => current().afterEach.unshift(hook);
export const afterAll = (hook: Hook): unknown => current().afterAll.unshift(hook);

interface ExpectModule {
  readonly jestExpect: unknown;
}
interface MockModule {
  readonly ModuleMocker: new (world: typeof globalThis) => {
    readonly spyOn: (...parts: readonly unknown[]) => unknown;
  };
}
const { jestExpect } = fromJest("@jest/expect") as ExpectModule;
const { ModuleMocker } = fromJest("jest-mock") as MockModule;
const mocker = new ModuleMocker(globalThis);
export const expect = jestExpect;
export const jest = { spyOn: mocker.spyOn.bind(mocker) };
