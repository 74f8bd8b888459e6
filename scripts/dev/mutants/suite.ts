export type Hook = () => unknown;

export interface DeclaredTest {
  /** File, suites and name; a number behind it where the file has the name twice. */
  readonly id: string;
  readonly body: Hook;
}

/** What `describe` holds, or a whole file. */
export interface Suite {
  readonly name: string;
  readonly beforeAll: Hook[];
  readonly beforeEach: Hook[];
  readonly afterEach: Hook[];
  readonly afterAll: Hook[];
  readonly children: (Suite | DeclaredTest)[];
}

export function emptySuite(name: string): Suite {
  return { name, beforeAll: [], beforeEach: [], afterEach: [], afterAll: [], children: [] };
}

export function isSuite(child: Suite | DeclaredTest): child is Suite {
  return "children" in child;
}

export function testsOf(suite: Suite): readonly DeclaredTest[] {
  return suite.children.flatMap((child) => (isSuite(child) ? testsOf(child) : [child]));
}

export interface TestEnd {
  readonly id: string;
  readonly milliseconds: number;
  /** Undefined where the test passed. */
  readonly failure: string | undefined;
}

export interface RunPlan {
  readonly selects: (id: string) => boolean;
  readonly stopsAtFailure: boolean;
  /** Told before each test, and with undefined before what belongs to more than one. */
  readonly onStart: (id: string | undefined) => void;
}

/** Runs the selected tests of a suite one after the other, with the hooks around them. A hook that fails fails the next test. */
export async function runSuite(suite: Suite, plan: RunPlan, above: readonly Suite[] = []): Promise<readonly TestEnd[]> {
  const selected = testsOf(suite).filter(({ id }) => plan.selects(id));
  const first = selected[0];
  if (first === undefined) return [];
  plan.onStart(undefined);
  const unprepared = await failureOf(suite.beforeAll);
  const ends: TestEnd[] = unprepared === undefined ? [] : [{ id: first.id, milliseconds: 0, failure: unprepared }];
  for (const child of unprepared === undefined ? suite.children : []) {
    if (isSuite(child)) ends.push(...(await runSuite(child, plan, [...above, suite])));
    else if (plan.selects(child.id)) ends.push(await runTest(child, [...above, suite], plan));
    if (plan.stopsAtFailure && ends.some(({ failure }) => failure !== undefined)) break;
  }
  plan.onStart(undefined);
  const left = await failureOf(suite.afterAll);
  return left === undefined ? ends : [...ends, { id: first.id, milliseconds: 0, failure: left }];
}

async function runTest(test: DeclaredTest, suites: readonly Suite[], plan: RunPlan): Promise<TestEnd> {
  plan.onStart(test.id);
  const started = performance.now();
  const prepared = await failureOf(suites.flatMap(({ beforeEach }) => beforeEach));
  const failed = prepared ?? (await failureOf([test.body]));
  const left = await failureOf(suites.toReversed().flatMap(({ afterEach }) => afterEach));
  return { id: test.id, milliseconds: performance.now() - started, failure: failed ?? left };
}

async function failureOf(hooks: readonly Hook[]): Promise<string | undefined> {
  try {
    for (const hook of hooks) await hook();
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  }
}
