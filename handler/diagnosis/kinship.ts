import type { Cause } from "./causes.ts";
import type { ErrorLine } from "./error-lines.ts";
import { kinshipTable } from "./kinship-table.ts";
import { kindsOf } from "./reading/kinds.ts";
import { readStatement, type Statement } from "./reading/statement.ts";
import { subjectsOf } from "./reading/subjects.ts";

/** "none": what looks like a failure and is none. */
export type Kin = Cause | "none";

/** The cause whose words the lines share, where one is clearly nearer than the next. */
export interface Kinship {
  readonly cause: Kin;
  /** How much nearer than the next cause. */
  readonly lead: number;
  /** Words by which it was found. */
  readonly words: number;
}

/** Too frequent to tell anything. */
const fillers = new Set(
  "the of to and in is at on for with be by it that this was are as or from has have if you your its can will so but which what when we msg err error time level info warning warn mar node".split(
    " ",
  ),
);

/** Ports and status codes that stand for who was spoken to and what was answered; other numbers say nothing. */
const tellingNumbers = new Set(
  "53 80 124 137 401 403 404 407 429 443 500 502 503 504 2379 2380 3988 6443 9345 10248 10250 16443 22623 25000".split(
    " ",
  ),
);

/** Words of a message by which it is compared: its own, in their ground form, with kind, subject and program as reading knows them. */
export function wordsOf({ message, program }: Pick<Statement, "message" | "program">): ReadonlySet<string> {
  const plain = message
    .replaceAll("169.254.169.254", " imds ")
    .replaceAll("168.63.129.16", " wireserver ")
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/gu, " ")
    .toLowerCase();
  const said = (plain.match(/[a-z]{2,24}|\d{2,5}/gu) ?? []).filter((word) => isTelling(word)).map(groundForm);
  return new Set([
    ...said,
    ...kindsOf(message).map(({ kind }) => `k:${kind}`),
    ...subjectsOf(message).map((subject) => `s:${subject}`),
    ...(program === undefined ? [] : [`@${program}`]),
  ]);
}

/** Not a piece of an identifier: "fada", "cafe" are as often hexadecimal as words. */
function isTelling(word: string): boolean {
  return /\d/u.test(word) ? tellingNumbers.has(word) : !fillers.has(word) && !/^[a-f]{3,}$/u.test(word);
}

function groundForm(word: string): string {
  return word.length > 4 ? word.replace(/ies$/u, "y").replace(/(?<=[a-z]{3})(?:ing|ed|es|s|e)$/u, "") : word;
}

export interface Table {
  readonly causes: readonly Kin[];
  readonly words: string;
}

interface Weights {
  readonly causes: readonly Kin[];
  /** By word: how often each cause has it, and how often all have it. */
  readonly times: ReadonlyMap<string, { readonly of: ReadonlyMap<number, number>; readonly all: number }>;
  /** Words of each cause, and of all. */
  readonly sizes: readonly number[];
  readonly size: number;
}

/** How often a cause has a word that it has never been seen with. */
const unseen = 0.1;

/** Of each word "kubelet:0*3,1": the numbers of its causes and, where it is more than one, how often each has it. */
export function readTable({ causes, words }: Table): Weights {
  const times = new Map<string, { readonly of: ReadonlyMap<number, number>; readonly all: number }>();
  const sizes = causes.map(() => 0);
  for (const entry of words.split(/\s+/u)) {
    const colon = entry.lastIndexOf(":");
    const pairs = entry.slice(colon + 1).split(",");
    const of = new Map(pairs.map((pair) => readPair(pair)));
    for (const [cause, count] of of) sizes[cause] = (sizes[cause] ?? 0) + count;
    times.set(entry.slice(0, colon), { of, all: sum(of.values()) });
  }
  return { causes, times, sizes, size: sum(sizes) };
}

function readPair(pair: string): readonly [number, number] {
  const [cause = "", count = "1"] = pair.split("*");
  return [Number(cause), Number(count)];
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}

/** Multinomial naive Bayes of each cause against all others; divided by the root of the words, so that many do not mean certainty. */
export function nearest(words: ReadonlySet<string>, weights: Weights): Kinship | undefined {
  const known = [...words].flatMap((word) => weights.times.get(word) ?? []);
  const vocabulary = weights.times.size * unseen;
  const scores = weights.causes.map((cause, index) => {
    const size = weights.sizes[index] ?? 0;
    const base = Math.log(weights.size - size + vocabulary) - Math.log(size + vocabulary);
    const total = sum(
      known.map(({ of, all }) => {
        const times = of.get(index) ?? 0;
        return base + Math.log(times + unseen) - Math.log(all - times + unseen);
      }),
    );
    return { cause, score: total / Math.sqrt(Math.max(1, known.length)) };
  });
  const [best, next] = scores.toSorted((a, b) => b.score - a.score);
  if (best === undefined || next === undefined) return undefined;
  return { cause: best.cause, lead: best.score - next.score, words: known.length };
}

let weights: Weights | undefined;

/** What lines are about that neither a rule nor their form explains. */
export function kinOf(lines: readonly ErrorLine[]): Kinship | undefined {
  weights ??= readTable(kinshipTable);
  const words = lines.flatMap(({ whole, source }) => [...wordsOf(readStatement(whole, source))]);
  return nearest(new Set(words), weights);
}
