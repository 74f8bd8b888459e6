import { readFileSync } from "node:fs";
import { join } from "node:path";
import { randomFrom } from "../../model/random.ts";

/** A form of secret-forms.txt with invented values in it. */
export interface SecretForm {
  readonly group: string;
  /** As the table has it. */
  readonly form: string;
  readonly text: string;
  readonly secrets: readonly string[];
}

type Random = () => number;

/** The forms of the table; the same seed makes the same values. */
export function readSecretForms(seed: number): readonly SecretForm[] {
  const random = randomFrom(seed);
  let group = "";
  return linesOf("secret-forms.txt").flatMap((line) => {
    if (line.startsWith("## ")) group = line.slice(3);
    return line === "" || /^##? /.test(line) ? [] : [{ group, form: line, ...fill(line, random) }];
  });
}

const valueMark = /«[a-z0-9]+»/gi;

/**
 * The forms of one line with one secret, for generate-secrets.ts; without those that are told by their whole line, which a prefix or
 * a literal takes apart.
 */
export function formTemplates(): readonly FormTemplate[] {
  return readSecretForms(1)
    .filter(({ group, form, secrets }) => !/^(?:Known|Told)/.test(group) && !form.includes("⏎") && secrets.length === 1)
    .map(({ form, text, secrets }) => {
      const what = form.match(valueMark)?.[0].slice(1, -1) ?? "";
      return { make: (random) => valueOf(what, random), around: (secret) => text.split(secrets[0] ?? "").join(secret) };
    });
}

interface FormTemplate {
  readonly make: (random: Random) => string;
  readonly around: (secret: string) => string;
}

/** The lines of readable-forms.txt, which hold no secret. */
export function readHarmlessForms(): readonly string[] {
  return linesOf("readable-forms.txt")
    .filter((line) => line !== "" && !/^##? /.test(line))
    .map((line) => line.replaceAll("⏎", "\n"));
}

function linesOf(file: string): readonly string[] {
  return readFileSync(join(import.meta.dirname, file), "utf8").split("\n");
}

function fill(form: string, random: Random): { readonly text: string; readonly secrets: readonly string[] } {
  const secrets: string[] = [];
  const fillLine = (line: string) => {
    const indent = line.slice(0, line.length - line.trimStart().length);
    return line.replaceAll(/«([a-zA-Z0-9]+)(:keep)?»/g, (_whole, what: string, kept?: string) => {
      const value = valueOf(what, random);
      if (kept === undefined) secrets.push(...value.split("\n"));
      return value.replaceAll("\n", `\n${indent}`);
    });
  };
  const text = form.split("⏎").map(fillLine).join("\n");
  return { text, secrets };
}

/** What begins like a flag would be one; and one in thirty of short values has no digit, by which a few of the patterns tell it from a word. */
function likely(value: string): string {
  const unflagged = value.replace(/^-/, "A");
  return /^(?=.*[a-z])[A-Za-z]{12,43}$/.test(unflagged) ? `${unflagged.slice(0, 3)}7${unflagged.slice(4)}` : unflagged;
}

const lower = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const letters = lower + lower.toUpperCase();
/** By the letter in front of a length. */
const alphabets: Readonly<Record<string, string>> = {
  h: `${digits}abcdef`,
  H: `${digits}ABCDEF`,
  b: `${letters}${digits}+/`,
  B: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  u: `${letters}${digits}-_`,
  a: letters + digits,
  A: lower.toUpperCase() + digits,
  l: lower + digits,
  c: `${letters}${digits}./`,
  d: digits,
};

function valueOf(what: string, random: Random): string {
  const named = namedValues[what];
  if (named !== undefined) return named(random);
  const alphabet = alphabets[what.slice(0, 1)];
  const length = Number(what.slice(1));
  if (alphabet === undefined || !(length > 0)) throw new Error(`No value is made for «${what}»`);
  return likely(some(random, alphabet, length));
}

const namedValues: Readonly<Record<string, (random: Random) => string>> = {
  w: wordOf,
  // As people choose them, without a digit.
  low: (random) => some(random, lower, 9),
  p: (random) =>
    `${some(random, letters, 2)}${some(random, `${letters}${digits}!#%*+-.=@^_~`, 9)}${some(random, "!#%*+@^~", 1)}4${some(random, letters, 2)}`,
  phrase: (random) => phraseOf(random).join(" "),
  words: (random) => phraseOf(random).join("-"),
  uuid: (random) => [8, 4, 4, 4, 12].map((length) => some(random, `${digits}abcdef`, length)).join("-"),
  jwt: (random) =>
    `eyJ${some(random, `${letters}${digits}-_`, 33)}.eyJ${some(random, `${letters}${digits}-_`, 90)}.${some(random, `${letters}${digits}-_`, 43)}`,
  cs: (random) => `${some(random, letters + digits, 3)}8Q~${some(random, `${letters}${digits}-_`, 34)}`,
  akia: (random) => `AKIA${some(random, lower.toUpperCase() + digits, 16)}`,
  kubeadm: (random) => `${some(random, lower + digits, 6)}.${some(random, lower + digits, 16)}`,
  basic: (random) => base64(`bob:${wordOf(random)}`),
  b64token: (random) => base64(wordOf(random)),
  b64secret: (random) => base64(`token=${wordOf(random)}\n`),
  pem2: pemOf(2),
  pem4: pemOf(4),
  pem6: pemOf(6),
};

/** As most people and programs make them: letters and digits. */
function wordOf(random: Random): string {
  return `${some(random, letters, 1)}${some(random, letters + digits, 8 + Math.floor(random() * 8))}7${some(random, lower, 1)}${some(random, lower.toUpperCase(), 1)}`;
}

const plainWords = "amber canyon otter violin marble harbor thistle lantern copper walnut meadow pepper".split(" ");

function phraseOf(random: Random): readonly string[] {
  return Array.from({ length: 4 }, () => plainWords[Math.floor(random() * plainWords.length)] ?? "");
}

function pemOf(lines: number): (random: Random) => string {
  return (random) =>
    Array.from({ length: lines }, (_unused, index) =>
      some(random, alphabets["b"] ?? "", index === lines - 1 ? 36 : 64),
    ).join("\n");
}

function some(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)] ?? "").join("");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
