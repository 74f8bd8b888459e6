import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { check } from "../../scripts/check/check.ts";
import { readCounterexamples } from "../support/counterexamples.ts";
import type { History } from "./history.ts";
import { play } from "./play.ts";
import { historiesOfPart, kindOfFault, simplestOf, soak, type SoakCounts } from "./soak.ts";
import { digestOfSources, noTotals, readTotals, type SoakTotals, withPart, writeTotals } from "./soak-totals.ts";
import { storyOf } from "./story.ts";

/**
 * npm run soak -- [histories [seed]] [--totals FILE] [--keep FOLDER]
 * npm run soak -- --tell NAME
 *
 * Plays many histories against the check, counts them by kind, and ends with 1 if one was wrong. With --totals the counts are written after
 * each part of 1,000 and a run that was ended goes on where it was; only with the same sources and seed. The first history of each kind of
 * fault is made as small as it can be and told, and kept in the folder if one is named. With --tell: how a kept counterexample lives.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { totals: { type: "string" }, keep: { type: "string" }, tell: { type: "string" } },
});
const histories = Number(positionals[0] ?? "100000");
const seed = Number(positionals[1] ?? "1");

function run(): number {
  const told = new Set<string>();
  let totals = beginning();
  while (totals.histories < histories) {
    const numRuns = Math.min(historiesOfPart, histories - totals.histories);
    const begun = performance.now();
    const part = soak(check, { histories: numRuns, seed: seed + Math.floor(totals.histories / historiesOfPart) });
    totals = withPart(totals, part, (performance.now() - begun) / 1_000);
    if (values.totals !== undefined) writeTotals(values.totals, totals);
    tellFaults(part, told);
  }
  tell(totals);
  return totals.wrong === 0 ? 0 : 1;
}

function beginning(): SoakTotals {
  const sources = digestOfSources();
  const known = values.totals === undefined ? undefined : readTotals(values.totals);
  if (known === undefined) return noTotals(seed, sources);
  const cut = known.histories % historiesOfPart !== 0 && known.histories < histories;
  if (known.sources === sources && known.seed === seed && !cut) return known;
  const why = cut ? "its last part is not a whole one" : "it is of other sources or of another seed";
  throw new Error(`${values.totals ?? ""} cannot be gone on with: ${why}. Remove it to begin anew.`);
}

function write(text: string): void {
  process.stdout.write(text);
}

function tell(totals: SoakTotals): void {
  write(`Histories by system, provider and user data:\n${byCount(totals.kinds)}`);
  write(`\nHistories that reached each state:\n${byCount(totals.reached)}`);
  for (const system of ["linux", "windows"] as const) {
    write(`\nStages on ${system}:\n${byCount(totals.stages[system])}`);
    write(`\nReasons on ${system}:\n${byCount(totals.reasons[system])}`);
  }
  write(`\nWrong by kind:\n${byCount(totals.wrongKinds)}`);
  const { looks, wrong, seconds, sources } = totals;
  const rate = Math.round(totals.histories / Math.max(seconds, 1));
  write(
    `\n${String(totals.histories)} histories, ${String(looks)} looks, ${String(wrong)} wrong, ${seconds.toFixed(1)} s (${String(rate)} histories/s), seed ${String(seed)}, sources ${sources.slice(0, 12)}\n`,
  );
}

const byCount = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, times]) => `${String(times).padStart(8)}  ${name}\n`)
    .join("");

function tellFaults({ faults }: SoakCounts, told: Set<string>): void {
  for (const { history, fault } of faults) {
    if (told.has(kindOfFault(history, fault))) continue;
    told.add(kindOfFault(history, fault));
    const simplest = simplestOf(check, history, fault);
    const story = storyOf(simplest.history, simplest.fault);
    write(`\n${story}\n`);
    if (values.keep !== undefined)
      keep(values.keep, kindOfFault(simplest.history, simplest.fault), { history: simplest.history, story });
  }
}

function keep(
  into: string,
  kind: string,
  { history, story }: { readonly history: History; readonly story: string },
): void {
  const name = kind
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .slice(0, 90)
    .replace(/-$/u, "");
  mkdirSync(into, { recursive: true });
  const path = newPath(join(into, name));
  writeFileSync(`${path}.json`, `${JSON.stringify(history, null, 2)}\n`);
  writeFileSync(`${path}.md`, story);
}

/** What was kept before stays: the same kind of fault has more than one cause. */
function newPath(path: string): string {
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? path : `${path}-${String(number)}`;
    if (!existsSync(`${numbered}.json`)) return numbered;
  }
}

/** What the check of its time said of a counterexample, what the machine of the present model lives through, and the verdict on it. */
function tellOf(name: string): number {
  const kept = readCounterexamples().get(name);
  if (kept === undefined) {
    process.stderr.write(`No counterexample in test/model/counterexamples is named ${name}.\n`);
    return 2;
  }
  const { fault, machine } = play(kept.history, check);
  write(`${[...kept.wrong, "", ...machine.story].join("\n")}\n\n`);
  write(fault === undefined ? "The check is right on it.\n" : `${storyOf(kept.history, fault)}\n`);
  return fault === undefined ? 0 : 1;
}

process.exitCode = values.tell === undefined ? run() : tellOf(values.tell);
