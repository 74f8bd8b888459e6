import { expect, test } from "@jest/globals";
import { redactLines } from "../../../handler/text/redact.ts";
import { show } from "../../../handler/text/shown-text.ts";

const key = "MIIB0123456789abcdef";
const digits = "0123456789abcdef".repeat(4);

/** A line each: what stands in the log, and what may be shown of it. */
function expectLines(rows: readonly (readonly [string, string])[]): void {
  const shown = rows.map(([, line]) => line).join("\n");
  expect(show(rows.map(([given]) => given).join("\n"))).toBe(shown);
}

test("the list below chpasswd hides each password up to the end of the list", () => {
  expectLines([
    ["chpasswd:", "chpasswd:"],
    ["  list: |", "  list: |"],
    ["    root:Zx9Qw7Lm", "    root:<redacted:password>"],
    ["", ""],
    ["    - 'bob:two words", "    - 'bob:<redacted:password>"],
    ["    - expire: false", "    - expire: false"],
    ["user:Zx9Qw7Lm", "user:Zx9Qw7Lm"],
    ["  root:Zx9Qw7Lm", "  root:Zx9Qw7Lm"],
  ]);
});

test.each(["not chpasswd:", "chpasswd: false"])("a line that only mentions chpasswd begins no list: %s", (line) => {
  expect(show(`${line}\n  root:plain`)).toBe(`${line}\n  root:plain`);
});

test.each(["password: |", "  password: |", "- 'password': >-", '  - "password": |2  ', "db.password:   |+"])(
  "every line of a block is hidden up to the first that is indented no more: %s",
  (head) => {
    expectLines([
      [head, head],
      ["      Zx9 Qw7Lm", "      <redacted:secret>"],
      ["", ""],
      ["       more", "       <redacted:secret>"],
      ["a: b", "a: b"],
      ["      plain", "      plain"],
    ]);
  },
);

test("a block's head itself, in the place of a line of the block, ends it", () => {
  expectLines([
    ["  password: |", "  password: |"],
    ["    Zx9", "    <redacted:secret>"],
    ["  plain: |", "  plain: |"],
    ["    text", "    text"],
  ]);
});

test("a binary block is hidden as any other", () => {
  expect(redactLines("password: !!binary  |\n  Zx9 Qw7").split("\n").at(-1)).toBe("  <redacted:secret>");
});

test.each(["content: |", "note password: | and more", "x password: |"])("this begins no secret block: %s", (head) => {
  expect(show(`${head}\n  plain text`)).toBe(`${head}\n  plain text`);
});

test("a name at the end of its line hides the one word below it, also behind empty lines, and nothing after", () => {
  expectLines([
    ["Password:", "Password:"],
    ["   ", "   "],
    ["  Zx9Qw7Lm", "  <redacted:password>"],
    ["Zx9Qw7Lm", "Zx9Qw7Lm"],
  ]);
});

test.each(["usual words", "short", "word", "name: Zx9Qw7Lm", "[section9]", "<redacted:token>"])(
  "what is no single odd word below a name stays: %s",
  (below) => {
    expect(show(`Password:\n  ${below}\nZx9Qw7Lm`)).toBe(`Password:\n  ${below}\nZx9Qw7Lm`);
  },
);

test.each([
  ["- name: API_TOKEN", "  value: Zx9Qw7Lm", "  value: <redacted:token>"],
  ["- name: 'API_TOKEN'", "  value: 'Zx9Qw7Lm' # why", "  value: '<redacted:token>' # why"],
  ['  "name": "API_TOKEN",', '  "value": "Zx9Qw7Lm",', '  "value": "<redacted:token>",'],
  ['"name":"API_TOKEN"', '"value":Zx9Qw7Lm', '"value":<redacted:token>'],
  ["- name: API_TOKEN", "  value:Zx9Qw7Lm", "  value:<redacted:token>"],
  ["<ApiToken>", "  <Value>Zx9Qw7Lm</Value>", "  <Value><redacted:token></Value>"],
  ["the API_TOKEN =", "  Zx9Qw7Lm", "  <redacted:token>"],
  ['| "API_TOKEN": "', "  Zx9Qw7Lm", "  <redacted:token>"],
  ["- name: PLAIN", "  value: Zx9Qw7Lm", "  value: Zx9Qw7Lm"],
  ["my name: API_TOKEN", "  value: x9", "  value: x9"],
])("what stands below %s is hidden where it is a secret's value", (above, below, shown) => {
  expect(show(`${above}\n${below}`)).toBe(`${above}\n${shown}`);
});

test("a certificate key below its announcement is hidden behind a log's prefix; other digests stay", () => {
  expect(show(`Using certificate key:\n[upload] ${digits} end`)).toBe(
    "Using certificate key:\n[upload] <redacted:certificate-key> end",
  );
  expect(show(`Using secret key:\n[upload] ${digits} end`)).toContain(digits);
  expect(show(`Using certificate key:\n[upload] none`)).toBe("Using certificate key:\n[upload] none");
});

test("what stands before and behind a private key is still shown, and still searched", () => {
  expect(show(`a -----BEGIN RSA PRIVATE KEY-----${key}-----END RSA PRIVATE KEY----- z`)).toBe(
    "a <redacted:private-key> z",
  );
  expectLines([
    [`token=Zx9Qw7Lm -----BEGIN RSA PRIVATE KEY-----${key}`, "token=<redacted:token> <redacted:private-key>"],
    ["any text", "<redacted:private-key>"],
    [`${key}-----END RSA PRIVATE KEY----- password=Zx9Qw7Lm`, "<redacted:private-key> password=<redacted:password>"],
    ["any text", "any text"],
  ]);
});

test("a private key whose begin was cut off is hidden from its first line of base64 to its end, and no further", () => {
  expectLines([
    ["some words", "some words"],
    [`[out]: ${key}`, "[out]: <redacted:private-key>"],
    [`${key}==`, "<redacted:private-key>"],
    ["-----END RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"],
    [key, key],
  ]);
  expect(show(`${key}\n-----END RSA PRIVATE KEY-----`)).not.toContain(key);
});

test("base64 above the begin of a key, and base64 without any key, stays", () => {
  expect(show(`${key}\n-----BEGIN RSA PRIVATE KEY-----\nx`)).toContain(key);
  expect(show(`${key}\n${key}`)).toBe(`${key}\n${key}`);
});

test("base64 further above a cut key's end than any key is long stays", () => {
  const lines = show(`${`${key}\n`.repeat(300)}-----END PRIVATE KEY-----`).split("\n");
  expect(lines.filter((line) => line === key)).toHaveLength(40);
});

test("a key that never ends is given up after as many lines as the longest key has", () => {
  const lines = show(`-----BEGIN PRIVATE KEY-----${"\nplain words".repeat(300)}`).split("\n");
  expect(lines.filter((line) => line === "plain words")).toHaveLength(41);
});

test("what a line names as secret is hidden in the lines that use it without its name, an id that may be anybody's is not", () => {
  expectLines([
    ["+ mysqladmin ping q7Rw2mXk9TzB", "+ mysqladmin ping <redacted:password>"],
    ["+ DB_PASS=q7Rw2mXk9TzB", "+ DB_PASS=<redacted:password>"],
    ["+ /opt/app/setup prod q7Rw2mXk9TzB eu", "+ /opt/app/setup prod <redacted:password> eu"],
    ["+ APP_SECRET=worker-1", "+ APP_SECRET=<redacted:secret>"],
    ["+ ping worker-1", "+ ping worker-1"],
  ]);
});
