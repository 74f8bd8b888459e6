import { check } from "../../scripts/check/check.ts";
import { simplestOf, soak } from "./soak.ts";
import { storyOf } from "./story.ts";

/**
 * npm run soak [histories [seed]]: plays many histories against the check, counts them by kind, and ends with 1 if one was wrong.
 * The first history of each kind of fault is made as small as it can be, and told.
 */
const [histories = "100000", seed = "1"] = process.argv.slice(2);
const stories = 100;

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
  for (const { history, fault } of counts.faults.slice(0, stories)) {
    const simplest = simplestOf(check, history, fault);
    write(`\n${storyOf(simplest.history, simplest.fault)}\n`);
  }
  return counts.wrong === 0 ? 0 : 1;
}

process.exitCode = run();
