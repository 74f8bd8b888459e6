import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost, ownPlatform } from "../../handler/create-host.ts";
import type { Host } from "../../handler/host.ts";
import { runInForeground } from "../../handler/operations/people/run-in-foreground.ts";

/**
 * `capz-bootstrap run` on several machines at once, each a folder with `root/` and `settings.json`. All is the real handler but for time.
 * The clock of a machine runs so many times as fast, so that a deadline of 30 s comes soon, and stands while a program runs: how busy this
 * machine is does not decide whether a look ends before the deadline. The time of day stands where it stood when the settings
 * were written, as do the machine's uptime and the ages of its processes, which lie in files.
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
  const { mtimeMs } = await stat(join(folder, "settings.json"));
  const exitCode = await runInForeground(
    {
      ...host,
      ...ownClock(speed),
      root: join(folder, "root"),
      programFolder,
      now: () => new Date(mtimeMs),
    },
    { settingsFile: join(folder, "settings.json"), json: true, brief: false, quiet: true, verbose: false },
  );
  await writeFile(join(folder, "exit-code"), String(exitCode));
}

function ownClock(speed: number): Pick<Host, "monotonicMs" | "sleep" | "run"> {
  let running = 0;
  let shownMs = host.monotonicMs();
  let sinceMs = shownMs;
  const monotonicMs = () => (running > 0 ? shownMs : shownMs + (host.monotonicMs() - sinceMs) * speed);
  const keep = () => {
    shownMs = monotonicMs();
    sinceMs = host.monotonicMs();
  };
  return {
    monotonicMs,
    async sleep(ms, signal) {
      const endMs = monotonicMs() + ms;
      for (let left = ms; left > 0 && signal?.aborted !== true; left = endMs - monotonicMs()) {
        await host.sleep(Math.max(left / speed, 5), signal);
      }
    },
    async run(...program) {
      keep();
      running += 1;
      try {
        return await host.run(...program);
      } finally {
        keep();
        running -= 1;
      }
    },
  };
}
