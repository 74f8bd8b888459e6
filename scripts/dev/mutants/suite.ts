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

function isSuite(child: Suite | DeclaredTest): child is Suite {
  return "children" in child;
}

export function testsOf(suite: Suite): readonly DeclaredTest[] {
  return suite.children.flatMap((child) => (isSuite(child) ? testsOf(child) : [child]));
}

export interface TestEnd {
  readonly id: string;
  readonly milliseconds: number;
  /** Of a processor: on a busy machine the one thing that says what a test costs. */
  readonly cpuMilliseconds: number;
  /** Undefined where the test passed. */
  readonly failure: string | undefined;
}

export interface RunPlan {
  readonly selects: (id: string) => boolean;
  readonly stopsAtFailure: boolean;
  /** Told before each test, and with undefined before what belongs to more than one. */
  readonly onStart: (id: string | undefined) => void;
  /** After so many milliseconds a test has failed; without it there is no limit. */
  readonly limitMs?: (id: string) => number;
}

/** Runs the selected tests of a suite one after the other, with the hooks around them. A hook that fails fails the next test. */
export async function runSuite(suite: Suite, plan: RunPlan, above: readonly Suite[] = []): Promise<readonly TestEnd[]> {
  const selected = testsOf(suite).filter(({ id }) => plan.selects(id));
  const first = selected[0];
  if (first === undefined) return [];
  plan.onStart(undefined);
  const unprepared = await failureOf(suite.beforeAll);
  const ends: TestEnd[] = unprepared === undefined ? [] : [failedHook(first.id, unprepared)];
  for (const child of unprepared === undefined ? suite.children : []) {
    if (isSuite(child)) ends.push(...(await runSuite(child, plan, [...above, suite])));
    else if (plan.selects(child.id)) ends.push(await runTest(child, [...above, suite], plan));
    if (plan.stopsAtFailure && ends.some(({ failure }) => failure !== undefined)) break;
  }
  plan.onStart(undefined);
  const left = await failureOf(suite.afterAll);
  return left === undefined ? ends : [...ends, failedHook(first.id, left)];
}

function failedHook(id: string, failure: string): TestEnd {
  return { id, milliseconds: 0, cpuMilliseconds: 0, failure };
}

async function runTest(test: DeclaredTest, suites: readonly Suite[], plan: RunPlan): Promise<TestEnd> {
  plan.onStart(test.id);
  const started = performance.now();
  const cpu = process.cpuUsage();
  const prepared = await failureOf(suites.flatMap(({ beforeEach }) => beforeEach));
  const failed = prepared ?? (await failureOf([() => within(plan.limitMs?.(test.id), test.body)]));
  const left = await failureOf(suites.toReversed().flatMap(({ afterEach }) => afterEach));
  const { user, system } = process.cpuUsage(cpu);
  return {
    id: test.id,
    milliseconds: performance.now() - started,
    cpuMilliseconds: (user + system) / 1000,
    failure: failed ?? left,
  };
}

async function failureOf(hooks: readonly Hook[]): Promise<string | undefined> {
  try {
    for (const hook of hooks) await hook();
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  }
}

/** What hangs goes on behind; whoever ran it looks whether that harms the next. */
async function within(limitMs: number | undefined, body: Hook): Promise<unknown> {
  if (limitMs === undefined) return await body();
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`It took more than ${String(limitMs)} ms`));
    }, limitMs);
  });
  try {
    return await Promise.race([body(), over]);
  } finally {
    clearTimeout(timer);
  }
}
