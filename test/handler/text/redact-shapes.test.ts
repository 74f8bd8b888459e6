import { expect, test } from "@jest/globals";
import { show } from "./show-anew.ts";
import { readHarmlessForms, readSecretForms } from "./read-forms.ts";

type Shapes = typeof import("../../../handler/text/redact-shapes.ts");

let loaded = 0;
/** As a process has it that has not redacted anything yet. */
async function freshShapes(): Promise<Shapes> {
  loaded += 1;
  const path = `../../../handler/text/redact-shapes.ts?fresh=${String(loaded)}`;
  return (await import(path)) as Shapes;
}

/** Without the filter every line may hold a secret's name, also one without any word. */
const isFiltered = ({ redactShapes }: Shapes) => !redactShapes("a b").mayName;

test("the filter, which costs megabytes, is made for a long text, or for many short ones", async () => {
  const long = await freshShapes();
  long.expectText(16 * 1024 - 1);
  expect(isFiltered(long)).toBe(false);
  long.expectText(16 * 1024);
  expect(isFiltered(long)).toBe(true);
  const many = await freshShapes();
  for (let text = 0; text < 17; text++) many.expectText(15 * 1024);
  many.expectText(1023);
  expect(isFiltered(many)).toBe(false);
  many.expectText(1);
  expect(isFiltered(many)).toBe(true);
});

const shown = [...readSecretForms(20261127).map(({ text }) => text), ...readHarmlessForms()]
  .flatMap((text) => text.split("\n"))
  .filter((_, at) => at % 4 === 0);
const parts = Array.from({ length: 6 }, (_, part) => part);

test.each(parts)("a line looks the same with the filter and without it, part %i of every fourth form", async (part) => {
  const lines = shown.filter((_, at) => at % parts.length === part);
  const shapes = await freshShapes();
  const before = lines.map((line) => shapes.redactShapes(line).line);
  shapes.expectText(16 * 1024);
  expect(lines.map((line) => shapes.redactShapes(line).line)).toEqual(before);
});

const password = "<redacted:password>";

test.each([
  ["behind the flag", "redis-cli -a horses ping", `redis-cli -a ${password} ping`],
  ["each of several", "redis-cli -a horses x -a sunday", `redis-cli -a ${password} x -a ${password}`],
  ["in quotes, the whole", 'redis-cli -a "horses sunday" x', `redis-cli -a "${password}" x`],
  ["of another tool: nothing", "xredis-cli -a horses", "xredis-cli -a horses"],
  ["nothing behind a pipe", "redis-cli ping | ls -a horses", "redis-cli ping | ls -a horses"],
  [
    "of both commands, and nothing between them",
    "redis-cli -a horses ; ls -a sunday; redis-cli -a tuesday",
    `redis-cli -a ${password} ; ls -a sunday; redis-cli -a ${password}`,
  ],
  [
    "nothing between, where the first has none",
    "redis-cli ping; ls -a sunday; redis-cli -a tuesday",
    `redis-cli ping; ls -a sunday; redis-cli -a ${password}`,
  ],
  [
    "of two commands without an end between them",
    "redis-cli -a horses redis-cli -a sunday",
    `redis-cli -a ${password} redis-cli -a ${password}`,
  ],
  [
    "a value that names the tool, once, and what the named tool's command alone reaches",
    `redis-cli -a 'my redis-cli -a word'${" x".repeat(190)} -a sunday`,
    `redis-cli -a '${password}'${" x".repeat(190)} -a ${password}`,
  ],
  [
    "up to the last flag of a long command",
    `redis-cli ${"x ".repeat(199)}y -a horses`,
    `redis-cli ${"x ".repeat(199)}y -a ${password}`,
  ],
  ["nothing of a longer one", `redis-cli ${"x ".repeat(200)} -a horses`, `redis-cli ${"x ".repeat(200)} -a horses`],
  [
    "what is hidden, as it was, with what stands beside it",
    `curl -u bob:${password}, done`,
    `curl -u bob:${password}, done`,
  ],
  ["what is hidden already, as it was", `redis-cli -a ${password} x`, `redis-cli -a ${password} x`],
  [
    "the password alone, wherever else it stands",
    "redis-cli -a Kx7Qm2Wv9z\nstart Kx7Qm2Wv9z",
    `redis-cli -a ${password}\nstart ${password}`,
  ],
  [
    "… behind a name",
    "curl -u bob:Kx7Qm2Wv9z\nstart Kx7Qm2Wv9z",
    "curl -u bob:<redacted:basic-auth>\nstart <redacted:basic-auth>",
  ],
])("of a tool's command line is hidden %s", (...[, given, expected]) => {
  expect(show(given)).toBe(expected);
});

test("of a token that kubeadm refuses the reason is left", () => {
  const form = String.raw`"\A([a-z0-9]{6})\.([a-z0-9]{16})\z"`;
  const refused = (token: string, again: string) =>
    `discovery.bootstrapToken: Invalid value: "${token}": the bootstrap token "${again}" was not of the form ${form}`;
  expect(show(refused("abcdef.0123", "abcdef.0123"))).toBe(refused("<redacted:secret>", "<redacted:token>"));
});
