import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "../../scripts/check/check.ts";
import { kindOfFault, simplestOf, soak } from "./soak.ts";
import type { History } from "./history.ts";
import { storyOf } from "./story.ts";

/**
 * npm run soak [histories [seed [folder]]]: plays many histories against the check, counts them by kind, and ends with 1 if one was wrong.
 * The first history of each kind of fault is made as small as it can be and told, and kept in the folder if one is named.
 */
const [histories = "100000", seed = "1", folder] = process.argv.slice(2);

const byCount = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, times]) => `${String(times).padStart(8)}  ${name}\n`)
    .join("");

function run(): number {
  const begun = performance.now();
  const counts = soak(check, { histories: Number(histories), seed: Number(seed) });
  const seconds = (performance.now() - begun) / 1_000;
  const write = (text: string): void => {
    process.stdout.write(text);
  };
  write(`Histories by system, provider and user data:\n${byCount(counts.kinds)}`);
  write(`\nHistories that reached each state:\n${byCount(counts.reached)}`);
  for (const system of ["linux", "windows"] as const) {
    write(`\nStages on ${system}:\n${byCount(counts.stages.get(system) ?? new Map<string, number>())}`);
    write(`\nReasons on ${system}:\n${byCount(counts.reasons.get(system) ?? new Map<string, number>())}`);
  }
  write(`\nWrong by kind:\n${byCount(counts.wrongKinds)}`);
  const rate = Math.round(counts.histories / seconds);
  write(
    `\n${String(counts.histories)} histories, ${String(counts.looks)} looks, ${String(counts.wrong)} wrong, ${seconds.toFixed(1)} s (${String(rate)} histories/s), seed ${seed}\n`,
  );
  for (const { history, fault } of counts.faults) {
    const simplest = simplestOf(check, history, fault);
    const story = storyOf(simplest.history, simplest.fault);
    write(`\n${story}\n`);
    if (folder !== undefined)
      keep(folder, kindOfFault(simplest.history, simplest.fault), { history: simplest.history, story });
  }
  return counts.wrong === 0 ? 0 : 1;
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
  writeFileSync(join(into, `${name}.json`), `${JSON.stringify(history, null, 2)}\n`);
  writeFileSync(join(into, `${name}.md`), story);
}

process.exitCode = run();
