import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, test } from "@jest/globals";
import { noAnswer } from "../../../../handler/check/looker.ts";
import { openCheckMemory } from "../../../../handler/check/program/check-memory.ts";
import { answerOf } from "../../../../handler/check/program/look-report.ts";
import { memoryOf, parseLookResult } from "../../../../handler/check/program/parse-look-result.ts";
import { parseQuestion } from "../../../../handler/check/program/parse-question.ts";
import { loadProgram } from "../../../../handler/check/program/load-program.ts";
import { parseRecord, replayLook } from "../../../../handler/check/program/replay-look.ts";
import { runLook, type LookEnd } from "../../../../handler/check/program/run-look.ts";
import type { LookContext, LookRecord, LookResult } from "../../../../scripts/check/look.ts";
import type { Answer, Question } from "../../../../scripts/check/questions.ts";
import { checkHost } from "../../../support/check-host.ts";
import { checkProgram } from "../../../support/check-program.ts";

const context: LookContext = { system: "linux", provider: "auto", elapsedMs: 0, timeoutMs: 1000, memory: {} };
const said = `{ verdict: "not-yet", stage: "one", providers: [], running: [], remarks: [], facts: {}, nextLookMs: 1000, decidedBy: [], memory: {} }`;

interface Options {
  readonly answer?: (question: Question) => Promise<Answer>;
  readonly limitMs?: number;
  /** Of one step, by the wall's clock: short only where a step is to be ended, since a busy machine may stop us for longer. */
  readonly stepLimitMs?: number;
  readonly signal?: AbortSignal;
}

async function lookWith(source: string, options: Options = {}): Promise<LookEnd> {
  const program = loadProgram(source, { limitMs: options.stepLimitMs ?? 20_000 });
  return runLook({
    host: checkHost(),
    program,
    context,
    answer: options.answer ?? (() => Promise.resolve({ kind: "cannot-tell", why: "test" })),
    limitMs: options.limitMs ?? 60_000,
    signal: options.signal ?? new AbortController().signal,
  });
}

test("a look asks, is answered in the order of its questions, and its record holds both", async () => {
  const source = checkProgram(`
    const [first, second] = yield [{ ask: "time" }, { ask: "path", path: "/run/x" }];
    return { ...${said}, facts: { first: first.why, second: second.why, system: context.system } };`);
  const end = await lookWith(source, {
    answer: async (question) => {
      // The first answer comes last.
      await new Promise((resolve) => setTimeout(resolve, question.ask === "time" ? 20 : 1));
      return { kind: "cannot-tell", why: question.ask };
    },
  });
  if (end.kind !== "result") throw new Error(JSON.stringify(end));
  expect(end.result.facts).toEqual({ first: "time", second: "path", system: "linux" });
  expect(end.record.observations.map(({ question }) => question.ask)).toEqual(["time", "path"]);
});

test.each([
  ["no program", "}{", "Unexpected token"],
  ["a program without a check", "module.exports = {};", "Cannot read properties of undefined"],
  ["a check of another protocol", "module.exports = { capzCheck: {} };", "is not a function"],
  ["a check that gives something else", "module.exports = { capzCheck: { begin: () => 1 } };", "it gave no step"],
  ["a check that throws", checkProgram('throw new Error("oh");'), "it threw Error: oh"],
  ["a check that throws nothing", checkProgram("throw undefined;"), "it threw undefined"],
  ["a check that asks no question", checkProgram('yield "time";'), "asked something that is no question"],
  ["a check that says nothing", checkProgram(""), "its result is not an object"],
  ["a result without a verdict", checkProgram('return { stage: "x" };'), "names no verdict"],
  ["a result without a stage", checkProgram('return { verdict: "failed" };'), "names no stage"],
  [
    "a result that is no JSON",
    checkProgram("const a = {}; a.a = a; return a;"),
    "it threw TypeError: Converting circular",
  ],
  ["a check that asks for ever", checkProgram('for (;;) yield [{ ask: "time" }];'), "asked without coming to an end"],
  [
    "an endless list of questions",
    checkProgram('yield Array(5000).fill({ ask: "time" });'),
    "without coming to an end",
  ],
  ["a check that asks for ever, and for nothing", checkProgram("for (;;) yield [];"), "asked without coming to an end"],
  ["a step that does not return", checkProgram("for (;;);"), "timed out after 200ms"],
  [
    "a promise that does not return",
    checkProgram("Promise.resolve().then(() => { for (;;); }); yield [];"),
    "timed out",
  ],
  ["a program that does not load", "for (;;);", "timed out after 200ms"],
])("%s has no answer, and the look says why", async (_, source, why) => {
  const options = why.startsWith("timed out") ? { stepLimitMs: 200 } : {};
  expect(await lookWith(source, options)).toMatchObject({
    kind: "no-result",
    why: expect.stringContaining(why) as unknown,
  });
});

test("after a step that was ended the next look begins anew", async () => {
  let looks = 0;
  const program = loadProgram(
    checkProgram(
      `globalThis.seen = (globalThis.seen ?? 0) + 1; if (context.elapsedMs === 0) for (;;); return ${said};`,
    ),
    { limitMs: 100 },
  );
  const look = (elapsedMs: number) =>
    runLook({
      host: checkHost(),
      program,
      context: { ...context, elapsedMs },
      answer: () => Promise.reject(new Error(String((looks += 1)))),
      limitMs: 1000,
      signal: new AbortController().signal,
    });
  expect((await look(0)).kind).toBe("no-result");
  expect((await look(1)).kind).toBe("result");
});

test("the check has the language and nothing else", async () => {
  const names = ["require", "process", "setTimeout", "fetch", "Buffer", "console", "queueMicrotask", "structuredClone"];
  const source = checkProgram(`
    const seen = ${JSON.stringify(names)}.filter((name) => name in globalThis);
    let escaped = "no";
    try { escaped = String(this.constructor.constructor("return typeof process")()); } catch (error) { escaped = error.name; }
    try { escaped = String((() => {}).constructor("return typeof process")()); } catch (error) { escaped = error.name; }
    return { ...${said}, facts: { seen: seen.join(" ") || "none", escaped } };`);
  const end = await lookWith(source);
  if (end.kind !== "result") throw new Error(JSON.stringify(end));
  expect(end.result.facts).toEqual({ seen: "none", escaped: "EvalError" });
});

test("an unknown question, and one whose answer fails, cannot be told", async () => {
  const source = checkProgram(`
    const [odd, failed] = yield [{ ask: "weather" }, { ask: "time" }];
    return { ...${said}, facts: { odd: odd.why, failed: failed.why } };`);
  const end = await lookWith(source, { answer: () => Promise.reject(new Error("it broke")) });
  if (end.kind !== "result") throw new Error(JSON.stringify(end));
  expect(end.result.facts).toEqual({ odd: "this handler does not know the question", failed: "it broke" });
});

test.each([
  ["as many times as a look may ask", "let n = 0; n < 200; n++", "[]", "result"],
  ["once more", "let n = 0; n < 201; n++", "[]", "no-result"],
  ["as many questions as a look may have", "let n = 0; n < 2; n++", 'Array(500).fill({ ask: "time" })', "result"],
  ["one more", "let n = 0; n < 1; n++", 'Array(1001).fill({ ask: "time" })', "no-result"],
])("a check that asks %s comes to its end, or not", async (...[, times, questions, kind]) => {
  const end = await lookWith(checkProgram(`for (${times}) yield ${questions}; return ${said};`));
  expect(end.kind).toBe(kind);
});

test("the machine is asked each question once, four at a time, and a record holds what it was asked alone", async () => {
  const asked: Question[] = [];
  let open = 0;
  let most = 0;
  const source = checkProgram(`
    yield [...Array.from({ length: 10 }, (_, index) => ({ ask: "healthz", port: index })), { ask: "weather" }];
    return ${said};`);
  const end = await lookWith(source, {
    answer: async (question) => {
      asked.push(question);
      most = Math.max(most, (open += 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
      open -= 1;
      return { kind: "cannot-tell", why: "test" };
    },
  });
  const ports = Array.from({ length: 10 }, (_, port) => ({ ask: "healthz", port }));
  expect([asked, most]).toEqual([ports, 4]);
  if (end.kind !== "result") throw new Error(JSON.stringify(end));
  expect(end.record.observations.map(({ question }) => question)).toStrictEqual(ports);
});

test("a look whose answer never comes ends at its limit", async () => {
  const source = checkProgram(`yield [{ ask: "time" }]; return ${said};`);
  const end = await lookWith(source, { answer: () => new Promise(() => undefined), limitMs: 50 });
  expect(end).toEqual({ kind: "no-result", why: "the look did not end within 0 s" });
});

test("an answer that comes after the look's end is not given to the program, which may look anew by then", async () => {
  const given: string[] = [];
  const loaded = loadProgram(checkProgram(`yield [{ ask: "time" }]; return ${said};`), { limitMs: 200 });
  const program: typeof loaded = {
    begin: (first) => loaded.begin(first),
    answer(answers) {
      given.push(JSON.stringify(answers));
      return loaded.answer(answers);
    },
  };
  let tell: (answer: Answer) => void = () => undefined;
  const late = new Promise<Answer>((resolve) => {
    tell = resolve;
  });
  const signal = new AbortController().signal;
  const end = await runLook({ host: checkHost(), program, context, answer: () => late, limitMs: 20, signal });
  expect(end.kind).toBe("no-result");
  tell({ kind: "cannot-tell", why: "late" });
  await new Promise((resolve) => setImmediate(resolve));
  expect(given).toEqual([]);
});

test("a look that is interrupted ends at once", async () => {
  const stop = new AbortController();
  const source = checkProgram(`yield [{ ask: "time" }]; return ${said};`);
  const looking = lookWith(source, { answer: () => new Promise(() => undefined), signal: stop.signal });
  stop.abort();
  expect(await looking).toEqual({ kind: "interrupted" });
});

test("of a result what is not as it should be is left out, and the texts are cleaned and bounded", async () => {
  const source = checkProgram(`return {
    verdict: "failed", stage: "kubeadm-join", reason: "not camel", message: "a\\u001b[31mb\\n\\nc" + "x".repeat(9000),
    next: 7, retryable: "yes", providers: ["kubeadm", 5, ""], running: "kubeadm", remarks: [null],
    facts: { good: "yes", "BAD": "x", "__proto__": "x", empty: " " }, nextLookMs: NaN, decidedBy: Array(500).fill("x"),
    memory: { kept: "a", dropped: 5 } };`);
  const end = await lookWith(source);
  if (end.kind !== "result") throw new Error(JSON.stringify(end));
  const { message, decidedBy, ...rest } = end.result;
  expect(message?.startsWith("ab cxxx")).toBe(true);
  expect(message?.length).toBeLessThanOrEqual(4096);
  expect(decidedBy).toHaveLength(50);
  expect(rest).toEqual({
    verdict: "failed",
    stage: "kubeadm-join",
    providers: ["kubeadm"],
    running: [],
    remarks: [],
    facts: { good: "yes" },
    nextLookMs: 5000,
    memory: { kept: "a" },
  });
});

test("a memory of more than 4 KiB is forgotten as a whole", async () => {
  const end = await lookWith(checkProgram(`return { ...${said}, memory: { a: "x".repeat(5000) } };`));
  expect(end).toMatchObject({ kind: "result", result: { memory: {} } });
});

const longest = "x".repeat(1024);

test.each<[unknown, boolean]>([
  [{ ask: "boot" }, true],
  [{ ask: "machine" }, true],
  [{ ask: "time" }, true],
  [{ ask: "path", path: "/a" }, true],
  [{ ask: "path", path: longest }, true],
  [{ ask: "path", path: `${longest}x` }, false],
  [{ ask: "path", path: "" }, false],
  [{ ask: "path", path: 5 }, false],
  [{ ask: "path" }, false],
  [{ ask: "certificate", path: "/a" }, true],
  [{ ask: "healthz", port: 1.5 }, false],
  [{ ask: "text", path: "/a" }, true],
  [{ ask: "text", path: "/a", maxBytes: 1 }, true],
  ...[0, -1, 1.5, "1", null, Number.NaN].map((maxBytes): [unknown, boolean] => [
    { ask: "log", path: "/a", maxBytes },
    false,
  ]),
  [{ ask: "log", path: "/a" }, true],
  [{ ask: "log", path: "/a", maxBytes: 512 }, true],
  [{ ask: "mentions", path: "/a", words: ["one", "two"] }, true],
  [{ ask: "mentions", path: "/a", words: ["one", 2] }, false],
  [{ ask: "mentions", path: "/a", words: { length: 1 } }, false],
  [{ ask: "mentions", words: ["one"] }, false],
  [{ ask: "names", folder: "/a" }, true],
  [{ ask: "names", folder: [] }, false],
  [{ ask: "registry", key: "HKLM\\A" }, true],
  [{ ask: "registry", key: true }, false],
  [{ ask: "healthz", port: 10_248 }, true],
  [{ ask: "healthz", port: "10248" }, false],
  [{ ask: "units", names: ["a.service"] }, true],
  [{ ask: "units", names: Array(100).fill("a.service") }, true],
  [{ ask: "units", names: Array(101).fill("a.service") }, false],
  [{ ask: "units", names: ["a.service", ""] }, false],
  [{ ask: "services", names: ["a"] }, true],
  [{ ask: "services" }, false],
  [{ ask: "processes" }, true],
  [{ ask: "processes", unit: "a.service" }, true],
  [{ ask: "processes", unit: null }, false],
  [{ ask: "weather" }, false],
  ["boot", false],
  [null, false],
])("of questions %j is one: %s, and what it does not know of one is left out", (asked, isOne) => {
  expect(parseQuestion(asked)).toEqual(isOne ? asked : undefined);
  if (isOne) expect(parseQuestion({ ...(asked as object), more: "x" })).toEqual(asked);
  const { ask } = Object(asked) as { ask?: string };
  if (ask === "path" || ask === "certificate")
    expect(parseQuestion({ ...(asked as object), maxBytes: 5 })).toEqual(isOne ? asked : undefined);
});

const resultOf = (change: object) => {
  const parsed = parseLookResult({ verdict: "not-yet", stage: "s", ...change });
  return parsed.kind === "valid" ? parsed.result : parsed.why;
};

test.each([
  [null, "its result is not an object"],
  [{ verdict: "maybe", stage: "s" }, "its result names no verdict"],
  ...["", "A", "-a", "a-", "a b", "a_b", "a.", ".a", "\na", "x".repeat(65), `a${"-a".repeat(21)}`, 5].map(
    (stage) => [{ verdict: "not-yet", stage }, "its result names no stage"] as const,
  ),
])("a result %j is refused: %s", (value, why) => {
  expect(parseLookResult(value)).toEqual({ kind: "invalid", why });
});

test.each(["s", "kubeadm-join", "step2-of-3", "x".repeat(64), `a${"-a".repeat(20)}`])("%s is a stage", (stage) => {
  expect(resultOf({ stage })).toMatchObject({ stage });
});

test.each([
  ["KubeadmFailed", true],
  ["K8s2", true],
  ["kubeadmFailed", false],
  ["Kubeadm-Failed", false],
  [" KubeadmFailed", false],
  [`K${"x".repeat(63)}`, true],
  [`K${"x".repeat(64)}`, false],
])("of a failure the reason %s is told: %s; of nothing else a reason or advice is", (reason, isOne) => {
  const words = { reason, next: "look there", retryable: false };
  expect(resultOf({ verdict: "failed", ...words })).toMatchObject({
    ...(isOne ? { reason } : {}),
    next: "look there",
    retryable: false,
  });
  expect("reason" in Object(resultOf({ verdict: "failed", ...words }))).toBe(isOne);
  for (const verdict of ["not-yet", "bootstrapped"])
    for (const name of ["reason", "next", "retryable"])
      expect(resultOf({ verdict, ...words })).not.toHaveProperty(name);
});

test.each([
  [7000, 7000],
  [7000.4, 7000],
  [1, 250],
  [1e9, 300_000],
  ["7000", 5000],
  [Infinity, 5000],
  [undefined, 5000],
])("after a pause of %j ms the next look comes after %j", (nextLookMs, pause) => {
  expect(resultOf({ nextLookMs })).toMatchObject({ nextLookMs: pause });
});

test.each([
  ["a", true],
  ["a-b2", true],
  ["a2", true],
  ["x".repeat(64), true],
  ["x".repeat(65), false],
  ["2a", false],
  ["a-", false],
  ["a_b", false],
  ["a b", false],
  ["_a", false],
  [`a${"-b".repeat(20)}`, true],
  [`a${"-b".repeat(21)}`, false],
])("a fact named %s is told: %s", (name, isTold) => {
  expect(resultOf({ facts: { [name]: "x" } })).toHaveProperty("facts", isTold ? { [name]: "x" } : {});
});

test("of facts, texts and what is remembered the first and the whole are kept, and what is none is left out", () => {
  const facts = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${String(index)}`, "x"]));
  expect(Object.keys((resultOf({ facts }) as { facts: object }).facts)).toHaveLength(50);
  const odd = resultOf({ facts: ["x"], memory: ["x"], providers: [" ", "k3s"] });
  expect(odd).toHaveProperty("facts", {});
  expect(odd).toHaveProperty("memory", {});
  expect(odd).toHaveProperty("providers", ["k3s"]);
  const memory = { a: "x".repeat(4096 - '{"a":""}'.length) };
  expect(memoryOf(memory)).toEqual(memory);
  expect(memoryOf({ a: `${memory.a}x` })).toEqual({});
});

test("what a check remembers lies in its folder for its machine alone, and without a folder in this process", () => {
  const folder = mkdtempSync(join(tmpdir(), "capz-memory-"));
  const file = join(folder, "memory.json");
  const kept = openCheckMemory(folder, "vm-1");
  expect(kept.current()).toEqual({});
  kept.keep({});
  expect(existsSync(file)).toBe(false);
  kept.keep({ a: "1" });
  expect([kept.current(), statSync(file).mode & 0o777]).toEqual([{ a: "1" }, 0o600]);
  const written = statSync(file).ino;
  kept.keep({ a: "1" });
  expect(statSync(file).ino).toBe(written);
  expect(openCheckMemory(folder, "vm-1").current()).toEqual({ a: "1" });
  expect(openCheckMemory(folder, "vm-2").current()).toEqual({});
  const whole = JSON.stringify({ vmId: "vm-1", memory: { a: "1" } });
  for (const [text, memory] of [
    [whole.padEnd(8192), { a: "1" }],
    [whole.padEnd(8193), {}],
    ["null", {}],
    ["{", {}],
  ] as const) {
    writeFileSync(file, text);
    expect(openCheckMemory(folder, "vm-1").current()).toEqual(memory);
  }
  const none = openCheckMemory(undefined, "vm-1");
  none.keep({ a: "1" });
  expect(none.current()).toEqual({ a: "1" });
  expect(existsSync("undefined.new")).toBe(false);
  rmSync(folder, { recursive: true });
});

test("a look becomes the report that a script would write, and one without a result a note beside what was seen before", () => {
  const record = (result: LookResult): LookRecord => ({ protocol: 2, context, observations: [], result });
  const texts = { providers: [], running: [], remarks: [], decidedBy: [], facts: {}, memory: {} };
  const bare = { verdict: "not-yet", stage: "s", nextLookMs: 5000, ...texts } as const;
  expect(answerOf({ kind: "result", result: bare, record: record(bare) })).toEqual({
    verdict: "not-yet",
    report: { stage: "s", nextCheckSeconds: 5, facts: {} },
  });
  const whole = {
    ...bare,
    verdict: "failed",
    reason: "KubeadmFailed",
    message: "it failed",
    next: "look there",
    retryable: false,
    providers: ["kubeadm"],
    running: ["a", "b"],
    remarks: ["c", "d"],
    decidedBy: ["e", "f"],
    facts: { own: "x" },
  } as const;
  const facts = {
    own: "x",
    running: "a, b",
    remark: "c; d",
    "decided-by": "e; f",
    next: "look there",
    retryable: "false",
  };
  expect(answerOf({ kind: "result", result: whole, record: record(whole) })).toEqual({
    verdict: "failed",
    report: {
      stage: "s",
      reason: "KubeadmFailed",
      message: "it failed",
      providers: ["kubeadm"],
      nextCheckSeconds: 5,
      facts,
    },
  });
  const before = { stage: "s", facts: { own: "x" } };
  expect(noAnswer(before, "it broke")).toMatchObject({ kind: "not-yet", stillRunning: [] });
  for (const [end, why] of [
    [{ kind: "no-result", why: "it broke" }, "it broke"],
    [{ kind: "interrupted" }, "it was interrupted"],
  ] as const) {
    const note = { "last-check-run": `The check gave no answer: ${why}` };
    expect(answerOf(end, before)).toEqual({ verdict: "not-yet", report: { stage: "s", facts: { own: "x", ...note } } });
    expect(answerOf(end)).toEqual({ verdict: "not-yet", report: { facts: note } });
  }
});

/** A look that says what its `answer` was given: the JSON without the long text, and the text beside it. */
function tellsWhatIsGiven(takesTextBeside: string): string {
  return `let given = "";
    ${checkProgram(`const [first, log] = yield [{ ask: "time" }, { ask: "log", path: "C:\\\\a.log" }];
      return { ...${said}, facts: { given, first: first.why, log: String(log.value.text.length) } };`)}
    const { begin, answer } = module.exports.capzCheck;
    const withText = (json, text, index) => {
      given = [json.length < 1000 ? "short" : "long", text?.length ?? "none", index ?? "none"].join();
      const answers = JSON.parse(json);
      if (text !== undefined) answers[index].value.text = text;
      return answer(JSON.stringify(answers));
    };
    module.exports.capzCheck = { begin, answer: withText${takesTextBeside} };`;
}

const megabyte = 'a step, "quoted", of C:\\path\\r\\n'.repeat(40_000);

test.each([
  ["takes it so", ", takesTextBeside: true", `short,${String(megabyte.length)},1`],
  ["knows nothing of it", "", "long,none,none"],
  ["says of it what is no yes", ", takesTextBeside: {}", "long,none,none"],
])("a long text is given beside the JSON to a check that %s", async (_, takes, given) => {
  const end = await lookWith(tellsWhatIsGiven(takes), {
    answer: ({ ask }) =>
      Promise.resolve(
        ask === "log"
          ? { kind: "known", value: { kind: "text", text: megabyte, cut: false } }
          : { kind: "cannot-tell", why: "test" },
      ),
  });
  const log = String(megabyte.length);
  expect(end).toMatchObject({ kind: "result", result: { facts: { given, first: "test", log } } });
});

describe("a record of a look", () => {
  const path = { ask: "path", path: "/a" };
  const known = { kind: "known", value: { kind: "absent" } };
  const seen = { context: { ...context }, observations: [{ question: path, answer: known }] };
  const withContext = (change: object) => ({ ...seen, context: { ...seen.context, ...change } });
  const withAnswer = (answer: unknown) => ({ ...seen, observations: [{ question: path, answer }] });

  it.each([
    ["as it was kept", seen],
    ["with more beside it", { ...seen, protocol: 2, result: {} }],
    ["in the output of a check", { verdict: "failed", record: seen }],
    ["beside a record that is none", { ...seen, record: "x" }],
  ])("%s is read", (_, value) => {
    expect(parseRecord(value)).toEqual(seen);
  });

  it.each([
    ["of Windows", withContext({ system: "windows" }), { context: { ...context, system: "windows" } }],
    ["that saw nothing", { ...seen, observations: [] }, { observations: [] }],
    ["without a memory", withContext({ memory: undefined }), {}],
    ["with a memory", withContext({ memory: { a: "1", b: 2 } }), { context: { ...context, memory: { a: "1" } } }],
    [
      "of a machine that could not tell",
      withAnswer({ kind: "cannot-tell", why: "EIO" }),
      { observations: [{ question: path, answer: { kind: "cannot-tell", why: "EIO" } }] },
    ],
    ["of an empty value", withAnswer({ kind: "known", value: undefined }), withAnswer({ kind: "known" })],
    [
      "whose question has its fields in another order",
      { ...seen, observations: [{ question: { path: "/a", more: 1, ask: "path" }, answer: known }] },
      {},
    ],
  ])("%s is read", (_, value, change) => {
    expect(parseRecord(value)).toEqual({ ...seen, ...change });
  });

  it.each([
    ["nothing", null],
    ["a text", "{}"],
    ["a list", [seen]],
    ["no context", { observations: [] }],
    ["a context that is none", { ...seen, context: [] }],
    ["another system", withContext({ system: "plan9" })],
    ["no provider", withContext({ provider: undefined })],
    ["no time", withContext({ elapsedMs: "5" })],
    ["no limit", withContext({ timeoutMs: null })],
    ["no observations", { context }],
    ["observations that are no list", { ...seen, observations: {} }],
    ["an observation that is none", { ...seen, observations: [...seen.observations, null] }],
    ["a question that is none", { ...seen, observations: [{ question: { ask: "weather" }, answer: known }] }],
    ["no answer", withAnswer(undefined)],
    ["an answer of no kind", withAnswer({ value: 1, why: "x" })],
    ["an answer without a value", withAnswer({ kind: "known", why: "x" })],
    ["no answer and no reason", withAnswer({ kind: "cannot-tell", value: 1 })],
    ["a reason that is no text", withAnswer({ kind: "cannot-tell", why: 5 })],
  ])("with %s is none", (_, value) => {
    expect(parseRecord(value)).toBeUndefined();
  });

  it("gives a check its answers again, each in its turn and the last for ever, and none that it does not hold", async () => {
    const why = (text: string): Answer => ({ kind: "cannot-tell", why: text });
    const program = loadProgram(
      checkProgram(`const seen = [];
        for (const path of ["/a", "/b", "/a", "/a", "/c"]) seen.push((yield [{ path, ask: "path" }])[0].why);
        return { ...${said}, facts: { seen: seen.join(), time: String(context.timeoutMs) } };`),
    );
    const asked = (path: string): Question => ({ ask: "path", path });
    const end = await replayLook(checkHost(), program, {
      context,
      observations: [
        { question: asked("/a"), answer: why("first") },
        { question: asked("/b"), answer: why("only") },
        { question: asked("/a"), answer: why("second") },
      ],
    });
    const none = "the record does not hold this question";
    expect(end).toMatchObject({ result: { facts: { seen: `first,only,second,second,${none}`, time: "1000" } } });
  });
});
