import { expect, test } from "@jest/globals";
import { looksMade, looksRandom, looksUnique } from "../../../handler/text/looks-made.ts";
import { isPlain } from "../../../handler/text/plain-values.ts";
import { longestPlain } from "../../../handler/text/redact-statements.ts";
import { closestWord } from "../../../handler/text/closest-word.ts";
import { hide } from "../../../handler/text/hidden-texts.ts";
import { show } from "./show-anew.ts";

/**
 * Lines in which ⟦ and ⟧ stand around what must be hidden, all of it and nothing else; without them the line stays as it is. The
 * kind of the secret is said once for each table.
 */
function marked(row: string, kind: string): { readonly given: string; readonly shown: string } {
  return { given: row.replaceAll(/[⟦⟧]/gu, ""), shown: row.replaceAll(/⟦[^⟧]*⟧/gu, `<redacted:${kind}>`) };
}

function hides(kind: string): (row: string) => void {
  return (row) => {
    const { given, shown } = marked(row, kind);
    expect(show(given)).toBe(shown);
  };
}

const password = hides("password");

test.each([
  'password: "⟦Zx9Qw7Lm and more⟧" then',
  "password: '⟦Zx9Qw7Lm''s tail⟧' then",
  "password='⟦it''s Zx9Qw7Lm⟧' then",
  `password="⟦a''Zx9Qw7Lm⟧" then`,
  "password=`⟦Zx9Qw7Lm⟧` next",
  "password: $'⟦Zx9Qw7Lm⟧' next",
  `"password": b'⟦Zx9Qw7Lm⟧' next`,
  'password="⟦Zx9Qw7Lm never closed⟧',
  "password=&quot;⟦Zx9Qw7Lm x⟧&quot; next=1",
  "password=&#34;⟦Zx9Qw7Lm never closed⟧",
  'password: [ "⟦Zx9Qw7Lm⟧", "x" ] then',
  'password="" then',
  'password="true" then',
])("a quoted value is hidden up to its own quote: %s", password);

test.each([
  '{"password":"⟦a\\"Zx9Qw7Lm⟧","next":1}',
  '{"password":"⟦a\\\\⟧","next":"Zx9Qw7Lm"}',
  '{\\"password\\":\\"⟦Zx9Qw7Lm⟧\\",\\"next\\":1}',
  '{\\"password\\":\\"⟦a\\\\\\"Zx9Qw7Lm⟧\\",\\"next\\":1}',
  '{\\\\"password\\\\":\\\\"⟦Zx9Qw7Lm⟧\\\\",\\\\"next\\\\":1}',
])("inside JSON, and JSON in JSON, an escaped quote ends nothing: %s", password);

test.each([
  "passwords: [⟦Zx9Qw7Lm, b2Zx9Qw7Lm⟧] then",
  "passwords: [⟦Zx9Qw7Lm, b2⟧",
  "passwords: [] then",
  "password=[true] then",
  "password=<⟦Zx9Qw7Lm⟧> then",
  "password: <⟦Zx9Qw7Lm⟧> then",
  "password=<none> then",
])("every value of a list, and a value in angle brackets, is hidden: %s", password);

test.each([
  "{password: ⟦Zx9Qw7Lm⟧, user: bob}",
  "{user: bob, password: ⟦Zx9Qw7Lm⟧ , port: 1}",
  "{ user: bob, 'x', password: ⟦Zx9Qw7Lm⟧\\nnext}",
  "password: ⟦Zx9Qw7Lm is long⟧",
  "  - password: ⟦Zx9Qw7Lm two words⟧  ",
  "[out] password: ⟦Zx9Qw7Lm two words⟧",
  "stdout>: password: ⟦Zx9Qw7Lm two words⟧",
  "| password: ⟦Zx9Qw7Lm two words⟧",
  "node: password: ⟦Zx9Qw7Lm⟧ two words",
  "password: ⟦Zx9Qw7Lm⟧\\nnext line",
  "\\tpassword: ⟦Zx9Qw7Lm two⟧",
  "\\npassword=⟦Zx9Qw7Lm⟧",
  "DB_PASSWORD=⟦Zx9Qw7Lm⟧; echo next",
  "a=1;password=⟦Zx9Qw7Lm⟧;b=2",
  "a=1;password=⟦Zx9Q;w7Lm⟧ b=2",
  "a=1&password=⟦Zx9Qw7Lm⟧&b=2",
  "user=bob,password=⟦Zx9Qw7Lm⟧,port=1",
  "user=bob,password=⟦Zx9Q,w7Lm⟧ port=1",
  "x password=⟦Zx9Qw7Lm⟧) then",
  "x (password=⟦Zx9Qw7Lm⟧). then",
  "password := ⟦Zx9Qw7Lm⟧ next",
  "password=⟦Zx9Qw7Lm⟧&amp;next=1",
  "export DB_PASSWORD=⟦Zx9Qw7Lm⟧\\nnext",
  'say "password=⟦Zx9Qw7Lm⟧" again',
])("a value without quotes is hidden up to where its line, its object or its word ends: %s", password);

test.each([
  "password=",
  "password=true",
  "password=NULL",
  "password=1234",
  "password=⟦12345⟧",
  "password=xxx",
  "password=*****",
  "password=$DB_PASSWORD",
  "password=${DB_PASSWORD}",
  "password=⟦$DB_PASSWORD1Zx9Qw7Lm⟧",
  "password=⟦Zx9$DB_PASSWORD⟧",
  "password=/etc/secret/file",
  "password=⟦/Zx9Qw7Lm/x⟧",
  "password=⟦x/etc/Zx9Qw7Lm⟧",
  "password=C:\\secret\\file",
  "PWD=/Zx9Qw7Lm",
  "OLDPWD=/Zx9Qw7Lm",
  "PWD=⟦Zx9Qw7Lm⟧",
  "DB_PWD=⟦/Zx9Qw7Lm⟧",
  "mypwd12=⟦Zx9Qw7Lm⟧",
  "password=<redacted:password>",
  "password: |",
])(
  "a switch, a small number, a variable and a path are no passwords, what only begins or ends like one is: %s",
  password,
);

test.each([
  "failed to read password: dial tcp",
  "error reading password: Permission denied",
  "the password: EOF",
  "cannot read password: https://x.example/y",
  "the password: ⟦permissionDenied9⟧ x",
  "open /etc/password=Zx9Qw7Lm",
  "cmdkey /pass:⟦Zx9Qw7Lm⟧",
  "/pass:⟦Zx9Qw7Lm⟧",
  "DB_PASSWORD -> ⟦Zx9Qw7Lm⟧ next",
  "--password ⟦Zx9Qw7Lm⟧ --next",
  '--password "⟦Zx9Qw7Lm x⟧" --next',
  '["--password","⟦Zx9Qw7Lm⟧"]',
  "--password --next",
])("a sentence and a path stay, a flag's and an arrow's value is hidden: %s", password);

test.each([
  "<a:Password>⟦Zx9Qw7Lm⟧</a:Password>",
  "<Password>true</Password>",
  "<Name>Zx9Qw7Lm</Name>",
  '<Password plain="1"><Value>⟦Zx9Qw7Lm⟧</Value></Password>',
  '{"name":"DB_PASSWORD","value":"⟦Zx9Qw7Lm⟧"}',
  '{"name":"PLAIN","value":"Zx9Qw7Lm"}',
  '{"name":"DB_PASSWORD","value":"true"}',
  '{"value":"⟦Zx9Qw7Lm⟧","name":"DB_PASSWORD"}',
  '{"value":"Zx9Qw7Lm","name":"PLAIN"}',
  '{"value":"true","name":"DB_PASSWORD"}',
  '{\\"name\\":\\"DB_PASSWORD\\",\\"value\\":\\"⟦Zx9Qw7Lm⟧\\"}',
  '<add key="DbPassword" value="⟦Zx9Qw7Lm⟧" />',
  '<property name="password">⟦Zx9Qw7Lm⟧</property>',
  "Password    REG_SZ    ⟦Zx9Qw7Lm⟧",
  "reg add X /v Password /t REG_SZ /d ⟦Zx9Qw7Lm⟧ /f",
  'setx DbPassword "⟦Zx9Qw7Lm⟧"',
  "| password | ⟦Zx9Qw7Lm⟧ |",
  "| status | Zx9Qw7Lm |",
  "| password | true |",
])("what XML, lists of names and values, the registry and tables say of a password is hidden: %s", password);

test.each([
  "DB_PASS=⟦Zx9Qw7Lm⟧",
  "DB_PASS2=⟦Zx9Qw7Lm⟧",
  "pass1: ⟦Zx9Qw7Lm⟧",
  "db_pw=⟦Zx9Qw7Lm⟧",
  "pw2=⟦Zx9Qw7Lm⟧",
  "pwd1234=Zx9Qw7Lm",
  "passage=Zx9Qw7Lm",
  "ab=Zx9Qw7Lm",
  "automountServiceAccountToken: Zx9Qw7Lm",
])("short names of passwords are known, also numbered ones, and words that only look like them are not: %s", password);

test.each([
  "  {name: x  ",
  "{'name': x",
  '{"name": x',
  "<redacted:join-token>",
  String.raw`<redacted:join-token>\n\\r`,
  "New-Object",
  "(Get-Credential)",
  ", next: 1",
  "{{ lookup('env', 'X') }}",
  "$(cat /run/x)",
  `/etc/${"x".repeat(longestPlain - 5)}`,
])("no secret stands in a value that is filled in, or in none: %s", (value) => {
  expect(isPlain(value)).toBe(true);
});

test.each([
  "x9{name: x",
  "<redacted:join-token>x9",
  "x9<redacted:token>",
  "x9New-Object",
  "Get-Credential9",
  "Zx9, next:",
  "{{ Zx9Qw7Lm2Vb4 }}",
  "{{Zx9Qw7Lm2Vb4}}",
  "{{ a = Zx9Qw7Lm2Vb4 }}",
  "$(cat x=Zx9Qw7Lm2Vb4)",
  "Zx9{{ a }}",
  "{{ a }}Zx9",
  `/etc/${"x".repeat(longestPlain - 4)}`,
])("what only holds such a value may be a secret: %s", (value) => {
  expect(isPlain(value)).toBe(false);
});

const long = "a1B".repeat(200);

test.each([
  [long, { made: true, unique: true, random: true }],
  [`${long}c`, { made: false, unique: false, random: false }],
  ["Zx9Qw7Lm2V", { made: true, unique: true, random: false }],
  ["Zx9Qw7Lm2", { made: true, unique: false, random: false }],
  [`base64:${long}`, { made: false, unique: false, random: true }],
  [`base64:${long}c`, { made: false, unique: false, random: false }],
  ["plain-words-only", { made: false, unique: false, random: false }],
  ["0123456789abcdef".repeat(2), { made: true, unique: false, random: true }],
])("a value that a machine made is told by its signs and its length: %s", (value, looks) => {
  expect({ made: looksMade(value), unique: looksUnique(value), random: looksRandom(value) }).toEqual(looks);
});

test.each([
  "password: invalid 2026-11-21T03:14:07Z",
  "password: invalid 2026-11-21T03:14:07",
  "password: ⟦invalid x2026-11-21T03:14:07Z⟧",
  "password: ⟦invalid 2026-11-21T03:14:07Zx9⟧",
  "password: invalid worker-md-0",
  "password: ⟦invalid 1worker-md-0⟧",
  "password: ⟦invalid worker-md-0#⟧",
  "password: ⟦invalid a-0123456789abcdef⟧",
  "password: ⟦invalid bob:hunter2⟧",
  "password: invalid bob:hunter",
  "password: ⟦invalid aBcdefgHij⟧",
  "password: invalid abcdefGhij",
  "password: invalid node-one..:",
  "password: ⟦invalid x.0123456789abcdez⟧",
  "password: invalid x.0123456789abcdez0",
])("behind a state stands what an operator looks for, or a secret: %s", password);

test.each([
  "password: ⟦start⟧",
  "password=⟦identity⟧",
  "db_password: '⟦rotate⟧'",
  "| admin | password | ⟦identity⟧ |",
  " user | password⏎------+----------⏎ app | ⟦prepare⟧",
  'secret_encryption: "aescbc"',
  "secretsEncryption=secretbox",
  "secrets-encryption: [aesgcm]",
])("a way to encrypt is no secret where the name speaks of encrypting, and only there: %s", (row) => {
  password(row.replaceAll("⏎", "\n"));
});

test("what is hidden already keeps its kind", () => {
  expect(hide("secret", "<redacted:join-token>")).toBe("<redacted:join-token>");
  expect(hide("secret", "<redacted:join-token>x")).toBe("<redacted:secret>");
});

test.each([
  ["TIMEOUTSECONDS", "timeoutSeconds"],
  ["timeoutSecnds", "timeoutSeconds"],
  ["timeout", undefined],
  ["mod", "mode"],
  ["mdoe", undefined],
  ["m".repeat(65), undefined],
])("the closest of the known words to %s is %s", (word, closest) => {
  expect(closestWord(word, ["mode", "node", "timeoutSeconds"])).toBe(closest);
});
