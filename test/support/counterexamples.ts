import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { History } from "../model/history.ts";

const counterexamplesFolder = join(import.meta.dirname, "../model/counterexamples");

export interface Counterexample {
  readonly name: string;
  /** What the check of its time said of it, and what was true; empty for one that was only dropped into the folder. */
  readonly wrong: readonly string[];
  readonly history: History;
}

/**
 * The histories on which the check was once wrong, by name. A file SYSTEM-PROVIDER.json is a list of them; any other .json file is one
 * history as `npm run soak -- --keep FOLDER` writes it, and is named for its file.
 */
export function readCounterexamples(folder = counterexamplesFolder): ReadonlyMap<string, Counterexample> {
  const all = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => counterexamplesIn(basename(file, ".json"), readFileSync(join(folder, file), "utf8")));
  const byName = new Map(all.map((one) => [one.name, one]));
  const twice = all.find((one) => byName.get(one.name) !== one);
  if (twice !== undefined) throw new Error(`${folder} holds two counterexamples with the name ${twice.name}`);
  return byName;
}

function counterexamplesIn(file: string, text: string): readonly Counterexample[] {
  const read = JSON.parse(text) as readonly Counterexample[] | History;
  return isList(read) ? read : [{ name: file, wrong: [], history: read }];
}

function isList(read: readonly Counterexample[] | History): read is readonly Counterexample[] {
  return Array.isArray(read);
}
