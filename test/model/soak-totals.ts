import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import type { SoakCounts } from "./soak.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const counts = v.record(v.string(), count);
const bySystem = v.strictObject({ linux: counts, windows: counts });

const soakTotals = v.strictObject({
  /** SHA-256 of the check's and the model's sources with which all of it was played. */
  sources: v.string(),
  /** Of the first part; each part of 1,000 histories has the next number. */
  seed: count,
  histories: count,
  looks: count,
  wrong: count,
  seconds: v.number(),
  /** By system, provider and user data. */
  kinds: counts,
  /** Histories that reached each kind of truth. */
  reached: counts,
  wrongKinds: counts,
  stages: bySystem,
  reasons: bySystem,
});

/** What the parts of a long run came to, added up; kept in a file, so that a run can be ended and gone on with. */
export type SoakTotals = v.InferOutput<typeof soakTotals>;

export function noTotals(seed: number, sources: string): SoakTotals {
  return {
    sources,
    seed,
    histories: 0,
    looks: 0,
    wrong: 0,
    seconds: 0,
    kinds: {},
    reached: {},
    wrongKinds: {},
    stages: { linux: {}, windows: {} },
    reasons: { linux: {}, windows: {} },
  };
}

/** The totals with one more part. */
export function withPart(totals: SoakTotals, part: SoakCounts, seconds: number): SoakTotals {
  const system = (name: "linux" | "windows", of: "stages" | "reasons"): Readonly<Record<string, number>> =>
    sum(totals[of][name], part[of].get(name) ?? new Map<string, number>());
  return {
    ...totals,
    histories: totals.histories + part.histories,
    looks: totals.looks + part.looks,
    wrong: totals.wrong + part.wrong,
    seconds: totals.seconds + seconds,
    kinds: sum(totals.kinds, part.kinds),
    reached: sum(totals.reached, part.reached),
    wrongKinds: sum(totals.wrongKinds, part.wrongKinds),
    stages: { linux: system("linux", "stages"), windows: system("windows", "stages") },
    reasons: { linux: system("linux", "reasons"), windows: system("windows", "reasons") },
  };
}

function sum(one: Readonly<Record<string, number>>, other: ReadonlyMap<string, number>): Record<string, number> {
  const total = new Map(Object.entries(one));
  for (const [name, times] of other) total.set(name, (total.get(name) ?? 0) + times);
  return Object.fromEntries([...total].sort(([name], [next]) => (name < next ? -1 : 1)));
}

/** Undefined where there is no such file; an error names what is wrong with one that is not ours. */
export function readTotals(path: string): SoakTotals | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  return v.parse(soakTotals, JSON.parse(text));
}

export function writeTotals(path: string, totals: SoakTotals): void {
  writeFileSync(`${path}.new`, `${JSON.stringify({ ...totals, seconds: Math.round(totals.seconds) }, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}

/** Which code was run: all sources of the check and of the model, without its tests and what only counts. */
export function digestOfSources(): string {
  const repository = join(import.meta.dirname, "../..");
  const digest = createHash("sha256");
  for (const folder of ["scripts/check", "test/model"]) {
    const names = readdirSync(join(repository, folder)).filter(isPlayed).sort();
    for (const name of names) digest.update(`${folder}/${name}\n`).update(readFileSync(join(repository, folder, name)));
  }
  return digest.digest("hex");
}

function isPlayed(name: string): boolean {
  return name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.startsWith("soak");
}
