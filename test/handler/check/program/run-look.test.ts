import { expect, test } from "@jest/globals";
import { loadProgram } from "../../../../handler/check/program/load-program.ts";
import { runLook, type LookEnd } from "../../../../handler/check/program/run-look.ts";
import type { LookContext } from "../../../../scripts/check/look.ts";
import type { Answer, Question } from "../../../../scripts/check/questions.ts";
import { checkHost } from "../../../support/check-host.ts";
import { checkProgram } from "../../../support/check-program.ts";

const context: LookContext = { system: "linux", provider: "auto", elapsedMs: 0, timeoutMs: 1000, memory: {} };
const said = `{ verdict: "not-yet", stage: "one", providers: [], running: [], remarks: [], facts: {}, nextLookMs: 1000, decidedBy: [], memory: {} }`;

interface Options {
  readonly answer?: (question: Question) => Promise<Answer>;
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

async function lookWith(source: string, options: Options = {}): Promise<LookEnd> {
  const program = loadProgram(source, { limitMs: 200 });
  return runLook({
    host: checkHost(),
    program,
    context,
    answer: options.answer ?? (() => Promise.resolve({ kind: "cannot-tell", why: "test" })),
    limitMs: options.limitMs ?? 10_000,
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
  ["a step that does not return", checkProgram("for (;;);"), "timed out after 200ms"],
  [
    "a promise that does not return",
    checkProgram("Promise.resolve().then(() => { for (;;); }); yield [];"),
    "timed out",
  ],
  ["a program that does not load", "for (;;);", "timed out after 200ms"],
])("%s has no answer, and the look says why", async (_, source, why) => {
  expect(await lookWith(source)).toMatchObject({ kind: "no-result", why: expect.stringContaining(why) as unknown });
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
