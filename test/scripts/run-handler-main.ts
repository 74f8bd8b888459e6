import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost, ownPlatform } from "../../handler/create-host.ts";
import { runInForeground } from "../../handler/operations/people/run-in-foreground.ts";

/**
 * `capz-bootstrap run` on several machines at once, each a folder with `root/` and `settings.json`. The clock of
 * a machine runs that many times as fast, so that a deadline of 30 s comes soon, and its day begins when its settings
 * were written: the times of its files are measured from then, however long it waited for its turn. All else is the real handler.
 * Arguments: program folder, then machines as `<speed>:<folder>`. The exit code goes to `<folder>/exit-code`.
 */
const [programFolder = "", ...machines] = process.argv.slice(2);
const host = createHost(await ownPlatform());
const atOnce = 6;
await Promise.all(Array.from({ length: atOnce }, work));

async function work(): Promise<void> {
  for (let machine = machines.shift(); machine !== undefined; machine = machines.shift()) await runOne(machine);
}

async function runOne(machine: string): Promise<void> {
  const speed = Number.parseInt(machine, 10);
  const folder = machine.slice(machine.indexOf(":") + 1);
  const waitedMs = host.now().getTime() - (await stat(join(folder, "settings.json"))).mtimeMs;
  const exitCode = await runInForeground(
    {
      ...host,
      root: join(folder, "root"),
      programFolder,
      now: () => new Date(host.now().getTime() - waitedMs),
      monotonicMs: () => host.monotonicMs() * speed,
      sleep: (ms, signal) => host.sleep(ms / speed, signal),
    },
    { settingsFile: join(folder, "settings.json"), json: true, brief: false, quiet: true, verbose: false },
  );
  await writeFile(join(folder, "exit-code"), String(exitCode));
}
