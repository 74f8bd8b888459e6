import { expect, test } from "@jest/globals";
import { reasonOfCause } from "../../../handler/diagnosis/causes.ts";
import { show } from "./show-anew.ts";
import { buildRules } from "../../../scripts/dev/build-rules.ts";
import { userMessages } from "../../support/user-messages.ts";
import { isSeen } from "./disguises.ts";
import { readHarmlessForms, readSecretForms } from "./read-forms.ts";

const forms = readSecretForms(20261123);
const groups = [...Map.groupBy(forms, ({ group }) => group)];

test("the forms of secrets are at least 2,917, each once", () => {
  // That these are the shown ones and no others is held below.
  const known = forms.filter(({ group }) => group.startsWith("Known"));
  process.stdout.write(`of ${String(forms.length)} forms of secrets, ${String(known.length)} are shown
`);
  expect(forms.length).toBeGreaterThanOrEqual(2917);
  expect(new Set(forms.map(({ form }) => form)).size).toBe(forms.length);
});

test.each(groups)("no secret is seen, unless that is known, of: %s", (group, own) => {
  const shown = own.filter(({ text, secrets }) => isSeenOf(secrets, show(text))).map(({ form }) => form);
  expect(shown).toEqual(group.startsWith("Known") ? own.map(({ form }) => form) : []);
});

function isSeenOf(secrets: readonly string[], shown: string): boolean {
  return secrets.some((secret) => isSeen(secret, shown));
}

/** What editors, pages and chats make of what was typed. */
const typeset: readonly (readonly [string, (text: string) => string])[] = [
  [
    "quotes",
    (text) => text.replaceAll(/"([^"\n]*)"/gu, "\u201c$1\u201d").replaceAll(/'([^'\n]*)'/gu, "\u2018$1\u2019"),
  ],
  ["blanks", (text) => text.replaceAll(" ", "\u00a0")],
];

test.each(typeset)("the same secrets are hidden in text whose %s an editor changed", (_, change) => {
  const known = forms.filter(({ group }) => group.startsWith("Known"));
  const shown = forms.filter(({ text, secrets }) => isSeenOf(secrets, show(change(text)))).map(({ form }) => form);
  expect(shown).toEqual(known.map(({ form }) => form));
});

/** What whoever shows a log puts before each of its lines. */
const marked: readonly (readonly [string, (line: string, at: number) => string])[] = [
  ["a number", (line, at) => `${String(at + 7)}: ${line}`],
  ["a number and a tab", (line, at) => `${String(at + 7)}\t${line}`],
  ["a quotation's sign", (line) => `> ${line}`],
  ["the journal's time and program", (line) => `Nov 21 03:14:07 cp-0 cloud-init[901]: ${line}`],
  ["Packer's machine", (line) => `==> azure-arm.ubuntu: ${line}`],
  ["Packer's machine and the journal's program", (line) => `==> azure-arm.ubuntu: cloud-init[901]: ${line}`],
  ["Terraform's resource", (line) => `module.node[0].null_resource.join (remote-exec): ${line}`],
  ["Compose's container", (line) => `server-1  | ${line}`],
];

test.each(marked)("no secret is seen, unless that is known, where %s stands before each line", (_, mark) => {
  const secret = forms.filter(({ group }) => !group.startsWith("Known"));
  const shown = secret.filter(({ text, secrets }) => isSeenOf(secrets, show(text.split("\n").map(mark).join("\n"))));
  expect(shown.map(({ form }) => form)).toEqual([]);
});

test.each(groups)("what is shown stays as it is when it is shown again, of: %s", (_group, own) => {
  const again = own.map(({ text }) => show(text)).map((once) => [once, show(once)] as const);
  expect(again.filter(([once, twice]) => once !== twice)).toEqual([]);
});

const harmless = readHarmlessForms();

test("what an operator needs stays as it is, in at least 916 lines", () => {
  expect(harmless.length).toBeGreaterThanOrEqual(916);
  expect(harmless.filter((text) => show(text) !== text).map((text) => [text, show(text)])).toEqual([]);
});

test("our own sentences, read again from a status or a report, stay as they are", async () => {
  const ruleSet: unknown = JSON.parse(await buildRules());
  const sentences = [
    ...textsOf(ruleSet),
    ...(await userMessages()).flatMap(({ status }) => [status.message, ...textsOf(status)]),
    ...Object.keys(reasonOfCause),
  ].filter((text) => text.length < 2000 && !/<redacted:|\\|\{\w+[|}]/.test(text));
  expect(sentences.length).toBeGreaterThan(500);
  expect([...new Set(sentences)].filter((text) => show(text) !== text).map((text) => [text, show(text)])).toEqual([]);
});

/** Every text with a blank in it: sentences, not ids and not patterns. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return value.includes(" ") ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
