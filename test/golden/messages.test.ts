import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { explain } from "../../handler/explain/explain.ts";
import { anySchema } from "../support/schema-validator.ts";
import { userMessages, type UserMessage } from "../support/user-messages.ts";

const golden = join(import.meta.dirname, "messages.golden.txt");
const statusSchema = join(import.meta.dirname, "..", "..", "manifests", "status.schema.json");

let messages: readonly UserMessage[] = [];
beforeAll(async () => {
  messages = await userMessages();
});

describe("every message that a user can see", () => {
  test("stands in the golden file (UPDATE_GOLDEN=1 npm test -- test/golden writes it again)", async () => {
    const text = messages
      .map(({ name, status }) => `## ${name}\n${status.kind} ${String(status.code)}\n${status.message}\n`)
      .join("\n");
    if (process.env["UPDATE_GOLDEN"] === "1") await writeFile(golden, text);
    expect(text).toBe(await readFile(golden, "utf8"));
  });

  test("has a first line of at most 200 characters that begins with the verdict", () => {
    const beginnings = [
      /^Waiting for bootstrap: [a-z]/,
      /^Bootstrapped in \d+ s/,
      /^Bootstrap reported, not judged: \S/,
      /^Bootstrap failed \([A-Z][A-Za-z]+\) (?:in|after) [^:]{2,60} s: \S/,
      /^Bootstrap not checked \([A-Z][A-Za-z]+\): \S/,
    ];
    const wrong = messages
      .map(firstLineOf)
      .filter((line) => line.length > 200 || !beginnings.some((beginning) => beginning.test(line)));
    expect(wrong).toEqual([]);
  });

  test("tells of a failure what happened and what to do next, in the first line and whole below it", () => {
    const failures = messages.filter(
      ({ status }) => status.message.startsWith("Bootstrap failed") || status.message.startsWith("Bootstrap not"),
    );
    const wrong = failures.filter((message) => {
      const line = firstLineOf(message);
      const [happened = "", next = ""] = line.slice(line.indexOf(": ") + 2).split(/[.…] Next: /u);
      const body = message.status.message.split("\n").find((text) => text.startsWith("Next: ")) ?? "";
      return (
        happened.length < 12 || next.length < 8 || !/[.…]$/u.test(line) || !body.endsWith(".") || body.endsWith("..")
      );
    });
    expect(wrong.map(firstLineOf)).toEqual([]);
  });

  test("has no empty text, no unfilled place, no double full stop and no value of a programming language", () => {
    const flaws = ["undefined", "null ", "NaN", "[object", "(not named)", "${", ".. ", ": .", ": : ", "|"];
    const texts = messages.flatMap(({ status }) => [
      status.message,
      ...status.substatuses.flatMap((s) => [s.name, s.message]),
    ]);
    expect(texts.filter((text) => text.trim() === "")).toEqual([]);
    expect(
      messages
        .filter(({ status }) => flaws.some((flaw) => ownWords(status.message).includes(flaw)))
        .map(({ name }) => name),
    ).toEqual([]);
  });

  test("uses no word that only we know", () => {
    const jargon =
      /\b(?:supervis\w+|aftercare|sequence number|mrseq|substatus|finding|evaluat\w+|matcher|bundle\.json|handler's state|detach\w*)\b/i;
    // Codes below zero are about the extension itself, and go to its makers.
    const forUsers = messages.filter(({ status }) => status.code >= 0);
    const found = forUsers.flatMap(({ name, status }) => {
      const word = jargon.exec(firstLineOf({ name, status }))?.[0];
      return word === undefined ? [] : [`${name}: ${word}`];
    });
    expect(found).toEqual([]);
  });

  test("never blames the extension for what the node did", () => {
    expect(
      messages.filter(({ status }) => /extension (?:has )?failed|enable failed/i.test(ownWords(status.message))),
    ).toEqual([]);
  });

  test("carries substatuses that fit the published schema, and a clarification with the same code when it is an error", async () => {
    const schema: unknown = JSON.parse(await readFile(statusSchema, "utf8"));
    const validate = anySchema(typeof schema === "object" && schema !== null ? schema : {});
    for (const { name, status } of messages) {
      const parts = status.substatuses.filter((substatus) => substatus.name.startsWith("Bootstrap"));
      const decoded: unknown = Object.fromEntries(parts.map((part) => [part.name, JSON.parse(part.message)]));
      expect([name, validate(decoded)]).toEqual([name, []]);
      const clarification = status.substatuses.find((substatus) => substatus.name === "ErrorClarification");
      expect([name, clarification?.code]).toEqual([name, status.kind === "error" ? status.code : undefined]);
    }
  });
});

test("every message is explained from its text alone as its own substatus tells it", async () => {
  for (const { name, status } of messages) {
    const substatus = status.substatuses.find((part) => part.name === "BootstrapVerdict")?.message;
    if (substatus === undefined) continue;
    const verdict: unknown = JSON.parse(substatus);
    const explanation = await explain(status.message);
    if (explanation.kind !== "explained" || !isObject(verdict)) throw new Error(`${name} is not understood`);
    const { outcome, reason, stage, elapsedSeconds } = explanation.answers[0] ?? {};
    // Neither text tells a time that has no deadline beside it.
    const isUntimed = outcome === "not-checked" || (outcome === "waiting" && verdict["timeoutSeconds"] === undefined);
    const read = { outcome, reason, stage, elapsedSeconds: isUntimed ? undefined : elapsedSeconds };
    const told = {
      outcome: verdict["outcome"],
      reason: verdict["reason"],
      stage: verdict["stage"],
      elapsedSeconds: isUntimed ? undefined : verdict["elapsedSeconds"],
    };
    expect([name, read]).toEqual([name, told]);
  }
});

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

test("the published schema refuses a verdict of another shape", async () => {
  const schema: unknown = JSON.parse(await readFile(statusSchema, "utf8"));
  const validate = anySchema(typeof schema === "object" && schema !== null ? schema : {});
  const substatus = messages.find(({ name }) => name === "bootstrapped")?.status.substatuses[0]?.message ?? "{}";
  const good: unknown = JSON.parse(substatus);
  expect(validate({ BootstrapVerdict: good })).toEqual([]);
  for (const change of [
    { outcome: "perhaps" },
    { schemaVersion: 2 },
    { code: "0" },
    { time: "yesterday" },
    { providers: null },
  ]) {
    expect(validate({ BootstrapVerdict: Object.assign({}, good, change) })).not.toEqual([]);
  }
  expect(validate({ BootstrapDiagnosis: { schemaVersion: 1, kind: "classified", others: [] } })).not.toEqual([]);
});

function firstLineOf({ status }: UserMessage): string {
  return status.message.split("\n")[0] ?? "";
}

/** Without what is quoted from logs and commands. */
function ownWords(message: string): string {
  const output = message.search(/^\[std(?:out|err)\]$/m);
  const told = output === -1 ? message : message.slice(0, output);
  return told
    .split("\n")
    .filter((line) => !line.startsWith("  "))
    .join("\n");
}
