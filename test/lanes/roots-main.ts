import { parseArgs } from "node:util";
import { apiServerRecipe } from "../support/api-server-root.ts";
import { sweepAbandonedNodes } from "../support/booted-node.ts";
import { debianRoot, laneGenerations, nodeGenerations, type RootRecipe } from "../support/node-root.ts";
import { sweepTemporaryFolders } from "../support/own-temporary-folder.ts";
import { sweepAbandonedMachines, wineRoot } from "../support/wine-root.ts";

/** `--sweep`: ends nodes and Wine machines whose test run was itself ended, and removes its files. */
async function sweep(): Promise<number> {
  await sweepAbandonedNodes();
  await sweepAbandonedMachines();
  sweepTemporaryFolders();
  return 0;
}

/**
 * `npm run roots [-- --minutes N]`: builds the Debian roots of all lanes, one after the other, and says how long each took. What is not
 * ready when the time is over has failed for this run: lanes that share its CAPZ_RUN fail at once.
 */
async function build(minutes: number): Promise<number> {
  const timeIsOver = AbortSignal.timeout(minutes * 60_000);
  const recipes: readonly (readonly [string, RootRecipe])[] = [
    ["Wine", wineRoot],
    ...laneGenerations().map((name) => [`nodes, ${name}`, nodeGenerations[name]] as const),
    ["API server", await apiServerRecipe()],
  ];
  let failed = 0;
  for (const [name, recipe] of recipes) {
    const started = performance.now();
    const result = await debianRoot(recipe, timeIsOver).then(
      () => "ready",
      (error: unknown) => `FAILED: ${error instanceof Error ? error.message : String(error)}`,
    );
    if (result !== "ready") failed += 1;
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    process.stdout.write(`${seconds.padStart(5)} s  root of ${name} (${recipe.suite}): ${result}\n`);
  }
  return failed === 0 ? 0 : 1;
}

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "60" }, sweep: { type: "boolean", default: false } },
});
process.exitCode = values.sweep ? await sweep() : await build(Number(values.minutes));
